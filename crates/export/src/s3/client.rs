//! The store itself: all that is asynchronous, and what its errors mean.

use std::error::Error;
use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::Duration;

use bytes::Bytes;
use futures_util::TryStreamExt as _;
use object_store::aws::{AmazonS3, AmazonS3Builder, AmazonS3ConfigKey};
use object_store::client::{HttpError, HttpErrorKind};
use object_store::path::Path as Key;
use object_store::{
    ClientConfigKey, GetOptions, GetRange, MultipartUpload, ObjectStore as _, ObjectStoreExt as _,
    RetryConfig,
};
use tokio::runtime::{Builder, Runtime};

use crate::s3::{ObjectEnd, StoreAddress, StoreError, StoreFault};

/// Longer files are put in parts of this length in bytes, the least that Amazon's store takes. A part is what is sent again after
/// a failure, and what is in memory.
const PART_BYTES: u64 = 5 << 20;
/// Stores take at most 10,000 parts.
const PARTS_MAX: u64 = 9_000;
/// How often a request is made, where `AWS_MAX_ATTEMPTS` does not say it.
const ATTEMPTS: usize = 5;
/// After this time since its first attempt a request is not made again.
const RETRY_TIMEOUT: Duration = Duration::from_secs(120);

/// An answer is at most this long in messages, in characters.
const ANSWER_CHARACTERS: usize = 200;
/// An object that no export makes.
const PROBE: &str = ".drivelab";

/// A prefix in a store.
#[derive(Debug)]
pub struct Store {
    address: StoreAddress,
    client: AmazonS3,
    /// Runs on the calling thread, while that waits.
    runtime: Runtime,
}

