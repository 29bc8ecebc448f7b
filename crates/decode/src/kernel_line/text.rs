//! Numbers and names in a line of text.

use crate::Bit;

/// The hexadecimal number behind the first of these words that the line has, with or without `0x`.
pub(super) fn number_behind(line: &str, words: &[&str]) -> Option<u64> {
    let rest = words.iter().find_map(|word| line.split_once(word))?.1;
    hexadecimal(rest.strip_prefix("0x").unwrap_or(rest))
}

/// The hexadecimal number that a text begins with.
pub(super) fn hexadecimal(text: &str) -> Option<u64> {
    let end = text.find(|sign: char| !sign.is_ascii_hexdigit()).unwrap_or(text.len());
    u64::from_str_radix(&text[..end], 16).ok()
}

/// The decimal number that a text begins with.
pub(super) fn decimal(text: &str) -> Option<u64> {
    let end = text.find(|sign: char| !sign.is_ascii_digit()).unwrap_or(text.len());
    text[..end].parse().ok()
}

/// The word behind this one.
pub(super) fn word_behind<'a>(line: &'a str, before: &str) -> Option<&'a str> {
    let rest = line.split_once(before)?.1;
    let end = rest.find(|sign: char| sign.is_whitespace() || sign == ',').unwrap_or(rest.len());
    (end > 0).then(|| &rest[..end])
}

/// The names in braces behind a word: libata's `status: { DRDY ERR }`.
pub(super) fn names_behind<'a>(line: &'a str, word: &str) -> impl Iterator<Item = &'a str> {
    let inside =
        line.split_once(word).and_then(|(_, rest)| rest.split_once('}')).map_or("", |(names, _)| names);
    inside.split_whitespace()
}

/// A sentence for each bit of a register.
pub(super) fn sentences(register: &str, bits: &[Bit]) -> Vec<String> {
    bits.iter().map(|bit| format!("{register} {}: {}", bit.name, bit.meaning)).collect()
}
