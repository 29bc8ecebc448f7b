//! Shares of counts as counts.

/// A number from 0 on without its fraction; the greatest one there is for what lies beyond it.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it cuts and saturates")]
pub(crate) fn whole(number: f64) -> usize {
    number as usize
}
