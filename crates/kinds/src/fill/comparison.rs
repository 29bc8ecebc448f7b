//! What fills of several drives found, in a sentence.

use drivelab_view::format::{bytes, rate};

use super::Fill;
use crate::{ComparedResult, Comparison};

/// How far each drive is fast.
pub(super) fn compared(results: &Comparison<'_, Fill>) -> String {
    let results = results.best_first(fast_bytes);
    format!("{}.", results.into_iter().map(in_short).collect::<Vec<_>>().join("; "))
}

/// How far a drive is fast, in bytes: without a fall as far as it was written.
fn fast_bytes(one: &ComparedResult<'_, Fill>) -> f64 {
    let found = &one.findings;
    let whole = (found.plateaus.len() == 1).then_some(found.written_bytes);
    found.first_fall().map(|fall| fall.at_bytes).or(whole).unwrap_or(0) as f64
}

fn in_short(one: &ComparedResult<'_, Fill>) -> String {
    let (label, found) = (one.label(), &one.findings);
    if one.withheld().is_some() {
        return format!("{label} has no figures");
    }
    let written = bytes(found.written_bytes as f64);
    let at = |mb_s: f64| format!("{} MB/s", rate(mb_s));
    match (found.first_fall(), found.plateaus.as_slice()) {
        (_, []) => format!("{label} shows no plateau"),
        (Some(fall), [first, second, ..]) => format!(
            "{label} is fast for {} of {written} ({}, then {})",
            bytes(fall.at_bytes as f64),
            at(first.mean_mb_s),
            at(second.mean_mb_s)
        ),
        (_, [only]) => format!("{label} is equally fast over all {written} ({})", at(only.mean_mb_s)),
        (_, [first, second, ..]) => {
            format!(
                "{label} becomes faster after {} ({}, then {})",
                bytes(first.to_bytes as f64),
                at(first.mean_mb_s),
                at(second.mean_mb_s)
            )
        }
    }
}
