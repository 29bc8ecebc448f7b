//! The table of the numbers: one row a figure, one cell a run.

mod replay;

use drivelab_analysis::{Distribution, RateFigures};

use crate::format::{bytes, nanos, percent, rate, seconds, whole};
use crate::names::{all_steady, judged_part, judged_parts, parts_differ};
use crate::ranking::Ranking;
use crate::run::{Comparison, Ended, RunReport, SimulationTruth};
use crate::verdict::no_cliff;

/// A tail of fewer values than this carries no weight and is marked.
pub(crate) use drivelab_analysis::FEW_BEYOND as FEW;
/// Runs whose lengths differ by more than this share did not last the same time.
const SAME_TIME: f64 = 0.01;

/// Which values of a row are the better ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Better {
    High,
    Low,
    Neither,
}

/// A figure of one run.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Cell {
    /// As a person reads it, with its unit.
    pub text: String,
    /// In the row's base unit; `None` where the run has no such figure.
    pub value: Option<f64>,
    /// How many values lie in the tail, where they are too few to carry weight.
    pub few: Option<u64>,
    /// Whether no other run has a better value and some have a worse one.
    pub best: bool,
}

/// A figure of every run.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Row {
    pub group: String,
    pub name: String,
    /// The unit of the cells' values.
    pub unit: &'static str,
    pub better: Better,
    pub cells: Vec<Cell>,
}

/// The name of a run above or beside its figures, which say nothing of a run that did not end as planned.
pub(crate) fn marked_label(run: &RunReport) -> String {
    match run.ended {
        Ended::Whole => run.label.clone(),
        ended => format!("{}, {}", run.label, ended.word()),
    }
}

/// Every row that at least one run has a figure for.
pub(crate) fn rows(comparison: &Comparison) -> Vec<Row> {
    let is_ranked = Ranking::of(comparison).is_allowed();
    let mut table = Table { runs: &comparison.runs, is_ranked, rows: Vec::new() };
    rate_rows(&mut table, comparison);
    course_rows(&mut table);
    latency_rows(&mut table);
    replay::rows(&mut table);
    amount_rows(&mut table);
    simulation_rows(&mut table);
    table.rows
}

struct Table<'a, 'b> {
    runs: &'a [RunReport<'b>],
    /// Whether the runs were asked for alike, so that one can be better than another.
    is_ranked: bool,
    rows: Vec<Row>,
}

