//! What differs from machine to machine, or from day to day, and says nothing about the program.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// A day in seconds.
const DAY_S: u64 = 86_400;
/// Digits of the id of a run, as an export writes it after an `r`.
const ID_DIGITS: usize = 16;
/// Digits of the id of a recording of streams.
const RECORDING_DIGITS: usize = 32;

/// The text with names of the folder, dates of these days, ids and the version of the program masked.
pub fn names(text: &str, masks: &[(String, &'static str)]) -> String {
    let mut text = text.to_owned();
    for (name, shown) in masks {
        text = text.replace(name.as_str(), shown);
    }
    text = words(&text, env!("CARGO_PKG_VERSION"), "VERSION");
    ids(&dates(&text))
}

/// The text with the name of this machine masked, which a text of simulated drives does not have.
pub fn machine(text: &str) -> String {
    words(text, &rustix::system::uname().nodename().to_string_lossy(), "HOST")
}

/// Replaces a word where no letter, digit or point stands next to it.
fn words(text: &str, word: &str, shown: &str) -> String {
    let joins = |character: char| character.is_alphanumeric() || character == '-';
    let (mut replaced, mut rest) = (String::new(), text);
    while let Some(at) = rest.find(word) {
        let (before, after) = (&rest[..at], &rest[at + word.len()..]);
        let continues = after.strip_prefix('.').unwrap_or(after).starts_with(joins);
        replaced.push_str(before);
        replaced.push_str(if before.ends_with(joins) || continues { word } else { shown });
        rest = after;
    }
    replaced + rest
}

/// Replaces the dates of yesterday, today and tomorrow, with the time behind them; others are those of a scene's own files.
#[expect(clippy::disallowed_methods, reason = "dates of today are masked")]
fn dates(text: &str) -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("a clock").as_secs();
    let mut text = text.to_owned();
    for seconds in [now - DAY_S, now, now + DAY_S] {
        let date = date(seconds);
        let mut replaced = String::new();
        let mut rest = text.as_str();
        while let Some(at) = rest.find(&date) {
            replaced.push_str(&rest[..at]);
            replaced.push_str("DATE");
            rest = &rest[at + date.len()..];
            let is_time = rest.starts_with('T')
                || (rest.starts_with(' ') && rest.bytes().skip(1).take(2).all(|byte| byte.is_ascii_digit()));
            if is_time {
                let end = rest[1..]
                    .find(|character: char| !character.is_ascii_digit() && !":.".contains(character));
                rest = &rest[end.map_or(rest.len(), |end| end + 1)..];
                for zone in ["Z", " +00:00", "+00:00"] {
                    rest = rest.strip_prefix(zone).unwrap_or(rest);
                }
            }
        }
        text = replaced + rest;
    }
    text
}

/// A day as ISO 8601 writes it.
fn date(seconds: u64) -> String {
    let time = humantime::format_rfc3339_seconds(UNIX_EPOCH + Duration::from_secs(seconds));
    time.to_string()[..10].to_owned()
}

/// Replaces the ids of runs, which settings of other names change, and those of recordings.
fn ids(text: &str) -> String {
    let is_hex = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    let mut masked = String::new();
    let mut rest = text;
    while let Some(word) = rest.split_inclusive(|character: char| !character.is_ascii_alphanumeric()).next() {
        let (digits, end) =
            word.split_at(word.trim_end_matches(|end: char| !end.is_ascii_alphanumeric()).len());
        let hex = digits.strip_prefix('r').unwrap_or(digits);
        let is_run = hex.len() == ID_DIGITS && hex.len() < digits.len();
        let is_id = (is_run || hex.len() == RECORDING_DIGITS) && hex.bytes().all(is_hex);
        masked.push_str(if is_id { if is_run { "rID" } else { "ID" } } else { digits });
        masked.push_str(end);
        rest = &rest[word.len()..];
    }
    masked
}
