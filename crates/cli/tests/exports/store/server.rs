//! A small S3 server in memory: a bucket, objects that are put whole or in parts, read and listed.

use std::collections::{BTreeMap, BTreeSet};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard};

use super::http::{Request, answer};

/// The only bucket.
pub const BUCKET: &str = "fleet";

/// What the server holds.
#[derive(Debug, Default)]
pub struct Held {
    pub objects: BTreeMap<String, Vec<u8>>,
    /// How often each object was put whole.
    pub puts: BTreeMap<String, u64>,
    /// The parts of uploads that were neither completed nor aborted, by upload and number.
    pub uploads: BTreeMap<String, BTreeMap<u64, Vec<u8>>>,
    /// Uploads that were begun.
    pub begun: u64,
    /// A status that every request is answered with.
    pub refusal: Option<&'static str>,
    /// The number of the part that is answered with an error.
    pub refused_part: Option<u64>,
}

/// A server, which goes on until the test ends.
#[derive(Clone)]
pub struct Server {
    held: Arc<Mutex<Held>>,
    pub address: SocketAddr,
}

impl Server {
    pub fn start() -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let server = Server { held: Arc::default(), address };
        let serving = server.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let server = serving.clone();
                std::thread::spawn(move || server.serve(&stream));
            }
        });
        server
    }

    pub fn held(&self) -> MutexGuard<'_, Held> {
        self.held.lock().expect("no thread panicked")
    }

    /// Answers the requests of a connection. One that is cut leaves no trace.
    fn serve(&self, stream: &TcpStream) {
        while let Some(request) = Request::read(stream) {
            let (status, headers, body) = self.held().carry_out(&request);
            if answer(stream, &request, status, &headers, &body).is_err() {
                return;
            }
        }
    }
}

type Answer = (&'static str, Vec<String>, Vec<u8>);

fn failed(status: &'static str, code: &str) -> Answer {
    (status, Vec::new(), format!("<Error><Code>{code}</Code><Message>no</Message></Error>").into_bytes())
}

fn done(body: String) -> Answer {
    ("200 OK", vec!["ETag: \"0\"".to_owned()], body.into_bytes())
}

impl Held {
    fn carry_out(&mut self, request: &Request) -> Answer {
        if let Some(status) = self.refusal {
            return failed(status, "Refused");
        }
        let (bucket, key) = request.path.split_once('/').unwrap_or((&request.path, ""));
        if bucket != BUCKET {
            return failed("404 Not Found", "NoSuchBucket");
        }
        let upload = request.query.get("uploadId").cloned();
        match (request.method.as_str(), upload) {
            ("GET", _) if key.is_empty() => self.list(request),
            ("GET" | "HEAD", _) => self.get(key, request),
            ("PUT", Some(upload)) => {
                let number = request.query["partNumber"].parse().expect("a number");
                if self.refused_part == Some(number) {
                    return failed("500 Internal Server Error", "InternalError");
                }
                let Some(parts) = self.uploads.get_mut(&upload) else {
                    return failed("404 Not Found", "NoSuchUpload");
                };
                parts.insert(number, request.body.clone());
                done(String::new())
            }
            ("PUT", None) => self.put(key, request.body.clone()),
            ("POST", Some(upload)) => {
                let Some(parts) = self.uploads.remove(&upload) else {
                    return failed("404 Not Found", "NoSuchUpload");
                };
                self.put(key, parts.into_values().flatten().collect());
                let whole = format!("<Bucket>{BUCKET}</Bucket><Key>{key}</Key><ETag>\"0\"</ETag>");
                done(format!("<CompleteMultipartUploadResult>{whole}</CompleteMultipartUploadResult>"))
            }
            ("POST", None) => {
                self.begun += 1;
                let id = format!("upload-{}", self.begun);
                self.uploads.insert(id.clone(), BTreeMap::new());
                let begun = format!("<Bucket>{BUCKET}</Bucket><Key>{key}</Key><UploadId>{id}</UploadId>");
                done(format!("<InitiateMultipartUploadResult>{begun}</InitiateMultipartUploadResult>"))
            }
            ("DELETE", Some(upload)) => {
                self.uploads.remove(&upload);
                ("204 No Content", Vec::new(), Vec::new())
            }
            _ => failed("501 Not Implemented", "NotImplemented"),
        }
    }

    fn put(&mut self, key: &str, body: Vec<u8>) -> Answer {
        *self.puts.entry(key.to_owned()).or_default() += 1;
        self.objects.insert(key.to_owned(), body);
        done(String::new())
    }

    fn get(&self, key: &str, request: &Request) -> Answer {
        let Some(object) = self.objects.get(key) else { return failed("404 Not Found", "NoSuchKey") };
        let mut headers =
            vec!["ETag: \"0\"".to_owned(), "Last-Modified: Tue, 24 Nov 2026 10:00:00 GMT".to_owned()];
        let wanted = request.headers.get("range").and_then(|range| range.strip_prefix("bytes=-"));
        let Some(wanted) = wanted else { return ("200 OK", headers, object.clone()) };
        if object.is_empty() {
            return failed("416 Range Not Satisfiable", "InvalidRange");
        }
        let begin = object.len().saturating_sub(wanted.parse().expect("a count"));
        headers.push(format!("Content-Range: bytes {begin}-{}/{}", object.len() - 1, object.len()));
        ("206 Partial Content", headers, object[begin..].to_vec())
    }

    fn list(&self, request: &Request) -> Answer {
        let prefix = request.query.get("prefix").map_or("", String::as_str);
        let delimiter = request.query.get("delimiter");
        let (mut contents, mut prefixes) = (String::new(), BTreeSet::new());
        for (key, object) in self.objects.iter().filter(|(key, _)| key.starts_with(prefix)) {
            let rest = &key[prefix.len()..];
            match rest.split_once('/').filter(|_| delimiter.is_some()) {
                Some((first, _)) => drop(prefixes.insert(format!("{prefix}{first}/"))),
                None => contents.extend([
                    format!("<Contents><Key>{key}</Key><Size>{}</Size><ETag>\"0\"</ETag>", object.len()),
                    "<LastModified>2026-11-24T10:00:00.000Z</LastModified></Contents>".to_owned(),
                ]),
            }
        }
        let prefixes: Vec<String> = prefixes
            .iter()
            .map(|prefix| format!("<CommonPrefixes><Prefix>{prefix}</Prefix></CommonPrefixes>"))
            .collect();
        let prefixes = prefixes.concat();
        done(format!(
            "<ListBucketResult><IsTruncated>false</IsTruncated>{contents}{prefixes}</ListBucketResult>"
        ))
    }
}