impl<'b> Table<'_, 'b> {
    fn add(
        &mut self,
        head: (&str, &str, &'static str),
        better: Better,
        cell: impl Fn(&RunReport<'b>) -> Cell,
    ) {
        let (group, name, unit) = head;
        let mut cells: Vec<Cell> = self.runs.iter().map(cell).collect();
        if cells.iter().all(|cell| cell.value.is_none() && cell.text == Cell::NOTHING) {
            return;
        }
        let better = if self.is_ranked { better } else { Better::Neither };
        mark_best(&mut cells, better);
        self.rows.push(Row { group: group.to_owned(), name: name.to_owned(), unit, better, cells });
    }
}

impl Cell {
    const NOTHING: &str = "-";

    fn of(value: Option<f64>, text: impl FnOnce(f64) -> String) -> Cell {
        Cell { text: value.map_or_else(|| Cell::NOTHING.to_owned(), text), value, few: None, best: false }
    }

    fn count(value: Option<u64>) -> Cell {
        Cell::amount(value, whole)
    }

    fn amount(value: Option<u64>, text: impl FnOnce(u64) -> String) -> Cell {
        let text = value.map_or_else(|| Cell::NOTHING.to_owned(), text);
        Cell { text, ..Cell::of(value.map(|value| value as f64), rate) }
    }
}

/// Marks the best of several values, unless all are alike.
fn mark_best(cells: &mut [Cell], better: Better) {
    let values = || cells.iter().filter_map(|cell| cell.value);
    let (least, most) = (values().fold(f64::INFINITY, f64::min), values().fold(f64::NEG_INFINITY, f64::max));
    let best = match better {
        Better::High => most,
        Better::Low => least,
        Better::Neither => return,
    };
    if most - least <= most.abs() * 0.01 {
        return;
    }
    for cell in cells {
        cell.best = cell.value.is_some_and(|value| value.total_cmp(&best).is_eq());
    }
}

fn judged(run: &RunReport, pick: impl Fn(&RateFigures) -> Option<f64>) -> Option<f64> {
    run.has_figures().then_some(&run.figures.steady).and_then(pick)
}

fn rate_rows(table: &mut Table, comparison: &Comparison) {
    let group = &format!("Rate, {}", judged_parts(comparison));
    let steady = all_steady(comparison);
    // A rate on its way down is none that another could be better than.
    let better = |which: Better| if steady { which } else { Better::Neither };
    if !steady && parts_differ(comparison) {
        table.add((group, "Taken from", ""), Better::Neither, |run| {
            let words = run.has_figures().then(|| judged_part(run));
            Cell { text: words.unwrap_or_else(|| Cell::NOTHING.to_owned()), ..Cell::of(None, rate) }
        });
    }
    table.add((group, "Asked for by the open loop", "IOPS"), Better::Neither, |run| {
        Cell::of(run.figures.asked.filter(|_| run.has_figures()), rate)
    });
    table.add((group, "Mean", "IOPS"), better(Better::High), |run| {
        Cell::of(judged(run, |part| Some(part.mean)), rate)
    });
    table.add((group, "Deviation", "IOPS"), better(Better::Low), |run| {
        Cell::of(judged(run, |part| part.stddev), rate)
    });
    table.add((group, "Mean / deviation", ""), better(Better::High), |run| {
        let even = judged(run, |part| Some(part.mean / part.stddev?)).filter(|ratio| ratio.is_finite());
        Cell::of(even, |ratio| format!("{ratio:.1}"))
    });
    table.add((group, "Slowest second", "IOPS"), better(Better::High), |run| {
        Cell::of(judged(run, |part| Some(part.min)), rate)
    });
    table.add((group, &worst_name(table.runs), "IOPS"), better(Better::High), |run| {
        Cell::of(judged(run, |part| part.p01), rate)
    });
    table.add((group, "Seconds below 10 % of the mean", "share"), better(Better::Low), |run| {
        Cell::of(judged(run, |part| Some(part.slow_share)), percent)
    });
}

/// The worst 1 %, with the seconds that it is taken from.
fn worst_name(runs: &[RunReport]) -> String {
    let spans = || runs.iter().filter(|run| run.has_figures()).map(|run| run.figures.steady.p01_seconds);
    match (spans().min(), spans().max()) {
        (Some(least), Some(most)) if least < most => {
            format!("Worst 1 % of at most the last {}", seconds(most as f64))
        }
        (_, Some(span)) => format!("Worst 1 % of the last {}", seconds(span as f64)),
        _ => "Worst 1 %".to_owned(),
    }
}

fn course_rows(table: &mut Table) {
    const GROUP: &str = "Course of the run";
    table.add((GROUP, "Fresh level", "IOPS"), Better::High, |run| {
        Cell::of(Some(run.figures.fresh.iops).filter(|fresh| run.has_figures() && *fresh > 0.0), rate)
    });
    // A run without a cliff is better than any with one, but has no value to compare.
    let all_fell = table.runs.iter().all(|run| run.cliff().is_some());
    let better = if all_fell { Better::High } else { Better::Neither };
    table.add((GROUP, "Written until the cliff", "bytes"), better, |run| match run.cliff() {
        Some(cliff) => Cell::of(Some(cliff.written_bytes as f64), |_| bytes(cliff.written_bytes)),
        None if !run.has_figures() || run.is_replay() => Cell::of(None, rate),
        None => Cell { text: no_cliff(run), ..Cell::of(None, rate) },
    });
    table.add((GROUP, "Steady state", "s"), Better::Neither, |run| {
        let part = run.figures.steady_part;
        // The rate of a replay is its trace's, as its verdict says.
        if !run.has_figures() || run.is_replay() {
            return Cell::of(None, rate);
        }
        if part.reached {
            Cell::of(Some(part.from_s as f64), |from| format!("from {}", seconds(from)))
        } else {
            let text = match (run.kept_up(), part.is_too_short()) {
                (true, _) => "not judged: the rate is the one asked for",
                (false, true) => "too short to judge",
                (false, false) => "not found",
            };
            Cell { text: text.to_owned(), ..Cell::of(None, rate) }
        }
    });
}

fn latency_rows(table: &mut Table) {
    latency_group(table, "Service time, whole run", |_| false, |run| Some(run.measured.service()));
    let is_bound = |run: &RunReport| run.measured.unsent() > 0;
    latency_group(table, "Response time (from the schedule), whole run", is_bound, |run| {
        run.measured.response()
    });
}

/// Whether latencies of whole runs that were asked for alike can be compared: those of the same requests over the same time. A
/// run that was ended before its cliff has seen none of the slow part.
fn same_course(runs: &[RunReport]) -> bool {
    let mut shown = runs.iter().filter(|run| run.has_figures());
    let Some(first) = shown.next() else { return false };
    let lasted = first.duration.as_secs_f64();
    shown.all(|run| {
        let made_alike = match (&run.replay, &first.replay) {
            (Some(one), Some(other)) => one.asks_the_same(other),
            (None, None) => !run.is_replay(),
            _ => false,
        };
        made_alike && (run.duration.as_secs_f64() - lasted).abs() <= SAME_TIME * lasted
    })
}

/// The figures of a latency. Where `is_bound`, each but the deviation is only known to be at least so long.
fn latency_group(
    table: &mut Table,
    group: &'static str,
    is_bound: impl Fn(&RunReport) -> bool,
    pick: impl Fn(&RunReport) -> Option<Distribution>,
) {
    let shown = |run: &RunReport| {
        let least = if is_bound(run) { "≥ " } else { "" };
        move |value: f64| format!("{least}{}", nanos(value))
    };
    let low = if same_course(table.runs) { Better::Low } else { Better::Neither };
    let moments = |run: &RunReport| pick(run).map(|distribution| *distribution.moments());
    table.add((group, "Mean latency", "ns"), low, |run| {
        Cell::of(moments(run).and_then(|moments| moments.mean()), shown(run))
    });
    table.add((group, "Deviation of latency", "ns"), low, |run| {
        Cell::of(moments(run).and_then(|moments| moments.stddev()), nanos)
    });
    for (name, q) in QUANTILES {
        table.add((group, name, "ns"), low, |run| {
            let Some(distribution) = pick(run) else { return Cell::of(None, nanos) };
            let value = distribution.quantile(q).map(|nanos| nanos as f64);
            let tail = distribution.tail_count(q);
            Cell { few: value.and((tail < FEW).then_some(tail)), ..Cell::of(value, shown(run)) }
        });
    }
    table.add((group, "Longest", "ns"), low, |run| {
        let longest = moments(run).and_then(|moments| moments.max());
        Cell::of(longest.map(|nanos| nanos as f64), shown(run))
    });
}

/// The percentiles that are shown.
pub(crate) const QUANTILES: [(&str, f64); 4] =
    [("p50", 0.5), ("p99", 0.99), ("p99.9", 0.999), ("p99.99", 0.9999)];

fn amount_rows(table: &mut Table) {
    const GROUP: &str = "Amounts";
    table.add((GROUP, "Measured phase lasted", "s"), Better::Neither, |run| {
        Cell::of(Some(run.duration.as_secs_f64()), seconds)
    });
    table.add((GROUP, "Bytes moved", "bytes"), Better::Neither, |run| {
        Cell::amount(run.unless_withheld(run.measured.moved().get()), bytes)
    });
    table.add((GROUP, "I/Os ended well", ""), Better::Neither, |run| {
        Cell::count(run.unless_withheld(run.measured.completed()))
    });
    table.add((GROUP, "I/Os failed", ""), Better::Low, |run| {
        Cell::count(run.unless_withheld(run.measured.failed()))
    });
    let of_all = table.runs.iter().any(RunReport::lost_in_all_phases);
    let lost = if of_all { "Records lost in all phases" } else { "Records lost" };
    table.add((GROUP, lost, ""), Better::Low, |run| Cell::count(run.lost()));
}

fn simulation_rows(table: &mut Table) {
    const GROUP: &str = "Told by the simulated drive";
    let count = |value: f64| if value < 100.0 { format!("{value:.0}") } else { rate(value) };
    let truth = |run: &RunReport, pick: &dyn Fn(&SimulationTruth) -> Option<f64>| {
        run.simulation.as_ref().and_then(pick)
    };
    table.add((GROUP, "Write amplification", ""), Better::Low, |run| {
        Cell::of(truth(run, &|truth| truth.write_amplification), |value| format!("{value:.2}"))
    });
    table.add((GROUP, "Collections", ""), Better::Neither, |run| {
        Cell::of(truth(run, &|truth| Some(truth.collections as f64)), count)
    });
    table.add((GROUP, "Injected delays", ""), Better::Neither, |run| {
        Cell::of(truth(run, &|truth| Some(truth.injected_delays.len() as f64)), count)
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cells(values: &[f64]) -> Vec<Cell> {
        values.iter().map(|value| Cell::of(Some(*value), rate)).collect()
    }

    #[test]
    fn the_best_is_marked_only_where_it_is_better() {
        let mut apart = cells(&[10.0, 20.0]);
        mark_best(&mut apart, Better::High);
        assert_eq!(apart.iter().map(|cell| cell.best).collect::<Vec<_>>(), [false, true]);
        let mut alike = cells(&[1_000.0, 1_001.0]);
        mark_best(&mut alike, Better::High);
        assert!(alike.iter().all(|cell| !cell.best));
        let mut alone = cells(&[5.0]);
        mark_best(&mut alone, Better::Low);
        assert!(!alone[0].best);
    }
}
