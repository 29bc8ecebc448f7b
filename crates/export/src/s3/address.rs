//! The address of a prefix in a store.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// The address of a prefix in a bucket, such as `s3://measurements/fleet`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreAddress {
    bucket: String,
    /// Without a slash at its begin or end; empty for the whole bucket.
    prefix: String,
}

impl StoreAddress {
    /// Whether a text is meant as an address: it begins with `s3:` or with another scheme and `://`.
    pub fn is_meant_by(text: &str) -> bool {
        let is_scheme = |scheme: &str| {
            !scheme.is_empty()
                && scheme
                    .chars()
                    .all(|character| character.is_ascii_alphanumeric() || "+-.".contains(character))
        };
        let scheme = text.split_once(':').map_or("", |(scheme, _)| scheme);
        scheme.eq_ignore_ascii_case("s3")
            || text.split_once("://").is_some_and(|(scheme, _)| is_scheme(scheme))
    }

    /// The bucket.
    pub fn bucket(&self) -> &str {
        &self.bucket
    }

    /// The address of an object below the prefix as a path, for messages; that of the prefix where the path is empty.
    pub fn of_object(&self, path: &Path) -> PathBuf {
        let prefix = PathBuf::from(self.to_string());
        if path.as_os_str().is_empty() { prefix } else { prefix.join(path) }
    }

    #[cfg(feature = "s3")]
    pub(crate) fn key(&self, path: &Path) -> String {
        let path = path.to_string_lossy();
        if self.prefix.is_empty() { path.into_owned() } else { format!("{}/{path}", self.prefix) }
    }

    /// The prefix; empty for the whole bucket.
    #[cfg(feature = "s3")]
    pub(crate) fn prefix(&self) -> &str {
        &self.prefix
    }
}

impl fmt::Display for StoreAddress {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let slash = if self.prefix.is_empty() { "" } else { "/" };
        write!(out, "s3://{}{slash}{}", self.bucket, self.prefix)
    }
}

impl FromStr for StoreAddress {
    type Err = String;

    fn from_str(text: &str) -> Result<StoreAddress, String> {
        let wrong = |why: &str| {
            format!(
                "{text}: {why}: write s3://BUCKET/PREFIX, such as s3://measurements/fleet, or ./{text} for a folder of this \
                 name"
            )
        };
        let (scheme, rest) =
            text.split_once("://").ok_or_else(|| wrong("two slashes are missing behind s3:"))?;
        if scheme != "s3" {
            return Err(wrong("only object stores that speak the protocol of Amazon S3 are known, as s3://"));
        }
        let (bucket, prefix) = rest.split_once('/').unwrap_or((rest, ""));
        if bucket.is_empty() {
            return Err(wrong("it names no bucket"));
        }
        if !bucket.chars().all(|character| character.is_ascii_alphanumeric() || "-._".contains(character)) {
            return Err(wrong("the name of a bucket has letters, digits, hyphens and full stops only"));
        }
        let prefix = prefix.strip_suffix('/').unwrap_or(prefix);
        let is_wrong = |part: &str| ["", ".", ".."].contains(&part) || part.chars().any(char::is_control);
        if !prefix.is_empty() && prefix.split('/').any(is_wrong) {
            return Err(wrong("a part of its prefix is empty, . or .., or has control characters"));
        }
        Ok(StoreAddress { bucket: bucket.to_owned(), prefix: prefix.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_told_from_folders_and_wrong_ones_say_how_one_is_written() {
        for text in ["s3://b", "s3://my-bucket.1/a/b=c/d%2F"] {
            assert!(StoreAddress::is_meant_by(text));
            assert_eq!(text.parse::<StoreAddress>().expect("an address").to_string(), text);
        }
        let address: StoreAddress = "s3://b/fleet/".parse().expect("an address");
        assert_eq!(address.of_object(Path::new("drives/a")).to_str(), Some("s3://b/fleet/drives/a"));
        let wrong = [
            "s3:",
            "s3:/b/p",
            "S3:b",
            "s3://",
            "s3:///p",
            "s3://b//p",
            "s3://b/../p",
            "s3://a b/p",
            "gs://b/p",
        ];
        for text in wrong {
            assert!(StoreAddress::is_meant_by(text), "{text}");
            let error = text.parse::<StoreAddress>().expect_err(text);
            assert!(error.contains("s3://measurements/fleet"), "{error}");
        }
        for folder in ["fleet", "./s3:/b", "/mnt/fleet", "s3", "a b://c", "date=1"] {
            assert!(!StoreAddress::is_meant_by(folder), "{folder}");
        }
    }
}
