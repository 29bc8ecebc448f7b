//! Figures of I/Os, with a value for each result.

use drivelab_stats::{Distribution, FEW_BEYOND, PhaseAnalysis, RateFigures, is_lower_bound};
use drivelab_view::format::{count as count_in_words, long_time, seconds};
use drivelab_view::{Better, Cell, Quantity, Value};

use super::SimulationFindings;
use super::words::{cliff_in_words, judged_part};
use crate::kind::MeasuredPhase;
use crate::shown::ComparedFigures;
use crate::{Comparison, ResultKind};

/// Runs whose lengths differ by more than this share did not last the same time.
const SAME_TIME: f64 = 0.01;
const QUANTILES: [(&str, f64); 4] = [("p50", 0.5), ("p99", 0.99), ("p99.9", 0.999), ("p99.99", 0.9999)];
/// Those that are shown where enough I/Os lie beyond them.
const RARE: [(&str, f64); 2] = [("p99.999", 0.999_99), ("p99.9999", 0.999_999)];

/// The phases that figures are taken from.
fn measured<'c, K: ResultKind>(
    compared: &'c Comparison<'_, K>,
) -> impl Iterator<Item = &'c MeasuredPhase<'c>> {
    compared.recorded().map(|(_, ios)| &ios.measured)
}

/// Those with figures of whole seconds.
fn rated<'c, K: ResultKind>(compared: &'c Comparison<'_, K>) -> impl Iterator<Item = &'c MeasuredPhase<'c>> {
    measured(compared).filter(|measured| measured.has_rate())
}

/// Whether latencies of whole runs can be compared: those over the same time. A run that was ended before its cliff has seen none
/// of the slow part.
pub(crate) fn lasted_alike<K: ResultKind>(compared: &Comparison<'_, K>) -> bool {
    let mut rated = rated(compared).map(|measured| measured.duration.as_secs_f64());
    let Some(first) = rated.next() else { return false };
    rated.all(|lasted| (lasted - first).abs() <= SAME_TIME * first)
}

/// The part that all are judged by, or that they differ.
fn judged_parts<K: ResultKind>(compared: &Comparison<'_, K>) -> Result<String, String> {
    let mut parts: Vec<String> = rated(compared).map(judged_part).collect();
    parts.dedup();
    match parts.as_slice() {
        [] => Ok("the whole run".to_owned()),
        [part] => Ok(part.clone()),
        _ => Err("the judged part, steady or last of each run".to_owned()),
    }
}