impl Store {
    /// Opens a store with the settings of the environment, and sees that it has such a bucket.
    ///
    /// # Errors
    /// Where the settings make no sense, the store cannot be reached or denies access, or has no such bucket.
    pub fn open(address: &StoreAddress) -> Result<Store, StoreError> {
        let wrong = |why| StoreError { address: address.to_string(), fault: StoreFault::Settings(why) };
        // It fails where there is one already, which is the same.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let builder = builder(address).map_err(wrong)?;
        let is_signed = !is_on(builder.get_config_value(&AmazonS3ConfigKey::SkipSignature));
        let client = builder.build().map_err(|error| wrong(error.to_string()))?;
        let runtime = Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| wrong(error.to_string()))?;
        let store = Store { address: address.clone(), client, runtime };
        if is_signed {
            store.look_for_credentials()?;
        }
        store.look_at_the_bucket()?;
        Ok(store)
    }

    /// Where it is.
    pub fn address(&self) -> &StoreAddress {
        &self.address
    }

    /// The names of what lies directly below the prefix.
    ///
    /// # Errors
    /// Where the store fails.
    pub fn top_level(&self) -> Result<Vec<String>, StoreError> {
        let prefix = self.prefix()?;
        let found = self.wait(Path::new(""), self.client.list_with_delimiter(Some(&prefix)))?;
        let objects = found.objects.into_iter().map(|object| object.location);
        let names = found.common_prefixes.into_iter().chain(objects);
        Ok(names.filter_map(|key| key.filename().map(str::to_owned)).collect())
    }

    /// The paths of all objects below the prefix, in no order.
    ///
    /// # Errors
    /// Where the store fails.
    pub fn list(&self) -> Result<Vec<PathBuf>, StoreError> {
        let prefix = self.prefix()?;
        let all: Vec<_> = self.wait(Path::new(""), self.client.list(Some(&prefix)).try_collect())?;
        let below = |key: &Key| {
            let rest = key.as_ref().strip_prefix(self.address.prefix())?;
            Some(PathBuf::from(rest.strip_prefix('/').unwrap_or(rest)))
        };
        Ok(all.iter().filter_map(|object| below(&object.location)).collect())
    }

    /// An object; none where it is not there.
    ///
    /// # Errors
    /// Where the store fails.
    pub fn read(&self, path: &Path) -> Result<Option<Bytes>, StoreError> {
        Ok(self.get(path, GetOptions::new())?.map(|end| end.bytes))
    }

    /// The last bytes of an object, at most this many; none where it is not there.
    ///
    /// # Errors
    /// Where the store fails.
    pub fn read_end(&self, path: &Path, bytes: u64) -> Result<Option<ObjectEnd>, StoreError> {
        match self.get(path, GetOptions::new().with_range(Some(GetRange::Suffix(bytes)))) {
            // An empty object has no last bytes, which stores report as an error.
            Err(StoreError { fault: StoreFault::Failed(_), .. }) if self.is_empty(path)? => {
                Ok(Some(ObjectEnd::default()))
            }
            end => end,
        }
    }

    /// Puts a whole file; says how long it is in bytes. The object is there when all of it is, and what was there before until
    /// then.
    ///
    /// # Errors
    /// Where the file cannot be read, or the store fails.
    pub fn put(&self, path: &Path, mut file: File) -> Result<u64, StoreError> {
        let local = |error| self.error(path, StoreFault::Local(error));
        let length = file.metadata().and_then(|found| file.seek(SeekFrom::Start(0)).map(|_| found.len()));
        let length = length.map_err(local)?;
        let key = self.key(path)?;
        if length <= PART_BYTES {
            let whole = next_part(&mut file, length).map_err(local)?;
            self.wait(path, self.client.put(&key, whole.into()))?;
            return Ok(length);
        }
        let mut upload = self.wait(path, self.client.put_multipart(&key))?;
        let sent = self.put_parts(path, upload.as_mut(), &mut file, length);
        if sent.is_err() {
            // The store keeps the parts of an upload until that is aborted. Where this fails, its own rules remove them.
            let _ = self.runtime.block_on(upload.abort());
        }
        sent.map(|()| length)
    }

    fn put_parts(
        &self,
        path: &Path,
        upload: &mut dyn MultipartUpload,
        file: &mut File,
        length: u64,
    ) -> Result<(), StoreError> {
        let part = PART_BYTES.max(length.div_ceil(PARTS_MAX));
        let mut sent = 0;
        while sent < length {
            let bytes = next_part(file, part.min(length - sent));
            let bytes = bytes.map_err(|error| self.error(path, StoreFault::Local(error)))?;
            sent += bytes.len() as u64;
            self.wait(path, upload.put_part(bytes.into()))?;
        }
        self.wait(path, upload.complete()).map(drop)
    }

    fn is_empty(&self, path: &Path) -> Result<bool, StoreError> {
        let end = self.get(path, GetOptions::new().with_head(true))?;
        Ok(end.is_some_and(|end| end.length == 0))
    }

    fn get(&self, path: &Path, options: GetOptions) -> Result<Option<ObjectEnd>, StoreError> {
        let key = self.key(path)?;
        let got = self.runtime.block_on(async {
            let found = self.client.get_opts(&key, options).await?;
            let length = found.meta.size;
            Ok(ObjectEnd { length, bytes: found.bytes().await? })
        });
        match got {
            Ok(end) => Ok(Some(end)),
            Err(object_store::Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(self.explain(path, &error)),
        }
    }

    fn look_for_credentials(&self) -> Result<(), StoreError> {
        let found = self.runtime.block_on(self.client.credentials().get_credential());
        found.map(drop).map_err(|error| self.error(Path::new(""), StoreFault::NoCredentials(cause(&error))))
    }

    /// Lists the prefix, as far as one answer goes. The client does not say which answer refused it. Another request has the
    /// same answer, and for that it does: an object is not found in a bucket that may be listed, or in one that is not there.
    fn look_at_the_bucket(&self) -> Result<(), StoreError> {
        let prefix = self.prefix()?;
        let mut listed = self.client.list(Some(&prefix));
        let Err(error) = self.runtime.block_on(listed.try_next()) else { return Ok(()) };
        let whole = Path::new("");
        if http_error(&error).is_some() {
            return Err(self.explain(whole, &error));
        }
        let asked = self.runtime.block_on(self.client.head(&self.key(Path::new(PROBE))?));
        Err(match asked {
            Err(object_store::Error::NotFound { .. }) => {
                self.error(whole, StoreFault::NoBucket(self.address.bucket().to_owned()))
            }
            Err(why) if is_denied(&why) => self.error(whole, StoreFault::Denied(cause(&error))),
            _ => self.explain(whole, &error),
        })
    }

    fn key(&self, path: &Path) -> Result<Key, StoreError> {
        self.parsed(&self.address.key(path))
    }

    fn prefix(&self) -> Result<Key, StoreError> {
        self.parsed(self.address.prefix())
    }

    fn parsed(&self, key: &str) -> Result<Key, StoreError> {
        Key::parse(key).map_err(|error| self.error(Path::new(""), StoreFault::Settings(error.to_string())))
    }

    /// Waits for what the store answers on an object.
    fn wait<T>(
        &self,
        path: &Path,
        answer: impl Future<Output = object_store::Result<T>>,
    ) -> Result<T, StoreError> {
        self.runtime.block_on(answer).map_err(|error| self.explain(path, &error))
    }

    /// What went wrong with an object; with the prefix itself where the path is empty.
    fn error(&self, path: &Path, fault: StoreFault) -> StoreError {
        StoreError { address: self.address.of_object(path).display().to_string(), fault }
    }

    /// What an error means, and what to do.
    fn explain(&self, path: &Path, error: &object_store::Error) -> StoreError {
        use HttpErrorKind::{Connect, Interrupted, Request, Timeout};
        let why = cause(error);
        let fault = match http_error(error) {
            _ if is_denied(error) => StoreFault::Denied(why),
            Some(Connect | Timeout | Interrupted | Request) => StoreFault::Unreachable(why),
            _ => StoreFault::Failed(why),
        };
        self.error(path, fault)
    }
}

