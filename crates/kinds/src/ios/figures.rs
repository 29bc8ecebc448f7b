//! Figures of I/Os, with a value for each result.

use drivelab_stats::{Distribution, FEW_BEYOND, RateFigures, is_lower_bound};
use drivelab_view::format::{count as count_in_words, long_time, seconds};
use drivelab_view::{Better, Cell, Figures, Quantity, Value};

use super::words::{cliff_in_words, judged_part};
use super::{IoFindings, MeasuredPhase, RecordedKind, SimulationFindings, measured};
use crate::{Ended, StoredResult};

/// Runs whose lengths differ by more than this share did not last the same time.
const SAME_TIME: f64 = 0.01;
/// The percentiles that are shown.
const QUANTILES: [(&str, f64); 4] = [("p50", 0.5), ("p99", 0.99), ("p99.9", 0.999), ("p99.99", 0.9999)];
/// Those that are shown where enough I/Os lie beyond them.
const RARE: [(&str, f64); 2] = [("p99.999", 0.999_99), ("p99.9999", 0.999_999)];

/// Several results, as far as figures need them.
pub(crate) struct Compared<'a> {
    /// The measured phase, what was found, and how the run ended.
    runs: Vec<(MeasuredPhase<'a>, &'a IoFindings, Ended)>,
}

