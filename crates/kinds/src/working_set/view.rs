//! What is shown of tests of working sets.

use std::collections::BTreeSet;

use drivelab_block::Nanos;
use drivelab_view::chart::{Axis, Scale, Series, Shape, Size, Ticks};
use drivelab_view::format::{by_number, long_time, percent, rate};
use drivelab_view::{About, Block, Cell, Chart, Columns, Quantity, Section, Table, Tone, Verdict, View};

use super::findings::{LASTED_MIN_NS, READS_MIN};
use super::plan::{phase_of, size};
use super::{FallFindings, PartFindings, WorkingSet, WorkingSetFindings};
use crate::ios::LatencyFindings;
use crate::kind::LatencyValue;
use crate::shown::{listed, together};
use crate::{ComparedResult, Comparison, StoredResult, shown, throttled};

pub(super) fn view(results: &Comparison<'_, WorkingSet>) -> View {
    let mut head: Vec<Block> = shown::comparison(results, compared).into_iter().collect();
    head.extend(shown::verdicts(results, verdict));
    let mut sections = vec![Section::summary(None, head)];
    let charts = [iops(results), p99(results)].into_iter().filter(|chart| !chart.is_empty());
    let blocks: Vec<Block> = charts.map(Block::Chart).chain([Block::Table(table(results))]).collect();
    if results.iter().any(|one| !one.findings.parts.is_empty()) {
        sections.push(Section::summary(Some("Reads by working set"), blocks));
    }
    shown::view(results, sections)
}

fn chart(
    id: &str,
    title: &str,
    up: Axis,
    results: &Comparison<'_, WorkingSet>,
    of: fn(&PartFindings) -> Option<f64>,
) -> Chart {
    let parts: BTreeSet<u64> =
        results.iter().flat_map(|one| one.findings.judged()).map(|part| part.bytes).collect();
    let mut across = Axis::new("Part that is read", Quantity::BlockSize, Scale::Log);
    across.ticks = Ticks::Named(parts.into_iter().map(|part| (part as f64, size(part))).collect());
    let mut chart = Chart::new(id, title, vec![across], up);
    chart.size = Size::Small;
    for one in results.iter() {
        let parts = one.findings.judged().into_iter();
        let points = parts.filter_map(|part| Some((part.bytes as f64, of(part)?)));
        let series = Series::of_points("Random reads", one.place, Shape::DottedLine, points);
        chart.series.push(series);
    }
    chart
}

fn iops(results: &Comparison<'_, WorkingSet>) -> Chart {
    let up = Axis::new("IOPS", Quantity::Iops, Scale::LogOrLinear);
    chart("iops-by-working-set", "Rate by the part that is read", up, results, |part| Some(part.iops))
}

fn p99(results: &Comparison<'_, WorkingSet>) -> Chart {
    let up = Axis::new("Service time, p99", Quantity::Nanoseconds, Scale::LogOrLinear);
    let p99 = |part: &PartFindings| Some(part.service_ns.as_ref()?.p99 as f64);
    chart("p99-by-working-set", "p99 by the part that is read", up, results, p99)
}

fn table(results: &Comparison<'_, WorkingSet>) -> Table {
    let times: [(&str, LatencyValue); 5] = [
        ("mean", LatencyFindings::mean_value),
        ("p50", |times| times.percentile_value(times.p50)),
        ("p99", |times| times.percentile_value(times.p99)),
        ("p99.9", |times| times.percentile_value(times.p99_9)),
        ("max", LatencyFindings::max_value),
    ];
    let mut columns = Columns::<PartFindings>::new().with("IOPS", Quantity::Iops, |part| {
        if part.is_judged() { Cell::number(Quantity::Iops, Some(part.iops)) } else { Cell::text("not shown") }
    });
    for (head, of) in times {
        columns = columns.with(head, Quantity::Nanoseconds, move |part| {
            part.service_ns.as_ref().filter(|_| part.is_judged()).map(of)
        });
    }
    results.table(&columns, "parts", "Part", |found| &found.parts, |part| size(part.bytes))
}

pub(super) fn verdict(kept: &ComparedResult<'_, WorkingSet>) -> Verdict {
    let about = match (kept.findings.parts.is_empty(), kept.findings.judged().is_empty()) {
        (true, _) => About::Nothing,
        (false, true) => About::Findings,
        (false, false) => About::Figures,
    };
    let mut verdict = Verdict::on(kept.place, Tone::Neutral, mark(kept), sentence(kept)).about(about);
    let fails = kept.lapses().is_some_and(|lapses| !lapses.failed.is_empty());
    verdict.details.extend(too_short(&kept.findings, fails));
    if !kept.settings.fill && !kept.run.drive.simulated {
        let text = "The drive was not filled before (--precondition fill): what was never written, or was trimmed, is read \
                    without its flash.";
        verdict.details.push(text.to_owned());
    }
    verdict
}