/// As many of the next bytes of a file.
fn next_part(file: &mut File, length: u64) -> io::Result<Bytes> {
    let mut bytes = Vec::with_capacity(usize::try_from(length).unwrap_or_default());
    file.take(length).read_to_end(&mut bytes)?;
    if bytes.len() as u64 == length {
        Ok(bytes.into())
    } else {
        Err(io::Error::new(io::ErrorKind::UnexpectedEof, "it became shorter"))
    }
}

/// A client of a bucket with the settings of the environment; the error is a sentence without its final stop.
fn builder(address: &StoreAddress) -> Result<AmazonS3Builder, String> {
    let retry = RetryConfig {
        max_retries: attempts()?.saturating_sub(1),
        retry_timeout: RETRY_TIMEOUT,
        ..RetryConfig::default()
    };
    let builder = AmazonS3Builder::from_env().with_bucket_name(address.bucket()).with_retry(retry);
    let value = |builder: &AmazonS3Builder, key: AmazonS3ConfigKey| builder.get_config_value(&key);
    match (
        value(&builder, AmazonS3ConfigKey::AccessKeyId),
        value(&builder, AmazonS3ConfigKey::SecretAccessKey),
    ) {
        (None, Some(_)) => {
            return Err("AWS_SECRET_ACCESS_KEY is set, and AWS_ACCESS_KEY_ID is not".to_owned());
        }
        (Some(_), None) => {
            return Err("AWS_ACCESS_KEY_ID is set, and AWS_SECRET_ACCESS_KEY is not".to_owned());
        }
        _ => {}
    }
    let endpoint = [AmazonS3ConfigKey::S3Endpoint, AmazonS3ConfigKey::Endpoint];
    let endpoint = endpoint.into_iter().find_map(|key| value(&builder, key)).unwrap_or_default();
    let is_http_allowed = value(&builder, AmazonS3ConfigKey::Client(ClientConfigKey::AllowHttp));
    if endpoint.starts_with("http://") && !is_on(is_http_allowed) {
        return Err(format!("{endpoint} is an address without encryption, which AWS_ALLOW_HTTP=true allows"));
    }
    Ok(builder)
}

/// Whether a setting is switched on, as the client reads it.
fn is_on(setting: Option<String>) -> bool {
    setting.is_some_and(|text| ["1", "true", "on", "yes", "y"].contains(&text.to_lowercase().as_str()))
}

/// How often a request is made, as the programs of Amazon take it from the environment.
fn attempts() -> Result<usize, String> {
    let Ok(text) = std::env::var("AWS_MAX_ATTEMPTS") else { return Ok(ATTEMPTS) };
    let attempts = text.parse().ok().filter(|attempts| *attempts > 0);
    attempts.ok_or_else(|| {
        format!("AWS_MAX_ATTEMPTS is {text:?}, and a count of at least 1 is wanted, such as 5")
    })
}

fn is_denied(error: &object_store::Error) -> bool {
    matches!(
        error,
        object_store::Error::PermissionDenied { .. } | object_store::Error::Unauthenticated { .. }
    )
}

/// Errors behind an error, itself the first.
fn chain<'a>(error: &'a (dyn Error + 'static)) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    std::iter::successors(Some(error), |error| (*error).source())
}

/// How the exchange with the store failed, where it was not the store's answer that failed it.
fn http_error(error: &(dyn Error + 'static)) -> Option<HttpErrorKind> {
    chain(error).find_map(|error| error.downcast_ref::<HttpError>()).map(HttpError::kind)
}

/// The innermost error, on one line.
fn cause(error: &(dyn Error + 'static)) -> String {
    let innermost = chain(error).last().map(ToString::to_string).unwrap_or_default();
    let words: Vec<&str> = innermost.split_whitespace().collect();
    words.join(" ").chars().take(ANSWER_CHARACTERS).collect()
}
