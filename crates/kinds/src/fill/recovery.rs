//! What was fast again after rests, in words.

use drivelab_view::format::{bytes, long_time};

use super::RecoveryFindings;
use crate::shown::listed;

/// A cache of which less than this share was fast while it was filled was not empty before.
const EMPTY_SHARE: f64 = 0.8;

/// What is known of the other phases of a fill.
#[derive(Clone, Copy, Debug)]
pub(super) struct Circumstances {
    /// What was fast before the rate fell in the fill itself, which began with an empty cache, in bytes.
    pub first_fast_bytes: Option<u64>,
    /// Whether the drive throttled while recovery was measured.
    pub is_hot: bool,
}

/// What was fast again after the rests at one level, and which of them began with a cache that was not as the others found it.
pub(super) fn of_level(of_level: &[RecoveryFindings], circumstances: Circumstances) -> Vec<String> {
    let not_empty = not_empty(of_level, circumstances);
    [recovered(of_level), not_full(of_level, circumstances), not_empty].into_iter().flatten().collect()
}

fn recovered(of_level: &[RecoveryFindings]) -> Option<String> {
    let part = |one: &RecoveryFindings| {
        let least = if one.at_least { "at least " } else { "" };
        format!("{least}{} {}", bytes(one.fast_bytes as f64), when(one))
    };
    let parts: Vec<String> = of_level.iter().filter(|one| one.is_shown()).map(part).collect();
    let full = bytes(of_level[0].filled_bytes as f64);
    let level = of_level[0].filled_percent;
    let text =
        format!("At a level of {level} %, with {full} full, it writes fast again for {}.", listed(&parts));
    (!parts.is_empty()).then_some(text)
}

/// Rests before which the rate did not fall.
fn not_full(of_level: &[RecoveryFindings], circumstances: Circumstances) -> Option<String> {
    let rests: Vec<String> = of_level.iter().filter(|one| !one.is_shown()).map(when).collect();
    let why = if circumstances.is_hot {
        "; the drive throttled, which hides where the cache is full"
    } else {
        ", so that the cache was not full"
    };
    let text = format!(
        "At a level of {} %, what is fast again {} is not shown: the rate did not fall before it{why}.",
        of_level[0].filled_percent,
        listed(&rests)
    );
    (!rests.is_empty()).then_some(text)
}

/// Rests before which less was fast than the drive can write fast at this level. Of a drive that throttles, the heat may be why.
fn not_empty(of_level: &[RecoveryFindings], circumstances: Circumstances) -> Option<String> {
    let seen = of_level.iter().map(|one| one.fast_bytes.max(one.filling_fast_bytes.unwrap_or(0)));
    // With more full, a cache may be smaller than that of the empty drive.
    let of_fill = circumstances.first_fast_bytes.filter(|_| of_level[0].filled_percent < 1.0);
    let most = seen.chain(of_fill).max().unwrap_or(0) as f64;
    let is_less = |one: &&RecoveryFindings| {
        one.filling_fast_bytes.is_some_and(|fast| (fast as f64) < most * EMPTY_SHARE)
    };
    let rests: Vec<String> = of_level.iter().filter(is_less).map(when).collect();
    let text = format!(
        "At a level of {} %, the cache was not empty when it was filled for the writes {}: less of that was fast than at other \
         times, and another order of --rests may show other figures.",
        of_level[0].filled_percent,
        listed(&rests)
    );
    (!rests.is_empty() && !circumstances.is_hot).then_some(text)
}

/// Such as "after a rest of 10 s".
fn when(one: &RecoveryFindings) -> String {
    match one.rest_ns {
        0 => "without a rest".to_owned(),
        rest => format!("after a rest of {}", long_time(rest as f64 / 1e9)),
    }
}