/// The parts that were read while the drive throttled, whose rates are those of its heat.
pub(super) fn hot(kept: &StoredResult<WorkingSet>) -> Vec<&PartFindings> {
    // Results that were made before have the phase by its bytes.
    let phases = |part: &PartFindings| [phase_of(part.bytes), format!("reads of {} bytes", part.bytes)];
    let is_hot =
        |part: &&PartFindings| phases(part).iter().any(|phase| throttled::may_have_slowed(kept, phase));
    kept.findings.judged().into_iter().filter(is_hot).collect()
}

fn mark(kept: &StoredResult<WorkingSet>) -> &'static str {
    match Fall::from_kept(kept) {
        Fall::Throttled | Fall::NotShown => "Not shown",
        Fall::Beyond(_) => "Falls",
        Fall::Nowhere => "No fall",
    }
}

fn sentence(kept: &StoredResult<WorkingSet>) -> String {
    let found = &kept.findings;
    if found.parts.is_empty() {
        return "Nothing was read: the test ended before its first part was.".to_owned();
    }
    let judged = found.judged();
    let (first, last) = match judged.as_slice() {
        [] => return "Whether the rate falls as the part that is read grows is not shown.".to_owned(),
        [one] => {
            return format!(
                "Random reads run at {}: how the rate changes with the part that is read is not shown.",
                over(one)
            );
        }
        [first, .., last] => (*first, *last),
    };
    let hot: Vec<String> = hot(kept).into_iter().map(|part| size(part.bytes)).collect();
    if !hot.is_empty() {
        return format!(
            "Random reads run at {} and at {}. Whether the rate falls as the part that is read grows is not shown: the drive \
             throttled while it read {}. A cooler drive shows it, or a shorter --cell-duration.",
            over(first),
            over(last),
            listed(&hot)
        );
    }
    let Some(fall) = found.fall else {
        return format!(
            "Random reads run at {} and at {}: the rate does not fall by a tenth as the part that is read grows.",
            over(first),
            over(last)
        );
    };
    format!(
        "Random reads run at {}, and fall as the part that is read grows beyond {} (seen at {}): over {} they run at {} IOPS, {} \
         of the highest rate.",
        over(first),
        size(fall.after_bytes),
        size(fall.from_bytes),
        size(last.bytes),
        rate(last.iops),
        percent(fall.whole_to_best)
    )
}

/// A rate and its part.
fn over(part: &PartFindings) -> String {
    format!("{} IOPS over {}", rate(part.iops), size(part.bytes))
}

/// Which parts were read too briefly to be judged, and what to type.
fn too_short(found: &WorkingSetFindings, fails: bool) -> Option<String> {
    // More time brings no answer of a drive that fails.
    let is_short = |part: &&PartFindings| !(part.is_judged() || fails && part.reads == 0);
    let short: Vec<&PartFindings> = found.parts.iter().filter(is_short).collect();
    let sizes: Vec<String> = short.iter().map(|part| size(part.bytes)).collect();
    let needed = short.iter().map(|part| needed_s(part)).reduce(f64::max)?;
    Some(format!(
        "The {} of {} {} not shown: {} read for too short a time. A part is judged by at least {READS_MIN} reads in at least {}: \
         write --cell-duration {} or more.",
        by_number(short.len() as u64, "rate", "rates"),
        listed(&sizes),
        by_number(short.len() as u64, "is", "are"),
        by_number(short.len() as u64, "it was", "they were"),
        long_time(Nanos::new(LASTED_MIN_NS).as_secs_f64()),
        typed_duration(needed)
    ))
}

/// How long a part has to be read, in seconds: twice as long as its reads need at the rate that was seen, and the default where
/// nothing was.
fn needed_s(part: &PartFindings) -> f64 {
    let of_reads = if part.iops > 0.0 { 2.0 * READS_MIN as f64 / part.iops } else { 10.0 };
    of_reads.max(1.0)
}

/// A duration as it is typed, in seconds, rounded up to one, two or five times a power of ten.
fn typed_duration(seconds: f64) -> String {
    let power = 10f64.powf(seconds.log10().floor());
    let rounded = [1.0, 2.0, 5.0, 10.0].map(|factor| factor * power);
    let long_enough = rounded.into_iter().find(|duration| *duration >= seconds * 0.999).unwrap_or(seconds);
    format!("{long_enough}s")
}