impl<'a> Compared<'a> {
    /// These results.
    pub fn from_results<K: RecordedKind>(results: &'a [StoredResult<K>]) -> Compared<'a> {
        let run = |kept: &'a StoredResult<K>| Some((measured(kept)?, K::ios(&kept.findings), kept.ended()));
        Compared { runs: results.iter().filter_map(run).collect() }
    }

    fn cells(&self, quantity: Quantity, of: impl Fn(&MeasuredPhase<'a>) -> Option<f64>) -> Vec<Cell> {
        self.runs.iter().map(|(measured, ..)| Cell::number(quantity, of(measured))).collect()
    }

    /// Those with figures of whole seconds.
    fn rated(&self) -> impl Iterator<Item = &MeasuredPhase<'a>> {
        self.runs.iter().map(|(measured, ..)| measured).filter(|measured| measured.has_rate())
    }

    /// Whether the rates of all are those of steady state, so that one can be called the best.
    fn are_steady(&self) -> bool {
        self.rated().all(|measured| measured.figures.steady_part.reached)
    }

    /// Whether latencies of whole runs can be compared: those over the same time. A run that was ended before its cliff has
    /// seen none of the slow part.
    pub fn lasted_alike(&self) -> bool {
        let mut rated = self.rated().map(|measured| measured.duration.as_secs_f64());
        let Some(first) = rated.next() else { return false };
        rated.all(|lasted| (lasted - first).abs() <= SAME_TIME * first)
    }

    /// The part that all are judged by, or that they differ.
    fn judged_parts(&self) -> Result<String, String> {
        let mut parts: Vec<String> = self.rated().map(judged_part).collect();
        parts.dedup();
        match parts.as_slice() {
            [] => Ok("the whole run".to_owned()),
            [part] => Ok(part.clone()),
            _ => Err("the judged part, steady or last of each run".to_owned()),
        }
    }
}

/// The rate of the judged part, and the course of the run.
pub(crate) fn add_rate(figures: &mut Figures, compared: &Compared<'_>) {
    let parts = compared.judged_parts();
    let group = &format!("Rate of {}", parts.as_ref().unwrap_or_else(|differing| differing));
    let are_steady = compared.are_steady();
    // A rate on its way down is none that another could be better than.
    let better = |which: Better| if are_steady { which } else { Better::Neither };
    if parts.is_err() {
        let words = |measured: &MeasuredPhase<'_>| measured.has_rate().then(|| judged_part(measured));
        let cells =
            compared.runs.iter().map(|(measured, ..)| words(measured).map_or(Cell::Nothing, Cell::text));
        figures.add((group, "taken from"), Quantity::Number, Better::Neither, cells.collect());
    }
    let iops = Quantity::Iops;
    let judged = |of: &dyn Fn(&RateFigures) -> Option<f64>, quantity| {
        compared.cells(quantity, |measured| of(&measured.figures.steady).filter(|_| measured.has_rate()))
    };
    let asked = compared.cells(iops, |measured| measured.figures.asked.filter(|_| measured.has_rate()));
    figures.add((group, "asked for by the open loop"), iops, Better::Neither, asked);
    figures.add((group, "mean"), iops, better(Better::High), judged(&|part| Some(part.mean), iops));
    figures.add((group, "standard deviation"), iops, better(Better::Low), judged(&|part| part.stddev, iops));
    let even = |part: &RateFigures| Some(part.mean / part.stddev?).filter(|ratio| ratio.is_finite());
    let number = Quantity::Number;
    figures.add((group, "mean / standard deviation"), number, better(Better::High), judged(&even, number));
    figures.add((group, "slowest second"), iops, better(Better::High), judged(&|part| Some(part.min), iops));
    figures.add((group, &worst_name(compared)), iops, better(Better::High), judged(&|part| part.p01, iops));
    let near = judged(&|part| Some(part.evenness.near_median_share), Quantity::Share);
    figures.add((group, "seconds within 10 % of the median"), Quantity::Share, better(Better::High), near);
    let slow = judged(&|part| Some(part.slow_share), Quantity::Share);
    figures.add((group, "seconds below 10 % of the mean"), Quantity::Share, better(Better::Low), slow);
    add_course(figures, compared);
}

/// The worst 1 %, with the seconds that it is taken from.
fn worst_name(compared: &Compared<'_>) -> String {
    let spans = || compared.rated().map(|measured| measured.figures.steady.p01_seconds);
    match (spans().min(), spans().max()) {
        (Some(least), Some(most)) if least < most => {
            format!("worst 1 % of at most the last {}", seconds(most as f64))
        }
        (_, Some(span)) => format!("worst 1 % of the last {}", seconds(span as f64)),
        _ => "worst 1 %".to_owned(),
    }
}

fn add_course(figures: &mut Figures, compared: &Compared<'_>) {
    const GROUP: &str = "Course of the run";
    if compared.runs.iter().all(|(measured, ..)| measured.is_replay) {
        return;
    }
    let fresh = compared.cells(Quantity::Iops, |measured| {
        Some(measured.figures.fresh.iops).filter(|fresh| measured.has_rate() && *fresh > 0.0)
    });
    figures.add((GROUP, "fresh level"), Quantity::Iops, Better::High, fresh);
    // A run without a cliff is better than any with one, but has no value to compare.
    let all_fell = compared.runs.iter().all(|(measured, ..)| measured.cliff().is_some());
    let better = if all_fell { Better::High } else { Better::Neither };
    let cliffs = compared.runs.iter().map(|(measured, _, ended)| match measured.cliff() {
        Some(cliff) if cliff.written_bytes > 0 => {
            Value::new(Quantity::Bytes, cliff.written_bytes as f64).into()
        }
        Some(_) | None if measured.has_rate() => Cell::text(cliff_in_words(measured, *ended)),
        Some(_) | None => Cell::Nothing,
    });
    figures.add((GROUP, "written until the cliff"), Quantity::Bytes, better, cliffs.collect());
    let steady = compared.runs.iter().map(|(measured, ..)| steady_cell(measured)).collect();
    figures.add((GROUP, "steady from"), Quantity::Seconds, Better::Neither, steady);
}

fn steady_cell(measured: &MeasuredPhase<'_>) -> Cell {
    let part = measured.figures.steady_part;
    match (measured.has_rate(), part.reached) {
        (false, _) => Cell::Nothing,
        (_, true) => Value::new(Quantity::Seconds, part.from_s as f64).into(),
        _ if measured.kept_up() => Cell::text("not judged: the rate is the one asked for"),
        _ if part.is_too_short() => Cell::text("too short to judge"),
        _ if part.drift.is_some() => Cell::text("drifts"),
        _ => Cell::text("not steady"),
    }
}

/// Service and response times of the whole phase.
pub(crate) fn add_latency(figures: &mut Figures, compared: &Compared<'_>) {
    let service = |measured: &MeasuredPhase<'_>| Some(measured.service());
    let has_flushes = |(measured, ..): &(MeasuredPhase<'_>, _, _)| measured.flush_service().is_some();
    // A replay shows the times of each operation.
    let has_flushes = compared.runs.iter().any(|run| has_flushes(run) && !run.0.is_replay);
    if has_flushes {
        let group = "Service time of all but flushes, whole run";
        add_count(figures, compared, group, &service);
        latency_group(figures, compared, group, &service);
        let flushes = |measured: &MeasuredPhase<'_>| measured.flush_service().cloned();
        let group = "Service time of flushes, whole run";
        add_count(figures, compared, group, &flushes);
        latency_group(figures, compared, group, &flushes);
    } else {
        latency_group(figures, compared, "Service time, whole run", &service);
    }
    let response = |measured: &MeasuredPhase<'_>| measured.response();
    latency_group(figures, compared, "Response time (from the schedule), whole run", &response);
}

/// How many times a group of figures is of.
fn add_count(figures: &mut Figures, compared: &Compared<'_>, group: &str, of: OfRun<'_>) {
    let counted = |measured: &MeasuredPhase<'_>| Some(of(measured)?.moments().count() as f64);
    figures.add((group, "I/Os"), Quantity::Count, Better::Neither, compared.cells(Quantity::Count, counted));
}

/// A distribution of a run.
type OfRun<'f> = &'f dyn Fn(&MeasuredPhase<'_>) -> Option<Distribution>;

fn latency_group(figures: &mut Figures, compared: &Compared<'_>, group: &str, of: OfRun<'_>) {
    let low = if compared.lasted_alike() { Better::Low } else { Better::Neither };
    let found: Vec<Option<Distribution>> = compared.runs.iter().map(|(measured, ..)| of(measured)).collect();
    let mut add = |name: &str, of: &dyn Fn(&Distribution) -> Option<Value>| {
        let cell = |run: &Option<Distribution>| run.as_ref().and_then(of).map_or(Cell::Nothing, Cell::Value);
        figures.add((group, name), Quantity::Nanoseconds, low, found.iter().map(cell).collect());
    };
    let time = |nanos: f64| Value::new(Quantity::Nanoseconds, nanos);
    let bounded = |found: &Distribution, nanos: u64| {
        let is_bound = found.shortest_bound().is_some_and(|shortest| is_lower_bound(nanos, shortest));
        time(nanos as f64).at_least_where(is_bound)
    };
    add("mean", &|found| {
        Some(time(found.moments().mean()?).at_least_where(found.shortest_bound().is_some()))
    });
    // How far values scatter is not known to be more or less.
    add("standard deviation", &|found| found.moments().stddev().map(time));
    let is_known = |q: f64| found.iter().flatten().any(|found| found.tail_count(q) >= FEW_BEYOND);
    for (name, q) in QUANTILES.into_iter().chain(RARE.into_iter().filter(|(_, q)| is_known(*q))) {
        add(name, &|found| {
            let beyond = found.tail_count(q);
            let value = bounded(found, found.quantile(q)?);
            Some(Value { few: (beyond < FEW_BEYOND).then_some(beyond), ..value })
        });
    }
    add("max", &|found| Some(bounded(found, found.moments().max()?)));
    // The same is true of service and response times.
    let longer = longer_run(&found, compared).filter(|note| !figures.notes.contains(note));
    figures.notes.extend(longer);
}

/// How long a single run has to be for the rarest percentile that it does not show.
fn longer_run(found: &[Option<Distribution>], compared: &Compared<'_>) -> Option<String> {
    let ([Some(times)], [(measured, ..)]) = (found, compared.runs.as_slice()) else { return None };
    let (count, lasted) = (times.moments().count(), measured.duration.as_secs_f64());
    let (name, q) = RARE.into_iter().find(|(_, q)| times.tail_count(*q) < FEW_BEYOND)?;
    let needed = FEW_BEYOND as f64 / (1.0 - q);
    let text = || {
        format!(
            "{name} is shown from {} I/Os on, ten of which lie beyond it: {} at this rate.",
            count_in_words(needed.round()),
            long_time(lasted * needed / count as f64)
        )
    };
    (count > 0 && lasted > 0.0).then(text)
}

/// How long, how much, and what failed or was lost.
pub(crate) fn add_amounts(figures: &mut Figures, compared: &Compared<'_>) {
    const GROUP: &str = "Amounts";
    let (count, bytes) = (Quantity::Count, Quantity::Bytes);
    let lasted = compared.cells(Quantity::Seconds, |measured| Some(measured.duration.as_secs_f64()));
    figures.add((GROUP, "measured phase lasted"), Quantity::Seconds, Better::Neither, lasted);
    let of = |measured: &MeasuredPhase<'_>, pick: fn(&drivelab_stats::PhaseAnalysis) -> u64| {
        let shown = measured.analysis().filter(|_| !measured.is_withheld);
        shown.map(|phase| pick(phase) as f64)
    };
    let moved = compared.cells(bytes, |measured| of(measured, |phase| phase.moved().get()));
    figures.add((GROUP, "bytes moved, measured phase"), bytes, Better::Neither, moved);
    let completed = compared.cells(count, |measured| of(measured, drivelab_stats::PhaseAnalysis::completed));
    figures.add((GROUP, "I/Os that succeeded, measured phase"), count, Better::Neither, completed);
    let failed = compared.cells(count, |measured| of(measured, drivelab_stats::PhaseAnalysis::failed));
    figures.add((GROUP, "I/Os that failed, measured phase"), count, Better::Low, failed);
    let lost = compared.runs.iter().map(|(_, found, _)| Cell::count(count, found.records.lost)).collect();
    figures.add((GROUP, "records lost, all phases"), count, Better::Low, lost);
}

/// What simulated drives report of themselves.
pub(crate) fn add_simulation(figures: &mut Figures, compared: &Compared<'_>) {
    const GROUP: &str = "Reported by the simulated drive";
    let mut add = |name, quantity, better, of: &dyn Fn(&SimulationFindings) -> Option<f64>| {
        let cell = |found: &IoFindings| Cell::number(quantity, found.simulation.as_ref().and_then(of));
        let cells = compared.runs.iter().map(|(_, found, _)| cell(found)).collect();
        figures.add((GROUP, name), quantity, better, cells);
    };
    let count = Quantity::Count;
    add("write amplification", Quantity::Factor, Better::Low, &|found| found.write_amplification);
    add("collections", count, Better::Neither, &|found| Some(found.collections as f64));
    let mut known = compared.runs.iter().filter_map(|(_, found, _)| found.simulation.as_ref());
    if known.any(|found| !found.injected_delays.is_empty()) {
        add("injected delays", count, Better::Neither, &|found| Some(found.injected_delays.len() as f64));
    }
}
