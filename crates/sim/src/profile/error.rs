//! What was wrong with a profile, in one line that says what to do.

/// A profile, a key or a value that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ProfileError(String);

/// Refuses a profile for what the message says.
pub(super) fn refused<T>(message: impl Into<String>) -> Result<T, ProfileError> {
    Err(ProfileError(message.into()))
}
