//! What an error of the store means.

use std::error::Error;
use std::path::Path;

use object_store::client::{HttpError, HttpErrorKind};

use crate::s3::{StoreAddress, StoreError};

/// An answer is at most this long in messages, in characters.
const ANSWER_CHARACTERS: usize = 200;

/// An object with which something went wrong; the prefix itself where the path is empty.
pub struct FailingObject<'a> {
    pub address: &'a StoreAddress,
    pub path: &'a Path,
}

impl FailingObject<'_> {
    /// Its address.
    pub fn address(&self) -> String {
        self.address.of_object(self.path).display().to_string()
    }

    /// What an error means, and what to do.
    pub fn explain(&self, error: object_store::Error) -> StoreError {
        let (address, why) = (self.address(), cause(&error));
        match error {
            object_store::Error::PermissionDenied { .. } | object_store::Error::Unauthenticated { .. } => {
                StoreError::Denied { address, why }
            }
            error => match http_error(&error) {
                Some(
                    HttpErrorKind::Connect
                    | HttpErrorKind::Timeout
                    | HttpErrorKind::Interrupted
                    | HttpErrorKind::Request,
                ) => StoreError::Unreachable { address, why },
                _ => StoreError::Failed { address, why },
            },
        }
    }
}

/// Errors behind an error, itself the first.
fn chain<'a>(error: &'a (dyn Error + 'static)) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    std::iter::successors(Some(error), |error| (*error).source())
}

/// How the exchange with the store failed, where it was not the store's answer that failed it.
pub fn http_error(error: &(dyn Error + 'static)) -> Option<HttpErrorKind> {
    chain(error).find_map(|error| error.downcast_ref::<HttpError>()).map(HttpError::kind)
}

/// The innermost error, on one line.
pub fn cause(error: &(dyn Error + 'static)) -> String {
    let innermost = chain(error).last().map(ToString::to_string).unwrap_or_default();
    let words: Vec<&str> = innermost.split_whitespace().collect();
    words.join(" ").chars().take(ANSWER_CHARACTERS).collect()
}
