//! What was fast again after rests, in words.

use drivelab_view::format::bytes;

use super::RecoveryFindings;
use super::charts::rest_in_words;

/// A cache of which less than this share was fast while it was filled was not empty before.
const EMPTY_SHARE: f64 = 0.8;

/// What was fast again after the rests at one level, and which of them began with a cache that was not as the others found it.
pub(super) fn of_level(of_level: &[RecoveryFindings]) -> Vec<String> {
    [recovered(of_level), not_full(of_level), not_empty(of_level)].into_iter().flatten().collect()
}

fn recovered(of_level: &[RecoveryFindings]) -> Option<String> {
    let part = |one: &RecoveryFindings| {
        let least = if one.at_least { "at least " } else { "" };
        let fast = bytes(one.fast_bytes as f64);
        match one.rest_ns {
            0 => format!("{least}{fast} without a rest"),
            _ => format!("{least}{fast} after {}", rest(one)),
        }
    };
    let parts: Vec<String> = of_level.iter().filter(|one| one.is_shown()).map(part).collect();
    let full = bytes(of_level[0].filled_bytes as f64);
    let level = of_level[0].filled_percent;
    let text =
        format!("At a level of {level} %, with {full} full, it writes fast again for {}.", parts.join(", "));
    (!parts.is_empty()).then_some(text)
}

/// Rests before which the rate did not fall.
fn not_full(of_level: &[RecoveryFindings]) -> Option<String> {
    let rests: Vec<String> = of_level.iter().filter(|one| !one.is_shown()).map(rest).collect();
    let text = format!(
        "At a level of {} %, what is fast again after {} is not shown: the rate did not fall before it, so that the \
         cache was not full.",
        of_level[0].filled_percent,
        rests.join(", ")
    );
    (!rests.is_empty()).then_some(text)
}

/// Rests before which less was fast than the drive can write fast at this level.
fn not_empty(of_level: &[RecoveryFindings]) -> Option<String> {
    let seen = of_level.iter().map(|one| one.fast_bytes.max(one.filling_fast_bytes.unwrap_or(0)));
    let most = seen.max().unwrap_or(0) as f64;
    let is_less = |one: &&RecoveryFindings| {
        one.filling_fast_bytes.is_some_and(|fast| (fast as f64) < most * EMPTY_SHARE)
    };
    let rests: Vec<String> = of_level.iter().filter(is_less).map(rest).collect();
    let text = format!(
        "At a level of {} %, the cache was not empty when it was filled before {}: less of that was fast than at other \
         times, and another order of --rests may show other figures.",
        of_level[0].filled_percent,
        rests.join(", ")
    );
    (!rests.is_empty()).then_some(text)
}

/// Such as "a rest of 10 s", or "no rest".
fn rest(one: &RecoveryFindings) -> String {
    let words = rest_in_words(one.rest_ns as f64 / 1e9);
    if one.rest_ns == 0 { words } else { format!("a rest of {words}") }
}