/// Adds a figure of the measured phase of each result.
fn add<K: ResultKind>(
    figures: &mut ComparedFigures<'_, '_, K>,
    name: (&str, &str),
    quantity: Quantity,
    better: Better,
    of: impl Fn(&MeasuredPhase<'_>) -> Option<f64>,
) {
    figures.add(name, quantity, better, |one| of(&one.recorded.as_ref()?.measured));
}

/// All figures of kinds that judge a rate: that of the judged part, the course of the run, latencies, amounts, and what simulated
/// drives report.
pub(crate) fn add_all<K: ResultKind>(figures: &mut ComparedFigures<'_, '_, K>) {
    let parts = judged_parts(figures.compared);
    let group = &format!("Rate of {}", parts.as_ref().unwrap_or_else(|differing| differing));
    let are_steady = rated(figures.compared).all(|measured| measured.figures.steady_part.reached);
    // A rate on its way down is none that another could be better than.
    let better = |which: Better| if are_steady { which } else { Better::Neither };
    if parts.is_err() {
        figures.add((group, "taken from"), Quantity::Number, Better::Neither, |one| {
            let measured = &one.recorded.as_ref()?.measured;
            measured.has_rate().then(|| Cell::text(judged_part(measured)))
        });
    }
    let (iops, number, share) = (Quantity::Iops, Quantity::Number, Quantity::Share);
    add(figures, (group, "asked for by the open loop"), iops, Better::Neither, |measured| {
        measured.figures.asked.filter(|_| measured.has_rate())
    });
    let worst = worst_name(figures.compared);
    let mut judged = |name: &str, quantity, which: Better, of: &dyn Fn(&RateFigures) -> Option<f64>| {
        add(figures, (group, name), quantity, better(which), |measured| {
            of(&measured.figures.steady).filter(|_| measured.has_rate())
        });
    };
    judged("mean", iops, Better::High, &|part| Some(part.mean));
    judged("standard deviation", iops, Better::Low, &|part| part.stddev);
    judged("mean / standard deviation", number, Better::High, &|part| {
        Some(part.mean / part.stddev?).filter(|ratio| ratio.is_finite())
    });
    judged("slowest second", iops, Better::High, &|part| Some(part.min));
    judged(&worst, iops, Better::High, &|part| part.p01);
    judged("seconds within 10 % of the median", share, Better::High, &|part| {
        Some(part.evenness.near_median_share)
    });
    judged("seconds below 10 % of the mean", share, Better::Low, &|part| Some(part.slow_share));
    add_course(figures);
    add_latency_and_amounts(figures);
}

/// The worst 1 %, with the seconds that it is taken from.
fn worst_name<K: ResultKind>(compared: &Comparison<'_, K>) -> String {
    let spans = || rated(compared).map(|measured| measured.figures.steady.p01_seconds);
    match (spans().min(), spans().max()) {
        (Some(least), Some(most)) if least < most => {
            format!("worst 1 % of at most the last {}", seconds(most as f64))
        }
        (_, Some(span)) => format!("worst 1 % of the last {}", seconds(span as f64)),
        _ => "worst 1 %".to_owned(),
    }
}

fn add_course<K: ResultKind>(figures: &mut ComparedFigures<'_, '_, K>) {
    const GROUP: &str = "Course of the run";
    if measured(figures.compared).all(|measured| measured.is_replay) {
        return;
    }
    add(figures, (GROUP, "fresh level"), Quantity::Iops, Better::High, |measured| {
        Some(measured.figures.fresh.iops).filter(|fresh| measured.has_rate() && *fresh > 0.0)
    });
    // A run without a cliff is better than any with one, but has no value to compare.
    let all_fell = measured(figures.compared).all(|measured| measured.cliff().is_some());
    let better = if all_fell { Better::High } else { Better::Neither };
    figures.add((GROUP, "written until the cliff"), Quantity::Bytes, better, |one| {
        let measured = &one.recorded.as_ref()?.measured;
        match measured.cliff() {
            Some(cliff) if cliff.written_bytes > 0 => {
                Some(Value::new(Quantity::Bytes, cliff.written_bytes as f64).into())
            }
            _ => measured.has_rate().then(|| Cell::text(cliff_in_words(measured, one.ended()))),
        }
    });
    figures.add((GROUP, "steady from"), Quantity::Seconds, Better::Neither, |one| {
        Some(steady_cell(&one.recorded.as_ref()?.measured))
    });
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

/// Service and response times of the whole phase, how much it was, and what simulated drives report of themselves.
pub(crate) fn add_latency_and_amounts<K: ResultKind>(figures: &mut ComparedFigures<'_, '_, K>) {
    let service = |measured: &MeasuredPhase<'_>| Some(measured.service());
    // A replay shows the times of each operation.
    let has_flushes =
        measured(figures.compared).any(|measured| measured.flush_service().is_some() && !measured.is_replay);
    if has_flushes {
        let group = "Service time of all but flushes, whole run";
        add_count(figures, group, &service);
        latency_group(figures, group, &service);
        let flushes = |measured: &MeasuredPhase<'_>| measured.flush_service().cloned();
        let group = "Service time of flushes, whole run";
        add_count(figures, group, &flushes);
        latency_group(figures, group, &flushes);
    } else {
        latency_group(figures, "Service time, whole run", &service);
    }
    latency_group(figures, "Response time (from the schedule), whole run", &|measured| measured.response());
    add_amounts(figures);
    add_simulation(figures);
}

/// A distribution of a run.
type OfRun<'f> = &'f dyn Fn(&MeasuredPhase<'_>) -> Option<Distribution>;

/// How many times a group of figures is of.
fn add_count<K: ResultKind>(figures: &mut ComparedFigures<'_, '_, K>, group: &str, of: OfRun<'_>) {
    add(figures, (group, "I/Os"), Quantity::Count, Better::Neither, |measured| {
        Some(of(measured)?.moments().count() as f64)
    });
}

/// A time of a distribution, which is a lower bound where it is not shorter than the shortest one.
pub(crate) fn bounded_time(found: &Distribution, nanos: u64) -> Value {
    let is_bound = found.shortest_bound.is_some_and(|shortest| is_lower_bound(nanos, shortest));
    Value::new(Quantity::Nanoseconds, nanos as f64).at_least_where(is_bound)
}

/// The mean of a distribution, which is a lower bound where any of its times is one.
pub(crate) fn mean_time(found: &Distribution) -> Option<Value> {
    let mean = Value::new(Quantity::Nanoseconds, found.moments().mean()?);
    Some(mean.at_least_where(found.shortest_bound.is_some()))
}

fn latency_group<K: ResultKind>(figures: &mut ComparedFigures<'_, '_, K>, group: &str, of: OfRun<'_>) {
    let low = if lasted_alike(figures.compared) { Better::Low } else { Better::Neither };
    let found: Vec<Option<Distribution>> = measured(figures.compared).map(of).collect();
    let mut add = |name: &str, of: &dyn Fn(&Distribution) -> Option<Value>| {
        figures.add((group, name), Quantity::Nanoseconds, low, |one| of(found.get(one.place)?.as_ref()?));
    };
    add("mean", &mean_time);
    // How far values scatter is not known to be more or less.
    add("standard deviation", &|found| {
        found.moments().stddev().map(|stddev| Value::new(Quantity::Nanoseconds, stddev))
    });
    let is_known = |q: f64| found.iter().flatten().any(|found| found.tail_count(q) >= FEW_BEYOND);
    for (name, q) in QUANTILES.into_iter().chain(RARE.into_iter().filter(|(_, q)| is_known(*q))) {
        add(name, &|found| {
            let beyond = found.tail_count(q);
            let value = bounded_time(found, found.quantile(q)?);
            Some(Value { few: (beyond < FEW_BEYOND).then_some(beyond), ..value })
        });
    }
    add("max", &|found| Some(bounded_time(found, found.moments().max()?)));
    // The same is true of service and response times.
    let longer = longer_run(&found, figures.compared).filter(|note| !figures.figures.notes.contains(note));
    figures.figures.notes.extend(longer);
}

/// How long a single run has to be for the rarest percentile that it does not show.
fn longer_run<K: ResultKind>(found: &[Option<Distribution>], compared: &Comparison<'_, K>) -> Option<String> {
    let ([Some(times)], [one]) = (found, &**compared) else { return None };
    let (count, lasted) = (times.moments().count(), one.recorded.as_ref()?.measured.duration.as_secs_f64());
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
fn add_amounts<K: ResultKind>(figures: &mut ComparedFigures<'_, '_, K>) {
    const GROUP: &str = "Amounts";
    let (count, bytes) = (Quantity::Count, Quantity::Bytes);
    add(figures, (GROUP, "measured phase lasted"), Quantity::Seconds, Better::Neither, |measured| {
        Some(measured.duration.as_secs_f64())
    });
    let mut of_phase = |name: &str, quantity, better, pick: fn(&PhaseAnalysis) -> u64| {
        add(figures, (GROUP, name), quantity, better, |measured| {
            let shown = measured.analysis.filter(|_| !measured.is_withheld);
            shown.map(|phase| pick(phase) as f64)
        });
    };
    of_phase("bytes moved, measured phase", bytes, Better::Neither, |phase| phase.moved().get());
    of_phase("I/Os that succeeded, measured phase", count, Better::Neither, PhaseAnalysis::completed);
    of_phase("I/Os that failed, measured phase", count, Better::Low, PhaseAnalysis::failed);
    figures.add((GROUP, "records lost, all phases"), count, Better::Low, |one| {
        one.recorded.as_ref()?.found.records.lost
    });
}

/// What simulated drives report of themselves.
fn add_simulation<K: ResultKind>(figures: &mut ComparedFigures<'_, '_, K>) {
    const GROUP: &str = "Reported by the simulated drive";
    let known = |one: &SimulationFindings| !one.injected_delays.is_empty();
    let has_delays =
        figures.compared.recorded().filter_map(|(_, ios)| ios.found.simulation.as_ref()).any(known);
    let mut add = |name, quantity, better, of: &dyn Fn(&SimulationFindings) -> Option<f64>| {
        figures.add((GROUP, name), quantity, better, |one| {
            of(one.recorded.as_ref()?.found.simulation.as_ref()?)
        });
    };
    let count = Quantity::Count;
    add("write amplification", Quantity::Factor, Better::Low, &|found| found.write_amplification);
    add("collections", count, Better::Neither, &|found| Some(found.collections as f64));
    if has_delays {
        add("injected delays", count, Better::Neither, &|found| Some(found.injected_delays.len() as f64));
    }
}
