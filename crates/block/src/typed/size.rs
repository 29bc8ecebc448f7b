//! Sizes, as people type them.

use super::duration::is_duration;
use super::{decimal_point, split_unit};
use crate::ByteCount;

/// Units by their names, and how many bytes each has.
const UNITS: [(&str, u64); 9] = [
    ("B", 1),
    ("KiB", 1 << 10),
    ("MiB", 1 << 20),
    ("GiB", 1 << 30),
    ("TiB", 1 << 40),
    ("kB", 1_000),
    ("MB", 1_000_000),
    ("GB", 1_000_000_000),
    ("TB", 1_000_000_000_000),
];

/// Reads a size that is not nothing.
///
/// # Errors
/// Where the text is none: what to type instead.
pub fn size_above_zero(text: &str) -> Result<ByteCount, String> {
    match size(text)? {
        size if size.get() == 0 => Err("0 bytes hold nothing: give a size above 0, such as 1GiB".to_owned()),
        size => Ok(size),
    }
}

/// Reads `4KiB`, `128k`, `1.5GB`, `512B`, in any case: KiB and the single letters are binary, kB, MB, GB, TB
/// decimal. Only 0 needs no unit.
///
/// # Errors
/// Where the text is none: what to type instead.
pub fn size(text: &str) -> Result<ByteCount, String> {
    let (number, unit) = split_unit(text);
    let Ok(number) = number.parse::<f64>() else { return Err(unreadable(text)) };
    if unit.is_empty() && number != 0.0 {
        return Err(format!(
            "a size has a unit: write {number}B for bytes, or {number}KiB, {number}MiB, {number}GB"
        ));
    }
    let factor = if unit.is_empty() { 1 } else { bytes_of(unit).ok_or_else(|| unreadable(text))? };
    let bytes = number * factor as f64;
    if !((0.0..9e18).contains(&bytes) && bytes.fract() == 0.0) {
        return Err("a size is a whole number of bytes below 9 EB, such as 4KiB".to_owned());
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked above")]
    Ok(ByteCount::new(bytes as u64))
}

/// The bytes of a unit, in any case, also by its first letter; `None` for what is none.
fn bytes_of(unit: &str) -> Option<u64> {
    let letters = ["", "k", "m", "g", "t"].iter().position(|letter| unit.eq_ignore_ascii_case(letter));
    let named = UNITS.iter().find(|(name, _)| unit.eq_ignore_ascii_case(name)).map(|(_, bytes)| *bytes);
    named.or_else(|| letters.map(|power| 1 << (10 * power)))
}

/// Why a text is no size, with the size that was meant where that is clear.
fn unreadable(text: &str) -> String {
    let (number, unit) = split_unit(text);
    let in_words = unit.to_ascii_lowercase();
    let short = in_words.strip_suffix("bytes").or_else(|| in_words.strip_suffix("byte"));
    if let Some((name, _)) = short.and_then(|short| {
        UNITS.iter().find(|(name, _)| name.trim_end_matches('B').eq_ignore_ascii_case(short.trim()))
    }) {
        return format!("units of size are short: write {number}{name}");
    }
    if let Some(meant) = decimal_point(text).filter(|meant| size(meant).is_ok()) {
        return format!("a fraction has a point: write {meant}");
    }
    if let Some(amount) = text.trim().strip_suffix("/s").filter(|amount| size(amount).is_ok()) {
        return format!("{text} is a rate, and this is a size: write one such as {amount}");
    }
    if text.trim().ends_with('%') {
        return format!("{text} is a share, and this is a size: write one such as 1GiB");
    }
    if is_duration(text) {
        return format!("{text} is a duration, and this is a size: write one such as 1GiB");
    }
    if number.is_empty() || unit.is_empty() {
        return "a size is a number with a unit, such as 4KiB".to_owned();
    }
    format!("{unit:?} is no unit of size: use KiB, MiB, GiB, TiB, kB, MB, GB or TB, as in 4KiB")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn binary_and_decimal_units_are_told_apart() {
        assert_eq!(size("4k"), Ok(ByteCount::new(4096)));
        assert_eq!(size("4KiB"), Ok(ByteCount::new(4096)));
        assert_eq!(size("4kB"), Ok(ByteCount::new(4000)));
        assert_eq!(size("512B"), Ok(ByteCount::new(512)));
        assert_eq!(size("1.5gb"), Ok(ByteCount::new(1_500_000_000)));
        assert_eq!(size("2T"), Ok(ByteCount::new(2 << 40)));
        assert_eq!(size("0"), Ok(ByteCount::new(0)));
        assert!(size("0.3B").is_err());
    }

    #[test]
    fn an_error_names_the_size_that_was_meant() {
        for (text, meant) in [
            ("4096", "write 4096B"),
            ("4 parsecs", "as in 4KiB"),
            ("-1", "such as 4KiB"),
            ("512 bytes", "write 512B"),
            ("4kbytes", "write 4kB"),
            ("1,5GB", "write 1.5GB"),
            ("160MB/s", "such as 160MB"),
            ("5min", "is a duration"),
            ("50%", "is a share"),
        ] {
            assert!(size(text).is_err_and(|error| error.contains(meant)), "{text}: {:?}", size(text));
        }
    }
}
