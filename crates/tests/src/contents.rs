//! What has to be known of the bytes that reads return.

use drivelab_verify::Looks;

/// What has to be known of the bytes that the reads of a test return.
#[derive(Clone, Debug, Default)]
pub enum Contents {
    /// Nothing.
    #[default]
    Unwatched,
    /// Whether blocks hold zeros, what they held before, or something else, at several looks.
    Looks(Looks),
}
