//! Which bytes of a target may be used: a range has to lie on it, on boundaries of its blocks.

use drivelab_block::{ByteRange, Geometry};

/// What is wrong with `--range`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RangeError {
    /// It ends beyond the target.
    #[error("--range ends at byte {end}, and the target has {capacity}: write an end of at most 100%")]
    Beyond {
        /// The end asked.
        end: u64,
        /// The target's size.
        capacity: u64,
    },
    /// It holds nothing.
    #[error("--range ends at byte {end}, where it begins or before: write START-END, such as 50%-75%")]
    Backwards {
        /// The end asked.
        end: u64,
    },
    /// It begins within a block.
    #[error("--range begins at byte {start}: write a multiple of {block}, such as {}B", start / block * block)]
    Start {
        /// The start asked.
        start: u64,
        /// Bytes of a block.
        block: u64,
    },
}

/// Checks a range, the first byte and the one past the last, on a target and the size of its blocks in bytes.
///
/// # Errors
/// [`RangeError`] says what to write instead.
pub fn check_range(range: ByteRange, target: &Geometry, block: u64) -> Result<(), RangeError> {
    let (start, end) = (range.start.get(), range.end.get());
    if end > target.capacity.get() {
        return Err(RangeError::Beyond { end, capacity: target.capacity.get() });
    }
    // A target without a whole block has no range at all: its loads say so.
    if end <= start && end > 0 {
        return Err(RangeError::Backwards { end });
    }
    if !start.is_multiple_of(block) {
        return Err(RangeError::Start { start, block });
    }
    Ok(())
}
