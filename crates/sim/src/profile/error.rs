//! What was wrong with a profile, in one line that says what to do.

use std::fmt;

/// A profile, a key or a value that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProfileError(String);

impl ProfileError {
    pub(crate) fn new(message: impl Into<String>) -> ProfileError {
        ProfileError(message.into())
    }
}

impl fmt::Display for ProfileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ProfileError {}