/// The rates over the largest part that all have, and where each of them falls.
pub(super) fn compared(results: &Comparison<'_, WorkingSet>) -> String {
    let falls = |results: &[&ComparedResult<'_, WorkingSet>]| {
        together(results.iter().map(|one| (one.label().to_owned(), Fall::from_kept(one))), Fall::said)
    };
    let sizes = |found: &WorkingSetFindings| found.judged().iter().map(|part| part.bytes).collect();
    let Some(common) = results.greatest_common(sizes) else {
        return format!("{}. {}", falls(&results.iter().collect::<Vec<_>>()), no_common(results));
    };
    let iops =
        |one: &ComparedResult<'_, WorkingSet>| part_of(&one.findings, common).map_or(0.0, |part| part.iops);
    let results = results.best_first(iops);
    let rates: Vec<String> =
        results.iter().map(|one| format!("at {} IOPS on {}", rate(iops(one)), one.label())).collect();
    format!(
        "Over {}, the largest part that was read of all of them, random reads run {}. {}.",
        size(common),
        listed(&rates),
        falls(&results)
    )
}

fn part_of(found: &WorkingSetFindings, bytes: u64) -> Option<&PartFindings> {
    found.judged().into_iter().find(|part| part.bytes == bytes)
}

/// Why the rates are not compared, and what to type: a range that is as large as the smallest one gives the same parts.
fn no_common(results: &Comparison<'_, WorkingSet>) -> String {
    let text = "No part was read of all of them, so that their rates are not compared";
    let whole = |one: &ComparedResult<'_, WorkingSet>| one.findings.judged().last().map(|part| part.bytes);
    let wholes: Option<Vec<u64>> = results.iter().map(whole).collect();
    let range = wholes
        .and_then(|wholes| wholes.into_iter().min())
        .map(|bytes| format!(": --range 0B-{} gives each of them the same parts", typed_size(bytes)));
    format!("{text}{}.", range.unwrap_or_default())
}

/// A size as it is typed.
fn typed_size(bytes: u64) -> String {
    const UNITS: [(u64, &str); 2] = [(1 << 30, "GiB"), (1 << 20, "MiB")];
    let whole = UNITS.into_iter().find(|(unit, _)| bytes.is_multiple_of(*unit));
    whole.map_or_else(|| format!("{bytes}B"), |(unit, name)| format!("{}{name}", bytes / unit))
}

/// Where the rate of one drive falls.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fall {
    /// It throttled, so that this is not known.
    Throttled,
    /// There are too few rates.
    NotShown,
    /// It reads parts slower that are larger than this, in bytes.
    Beyond(u64),
    Nowhere,
}

impl Fall {
    fn from_kept(kept: &StoredResult<WorkingSet>) -> Fall {
        let found = &kept.findings;
        match (found.judged().len(), found.fall) {
            _ if !hot(kept).is_empty() => Fall::Throttled,
            (..2, _) => Fall::NotShown,
            (_, Some(FallFindings { after_bytes, .. })) => Fall::Beyond(after_bytes),
            (_, None) => Fall::Nowhere,
        }
    }

    /// The clause behind the names of a number of drives.
    fn said(&self, drives: u64) -> String {
        let (show, rate) = (
            by_number(drives, "does not show", "do not show"),
            by_number(drives, "its rate falls", "their rates fall"),
        );
        let read = by_number(drives, "reads", "read");
        match self {
            Fall::Throttled => format!("throttled, and {show} whether {rate}"),
            Fall::NotShown => format!("{show} whether {rate}"),
            Fall::Beyond(bytes) => format!("{read} slower beyond {}", size(*bytes)),
            Fall::Nowhere => format!("{read} no larger part slower by a tenth"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_duration_to_type_is_long_enough() {
        assert_eq!(
            [0.8, 1.0, 1.2, 4.0, 8.0, 40.0].map(typed_duration),
            ["1s", "1s", "2s", "5s", "10s", "50s"]
        );
        let part = |reads, lasted_ns, iops| PartFindings {
            bytes: 1 << 30,
            reads,
            lasted_ns,
            iops,
            service_ns: None,
        };
        let found = |part| WorkingSetFindings { parts: vec![part], ..WorkingSetFindings::default() };
        let disk = too_short(&found(part(200, 2_000_000_000, 100.0)), false).expect("too few reads");
        assert!(disk.contains("--cell-duration 10s"), "{disk}");
        assert_eq!(too_short(&found(part(READS_MIN, LASTED_MIN_NS, 4_000.0)), false), None);
    }
}
