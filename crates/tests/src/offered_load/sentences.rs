//! What tests at offered loads found, in words.

use drivelab_view::format::{capitalised, nanos, rate};
use drivelab_view::{Tone, Verdict};

use super::{OfferedFindings, OfferedLoad, OfferedLoadFindings, Schedule};
use crate::Kept;

/// Rates that differ by less than this factor are alike.
const ALIKE: f64 = 1.05;

/// The verdict of one test.
pub(super) fn verdict(subject: usize, kept: &Kept<OfferedLoad>) -> Verdict {
    let found = &kept.findings;
    let what = capitalised(&kept.settings.operation.to_string());
    let limit = kept.settings.limit_ns.map(|limit| within(found, limit));
    let mark = match (&limit, found.loads.is_empty()) {
        (_, true) => "Not shown",
        (Some(limit), false) => limit.mark,
        (None, false) => "Measured",
    };
    let answer = limit.map(|limit| limit.sentence + " ").unwrap_or_default()
        + &times(found, &what, kept.settings.queue_depth);
    let mut verdict = Verdict::on(subject, Tone::Neutral, mark, answer);
    verdict.details.extend(beyond_peak(found));
    verdict.details.extend(below_peak(found));
    verdict.details.extend(late(found));
    verdict
}

/// What is said of a limit.
struct Within {
    mark: &'static str,
    sentence: String,
}

fn within(found: &OfferedLoadFindings, limit_ns: u64) -> Within {
    let limit = nanos(limit_ns as f64);
    let (mark, sentence) = match (found.within_limit_percent, found.beyond_limit_percent) {
        (Some(within), Some(beyond)) => (
            "Within the limit up to a load",
            format!(
                "The p99 response time is within {limit} up to {within} % of the peak, and beyond it at {beyond} %."
            ),
        ),
        (Some(within), None) => (
            "Within the limit",
            format!("The p99 response time is within {limit} at all loads, up to {within} % of the peak."),
        ),
        (None, Some(beyond)) => (
            "Beyond the limit",
            format!("The p99 response time is beyond {limit} at {beyond} % of the peak already."),
        ),
        (None, None) => {
            ("Not shown", format!("Whether the p99 response time is within {limit} is not shown."))
        }
    };
    Within { mark, sentence }
}

/// The response times at the lowest and at the highest load.
fn times(found: &OfferedLoadFindings, what: &str, in_flight: u32) -> String {
    let Some(peak) = found.peak_iops else {
        return "The peak was not measured: the test ended before.".to_owned();
    };
    let peak = format!("{what} run at {} IOPS with {in_flight} in flight", rate(peak));
    let p99 = |one: &OfferedFindings| {
        let p99 = one.response_ns.as_ref()?.p99;
        Some(format!("{} at {} % of that", nanos(p99 as f64), one.percent))
    };
    let offered = found.loads.iter().filter(|one| one.schedule != Schedule::MachineLate);
    let known: Vec<String> = offered.filter_map(p99).collect();
    match known.as_slice() {
        [] => format!("{peak}."),
        [one] => format!("{peak}; the p99 response time is {one}."),
        [first, .., last] => format!("{peak}; the p99 response time is {first} and {last}."),
    }
}

/// Whether the drive answers more than the peak that was measured.
fn beyond_peak(found: &OfferedLoadFindings) -> Option<String> {
    let peak = found.peak_iops?;
    let most = found.loads.iter().map(|one| one.answered_iops).fold(0.0, f64::max);
    (most > ALIKE * peak).then(|| {
        format!(
            "The drive answered {} IOPS with more in flight: the peak is that of --queue-depth alone.",
            rate(most)
        )
    })
}

/// Whether the drive answers less than was offered below the peak, which it then does not keep up.
fn below_peak(found: &OfferedLoadFindings) -> Option<String> {
    let is_below = |one: &&OfferedFindings| {
        one.schedule == Schedule::Overloaded && one.answered_iops * ALIKE < one.offered_iops
    };
    let least = found.loads.iter().filter(|one| one.percent < 100.0).filter(is_below);
    let least = least.min_by(|one, other| one.percent.total_cmp(&other.percent))?;
    Some(format!(
        "At {} % of the peak the drive answered {} of {} IOPS: the peak is not one that lasts. --precondition and a longer \
         --cell-duration measure one that does.",
        least.percent,
        rate(least.answered_iops),
        rate(least.offered_iops)
    ))
}

/// Which loads the machine could not offer.
fn late(found: &OfferedLoadFindings) -> Option<String> {
    let late = found.loads.iter().filter(|one| one.schedule == Schedule::MachineLate);
    let late: Vec<String> = late.map(|one| format!("{} %", one.percent)).collect();
    (!late.is_empty()).then(|| {
        format!(
            "The machine could not offer {}: I/Os were sent late although the drive could have taken them. Their times say \
             nothing of the drive.",
            late.join(", ")
        )
    })
}
