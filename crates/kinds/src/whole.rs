//! Whole parts of numbers.

/// The whole part of a number; 0 of one that is negative or no number, and the greatest count of one beyond all counts.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "`as` saturates, and takes NaN for 0"
)]
pub(crate) fn whole_part(number: f64) -> u64 {
    number as u64
}
