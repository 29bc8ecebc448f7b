//! Which bytes of a target may be used: a range has to lie on it, on boundaries of its blocks.

use drivelab_block::{ByteRange, Geometry};

/// What is wrong with `--range`, and what to write instead.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("--range {0}")]
pub struct RangeError(String);

/// Checks a range, the first byte and the one past the last, on a target and the size of its blocks in bytes.
///
/// # Errors
/// [`RangeError`] says what to write instead.
pub fn check_range(range: ByteRange, target: &Geometry, block: u64) -> Result<(), RangeError> {
    let (start, end) = (range.start.get(), range.end.get());
    if end > target.capacity.get() {
        let capacity = target.capacity.get();
        return Err(RangeError(format!(
            "ends at byte {end}, and the target has {capacity}: write an end of at most 100%"
        )));
    }
    // A target without a whole block has no range at all: its loads say so.
    if end <= start && end > 0 {
        return Err(RangeError(format!(
            "ends at byte {end}, where it begins or before: write START-END, such as 50%-75%"
        )));
    }
    if !start.is_multiple_of(block) {
        let whole = start / block * block;
        return Err(RangeError(format!(
            "begins at byte {start}: write a multiple of {block}, such as {whole}B"
        )));
    }
    Ok(())
}
