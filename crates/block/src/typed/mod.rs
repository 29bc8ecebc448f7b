//! Sizes and durations, as people type them. An error says what to type instead: an example of a good value
//! and, where it is clear what was meant, that value.

mod duration;
mod size;

pub use duration::{duration, duration_or_zero};
pub use size::{size, size_above_zero};

/// Splits `4KiB` into its number and its unit.
pub fn split_unit(text: &str) -> (&str, &str) {
    let text = text.trim();
    let end = text.find(|sign: char| !sign.is_ascii_digit() && sign != '.').unwrap_or(text.len());
    (&text[..end], text[end..].trim())
}

/// The text with a point for its only comma; `None` where it has no comma or several.
pub fn decimal_point(text: &str) -> Option<String> {
    (text.matches(',').count() == 1).then(|| text.trim().replace(',', "."))
}
