//! Whether traces can be compared: only loads that were asked for alike, by times that span the same.

use drivelab_view::{Ranking, times_as_fast};

use super::JudgedTrace;
use crate::trace::{TraceFindings, TraceSpan};

/// Why the figures of traces are not ranked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NotComparable {
    DifferentLoads,
    DifferentSpans,
    Failed,
}

impl NotComparable {
    fn in_words(self) -> &'static str {
        match self {
            NotComparable::DifferentLoads => {
                "The traces are of different loads: no value is marked as the best."
            }
            NotComparable::DifferentSpans => {
                "The times of the traces do not span the same (D2C, Q2C): no value is marked as the best."
            }
            NotComparable::Failed => "I/Os of the traces failed: no value is marked as the best.",
        }
    }
}

/// Whether these can be compared, and why not.
fn comparable(shown: &[JudgedTrace<'_>]) -> Result<(), NotComparable> {
    let is_alike = |one: &JudgedTrace<'_>, other: &JudgedTrace<'_>| {
        let moved = |of: &TraceFindings| (of.requests.clone(), of.bytes.clone());
        one.report.asked == other.report.asked && moved(&one.found) == moved(&other.found)
    };
    if shown.windows(2).any(|pair| !is_alike(&pair[0], &pair[1])) {
        return Err(NotComparable::DifferentLoads);
    }
    let spans = || shown.iter().map(|one| one.found.measured).filter(|span| *span != TraceSpan::Nothing);
    if spans().any(|span| span == TraceSpan::Mixed || Some(span) != spans().next()) {
        return Err(NotComparable::DifferentSpans);
    }
    if shown.iter().any(|one| one.found.failed > 0) {
        return Err(NotComparable::Failed);
    }
    Ok(())
}

/// Whether a figure of these can be the best.
pub(super) fn ranking(shown: &[JudgedTrace<'_>]) -> Ranking {
    match comparable(shown) {
        Err(why) if shown.len() > 1 => Ranking::NotRanked(why.in_words().to_owned()),
        _ => Ranking::Ranked,
    }
}

/// Which trace had its answers faster, where several hold the same requests, as a trace and its replays do.
pub(super) fn faster(shown: &[JudgedTrace<'_>]) -> Option<String> {
    comparable(shown).ok()?;
    let mean = |found: &TraceFindings| found.service_ns.all.as_ref().map(|service| service.mean);
    let rates = shown.iter().filter_map(|one| Some((1.0 / mean(&one.found)?, one.found.trace.as_str())));
    times_as_fast("the mean service time of these requests", rates)
}
