//! Whether a drive is consistent, in words.

use drivelab_analysis::{Mode, ROUNDS_NEEDED};
use drivelab_view::format::{bytes, nanos, percent, rate, seconds, things};
use drivelab_view::{Tone, Verdict};

use super::{Consistency, ConsistencyPrecondition};
use crate::ios::{self, MeasuredPhase};
use crate::{Ended, Kept};

/// The share of seconds within 10 % of their median from which on a steady drive is called consistent: a convention of this test.
const EVEN: f64 = 0.9;

/// The answer for one result.
pub(super) fn verdict(subject: usize, kept: &Kept<Consistency>) -> Verdict {
    let nothing = |sentence: String| Verdict::on(subject, Tone::Neutral, "No figures", sentence);
    let Some(measured) = ios::measured(kept) else { return nothing("There are no records.".to_owned()) };
    let ended = kept.ended();
    if let Some(why) = ios::no_figures(&kept.findings, &measured, ended) {
        return nothing(why);
    }
    if !measured.has_rate() {
        let (ios, lasted) = (things(measured.completed(), "I/O"), nanos(measured.duration.get() as f64));
        return nothing(format!("Too short for figures of whole seconds: {ios} succeeded in {lasted}."));
    }
    let part = measured.figures.steady_part;
    if !part.reached {
        let mark = if part.is_too_short() { "Not shown" } else { "Not steady" };
        let mut verdict = Verdict::on(subject, Tone::Undecided, mark, ios::steady_in_words(&measured, ended));
        if part.is_too_short() {
            verdict.details.push(least_time(&measured));
        } else if is_one_pass(kept) {
            let text = "One-pass preconditioning did not bring the drive to its steady state in this time: a longer \
                        --duration, its true over-provisioning (one-pass:PERCENT), or --precondition fill may.";
            verdict.details.push(text.to_owned());
        }
        verdict.details.extend(latency(&measured));
        return verdict;
    }
    let is_even = measured.figures.steady.evenness.near_median_share >= EVEN;
    let (tone, mark) = if is_even { (Tone::Good, "Consistent") } else { (Tone::Bad, "Steady, uneven") };
    let mut verdict = Verdict::on(subject, tone, mark, settles(&measured));
    verdict.details.push(if is_one_pass(kept) {
        after_one_pass(&measured)
    } else {
        course(&measured, ended)
    });
    verdict.details.extend(latency(&measured));
    verdict
}

/// How long a run has to be for its steady state to be judged.
fn least_time(measured: &MeasuredPhase<'_>) -> String {
    let window_s = measured.figures.steady_part.round_s as f64;
    let before_s = measured.cliff().map_or(0.0, |cliff| cliff.at_s as f64);
    let least = before_s + ROUNDS_NEEDED as f64 * window_s;
    let after = if before_s > 0.0 { " after the cliff" } else { "" };
    format!(
        "The run was too short to judge whether there is a steady state: that takes {ROUNDS_NEEDED} windows of {}{after}, at \
         least {} in all (--duration {least:.0}s), or shorter windows (--window).",
        seconds(window_s),
        seconds(least)
    )
}

/// What the drive comes to in the long run.
fn settles(measured: &MeasuredPhase<'_>) -> String {
    let (steady, part) = (&measured.figures.steady, measured.figures.steady_part);
    format!(
        "Random writes run at {} IOPS from {} on, with {} of the seconds within 10 % of the median; {}the slowest second has {} \
         IOPS.",
        rate(steady.mean),
        seconds(part.from_s as f64),
        percent(steady.evenness.near_median_share),
        steady.evenness.modes.map_or_else(String::new, in_two_modes),
        rate(steady.min)
    )
}

/// That the seconds are of two kinds.
fn in_two_modes([slow, fast]: [Mode; 2]) -> String {
    format!(
        "they alternate between two rates, {} IOPS in {} of the seconds and {} IOPS in {}; ",
        rate(slow.mean),
        percent(slow.share),
        rate(fast.mean),
        percent(fast.share)
    )
}

fn is_one_pass(kept: &Kept<Consistency>) -> bool {
    kept.settings.precondition == ConsistencyPrecondition::OnePass
}

/// How a drive came there that begins in its steady state: a cliff is what one pass is to have left behind.
fn after_one_pass(measured: &MeasuredPhase<'_>) -> String {
    match measured.cliff() {
        Some(cliff) => format!(
            "One-pass preconditioning left free blocks: there is a cliff after {} written, at {}. The drive has more \
             over-provisioning than the pass began from; give it (--precondition one-pass:PERCENT).",
            bytes(cliff.written_bytes as f64),
            seconds(cliff.at_s as f64)
        ),
        None => {
            "The drive was preconditioned by one pass, so that neither the fresh drive nor its cliff is seen."
                .to_owned()
        }
    }
}

/// How the drive came there.
fn course(measured: &MeasuredPhase<'_>, ended: Ended) -> String {
    let fresh = measured.figures.fresh.iops;
    match measured.cliff() {
        Some(cliff) => format!(
            "The fresh drive begins at {} IOPS; the cliff comes after {} written, at {}.",
            rate(fresh),
            bytes(cliff.written_bytes as f64),
            seconds(cliff.at_s as f64)
        ),
        None if fresh > 0.0 => {
            format!("The drive begins at {} IOPS; {}.", rate(fresh), ios::cliff_in_words(measured, ended))
        }
        None => format!("There is {}.", ios::cliff_in_words(measured, ended)),
    }
}

fn latency(measured: &MeasuredPhase<'_>) -> Option<String> {
    let service = measured.service();
    let (p99, max) = (service.quantile(0.99)?, service.moments().max()?);
    Some(format!(
        "Over the whole run, 99 % of the writes take at most {}, the longest takes {}.",
        nanos(p99 as f64),
        nanos(max as f64)
    ))
}
