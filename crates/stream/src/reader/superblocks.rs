//! The two superblocks of an image.

use super::image::Image;
use crate::StreamError;
use crate::layout::{Damage, HEADER_BYTES, Superblock, superblocks_at};

/// The superblocks of an image.
pub(super) struct Superblocks {
    /// The one of the higher generation.
    pub(super) newest: Superblock,
    /// The other one, where it can be used.
    pub(super) other: Option<Superblock>,
    /// Whether one of the two is unusable.
    pub(super) is_lost: bool,
}

/// Reads both.
pub(super) fn superblocks(image: &dyn Image) -> Result<Superblocks, StreamError> {
    let mut bytes = vec![0; HEADER_BYTES];
    let (mut found, mut damages) = (Vec::new(), Vec::new());
    for at in superblocks_at(image.length()) {
        let read = readable(image.read_at(at, &mut bytes))?;
        match read.and_then(|count| Superblock::decode(&bytes[..count])) {
            Ok(superblock) => found.push(superblock),
            Err(damage) => damages.push(damage),
        }
    }
    let is_lost = !damages.is_empty();
    found.sort_by_key(|superblock| superblock.generation);
    if let Some(newest) = found.pop() {
        return Ok(Superblocks { newest, other: found.pop(), is_lost });
    }
    match damages.into_iter().find(|damage| *damage != Damage::Nothing) {
        Some(damage) => Err(StreamError::Superblocks(damage.to_string())),
        None => Err(StreamError::NoRecording),
    }
}

/// What was read, or that the drive does not give it.
pub(super) fn readable(read: Result<usize, StreamError>) -> Result<Result<usize, Damage>, StreamError> {
    match read {
        Err(StreamError::Read { .. }) => Ok(Err(Damage::Unreadable)),
        read => read.map(Ok),
    }
}
