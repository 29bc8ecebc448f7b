//! What tests in rounds come to, in sentences.

use drivelab_block::{ByteCount, Nanos};
use drivelab_view::format::{block_size, capitalised, count, long_time, nanos, rate, things};
use drivelab_view::{About, Tone, Verdict};

use super::Pts;
use super::findings::{PtsFindings, PtsTestFindings};
use super::plan::PtsSeries;
use super::rehearsal::rehearse;
use super::running::SATURATION_PASSES;
use super::settings::{PtsPrecondition, PtsTest};
use crate::{ComparedResult, PlannedTime};

/// What figures over several rounds are.
pub(super) const OVER_ROUNDS: &str = "Over rounds, rates and mean times are means, p50 is the median, higher percentiles and \
                                      maxima are the worst.";

/// How cells are named.
pub(super) const NAMES: &str =
    "Cells are named by order, block, reads/writes of a hundred, and threads x I/Os in flight.";

/// What is claimed, and what is not.
const STYLE: &str =
    "The rounds are in the style of SNIA's Performance Test Specification; conformance is not claimed.";

/// What is said instead where the specification was left.
const ONE_PASS: &str = "The rounds are in the style of SNIA's Performance Test Specification, and do not conform to it: the \
                        drive was preconditioned by one pass (--precondition one-pass), where the specification writes it \
                        twice in sequence.";

pub(super) fn verdict(one: &ComparedResult<'_, Pts>) -> Verdict {
    let found = &one.findings;
    let is_whole = !found.tests.is_empty() && found.tests.iter().all(|test| test.whole);
    let unsteady: Vec<&str> =
        found.tests.iter().filter(|test| test.steady == Some(false)).map(|test| test.test.title()).collect();
    let is_judged = found.tests.iter().any(|test| test.steady.is_some());
    let (tone, mark) = match (is_whole, is_judged, unsteady.is_empty()) {
        (false, ..) => (Tone::Undecided, "Ended early"),
        (true, false, _) => (Tone::Neutral, "Measured"),
        (true, true, true) => (Tone::Good, "Steady"),
        (true, true, false) => (Tone::Undecided, "Not steady"),
    };
    let (about, sentence) = answer(found);
    let mut verdict = Verdict::on(one.place, tone, mark, sentence).about(about);
    if !unsteady.is_empty() {
        let text = format!("No steady state was reached in {}.", unsteady.join("; "));
        verdict.details.push(text);
    }
    let style = match one.settings.precondition {
        PtsPrecondition::FillTwice => STYLE,
        PtsPrecondition::OnePass => ONE_PASS,
    };
    verdict.details.push(style.to_owned());
    verdict
}

fn answer(found: &PtsFindings) -> (About, String) {
    let parts: Vec<String> = [iops(found), throughput(found), latency(found)].into_iter().flatten().collect();
    if parts.is_empty() {
        let measured = found.tests.iter().filter(|test| test.cells.iter().any(|cell| cell.result.is_some()));
        let names: Vec<&str> = measured.map(|test| test.test.title()).collect();
        if !names.is_empty() {
            return (About::Findings, format!("Measured: {}.", names.join("; ")));
        }
        let when = if found.tests.is_empty() { "before its first round" } else { "in its first round" };
        return (About::Nothing, format!("Nothing was measured: the run ended {when}."));
    }
    (About::Figures, capitalised(&parts.join("; ")) + ".")
}

fn iops(found: &PtsFindings) -> Option<String> {
    let test = found.find(PtsTest::Iops)?;
    let ((block, reads), (_, writes)) = (test.small(100)?, test.small(0)?);
    let (block, reads, writes) = (block_size(block as f64), count(reads.iops), count(writes.iops));
    Some(format!("random reads of {block} run at {reads} IOPS, random writes at {writes} IOPS"))
}

fn throughput(found: &PtsFindings) -> Option<String> {
    let test = found.find(PtsTest::ThroughputLarge)?;
    let (reads, writes) = (test.cells.first()?.result?, test.cells.get(1)?.result?);
    Some(format!(
        "sequential reads of 1024 KiB run at {} MB/s, sequential writes at {} MB/s",
        rate(reads.mb_s),
        rate(writes.mb_s)
    ))
}

fn latency(found: &PtsFindings) -> Option<String> {
    let test = found.find(PtsTest::Latency)?;
    let ((block, reads), (_, writes)) = (test.small(100)?, test.small(0)?);
    let (block, reads, writes) = (block_size(block as f64), nanos(reads.mean_ns), nanos(writes.mean_ns));
    Some(format!("one read of {block} at a time takes {reads} on average, one write {writes}"))
}

/// Whether a test came to its end and was steady.
pub(super) fn state(test: &PtsTestFindings) -> String {
    let rounds = test.rounds();
    let state = match test.steady {
        Some(true) if test.tracked.is_none() => "Preconditioned until steady, each cell once".to_owned(),
        Some(false) if test.tracked.is_none() => {
            "Preconditioned, no steady state was reached, each cell once".to_owned()
        }
        Some(true) => format!("Steady after {rounds} rounds, means of the last five"),
        Some(false) if rounds < 5 => {
            format!("No steady state was reached in {}, means of all", things(rounds as u64, "round"))
        }
        Some(false) => format!("No steady state was reached in {rounds} rounds, means of the last five"),
        None => format!("Means of {} each, the first ones included", things(rounds as u64, "round")),
    };
    if test.whole { state + "." } else { format!("{state}; the test was ended early.") }
}

/// What the time of the tests consists of.
pub(super) fn time(PtsSeries { plan, tests }: &PtsSeries) -> PlannedTime {
    let asked = rehearse(plan, tests);
    let passes = if tests.contains(&PtsTest::Saturation) { SATURATION_PASSES } else { 0 };
    let unpaced = ByteCount::new(asked.preconditioned.get() + passes * plan.range.length().get());
    PlannedTime { timed: asked.most, unpaced, ..PlannedTime::default() }
}

/// What would be done.
pub(super) fn outline(series: &PtsSeries) -> Vec<String> {
    let PtsSeries { plan, tests } = series;
    let asked = rehearse(plan, tests);
    let time = |time: Nanos| long_time(time.as_secs_f64());
    let mut sentences = vec![format!("{} tests in rounds of {} a cell", tests.len(), time(plan.round))];
    let range = format!("bytes {} to {}", plan.range.start.get(), plan.range.end.get());
    sentences.extend(plan.purge.outline(&range).map(|purge| format!("before each, {purge}")));
    if asked.most > Nanos::ZERO {
        let (fewest, most) = (time(asked.fewest), time(asked.most));
        let lasts =
            if fewest == most { fewest } else { format!("{fewest} to {most}, as soon as rounds are steady") };
        let bytes: ByteCount = asked.preconditioned;
        sentences.push(match &plan.one_pass {
            None => format!("{bytes} written in sequence before them, as fast as the drive goes"),
            Some(pass) => format!(
                "{bytes} written before them, as fast as the drive goes: {} each time, but the range twice in sequence \
                 before throughput and cross-stimulus; this does not conform to the specification",
                pass.in_words()
            ),
        });
        sentences.push(format!("cells and idle times for {lasts}; what they write depends on the drive"));
    }
    if tests.contains(&PtsTest::Saturation) {
        sentences.push(format!(
            "saturation writes {} at random at least twice, and on to the round that ends the fourth time",
            plan.range.length()
        ));
    }
    sentences
}
