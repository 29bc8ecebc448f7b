//! The axes that every picture of a comparison shares.

use drivelab_analysis::{HeatMap, thinned_tail};

use super::axis::Axis;
use crate::binned::Binned;
use crate::format::{decade, short_rate, whole};
use crate::run::{Comparison, RunReport};
use crate::scale::LogScale;

/// The axes, made from all runs, so that pictures can be laid beside each other.
pub(crate) struct HeldAxes {
    pub time: Axis,
    pub steady_time: Axis,
    pub rate_log: Axis,
    pub steady_log: Axis,
    pub steady_linear: Axis,
    pub latency: Axis,
    /// I/Os a second in one cell of a heat map: the fewest and the most.
    pub heat: (f64, f64),
    pub exceedance_nanos: Axis,
    pub exceedance_share: Axis,
}

impl HeldAxes {
    pub fn of(comparison: &Comparison) -> HeldAxes {
        let runs = &comparison.runs;
        let all: Vec<(Binned, usize)> =
            runs.iter().map(|run| (Binned::of(run), run.figures.steady_part.from_s)).collect();
        let rates = |steady: bool| {
            let from =
                move |binned: &Binned, from_s: usize| if steady { from_s.div_ceil(binned.bin_s) } else { 0 };
            let skipped =
                all.iter().flat_map(move |(binned, from_s)| binned.bins.iter().skip(from(binned, *from_s)));
            skipped.flat_map(|bin| [bin.iops, bin.slowest])
        };
        let end = |binned: &Binned| (binned.bins.len() * binned.bin_s) as f64;
        let longest = all.iter().map(|(binned, _)| end(binned)).fold(0.0, f64::max);
        let spans: Vec<(f64, f64)> =
            all.iter().map(|(binned, from_s)| (*from_s as f64, end(binned))).collect();
        let count = runs.iter().map(|run| run.measured.service().moments().count()).max().unwrap_or(0);
        let least_share = 0.1f64.powf((count.max(10) as f64).log10().ceil());
        let nanos = runs.iter().flat_map(curve_nanos);
        let (lowest, highest) = latency_range(runs);
        HeldAxes {
            time: Axis::time(0.0, longest, grouped),
            steady_time: Axis::time(steady_start(&spans), longest, grouped),
            rate_log: Axis::decades(LogScale::over(rates(false)), "IOPS", short_rate),
            steady_log: Axis::decades(LogScale::over(rates(true)), "IOPS", short_rate),
            steady_linear: Axis::from_zero(rates(true), "IOPS", short_rate),
            latency: Axis::log(lowest, highest, "service time", decade),
            heat: heat_range(runs),
            exceedance_nanos: Axis::decades(LogScale::over(nanos), "latency", decade),
            exceedance_share: Axis::log(least_share, 1.0, "", one_in),
        }
    }
}

/// From where the first run is judged: every second that a figure is taken from is seen.
fn steady_start(spans: &[(f64, f64)]) -> f64 {
    let starts = spans.iter().filter(|(start, end)| start < end).map(|(start, _)| *start);
    starts.reduce(f64::min).unwrap_or(0.0)
}

fn curve_nanos(run: &RunReport) -> Vec<f64> {
    let response = run.measured.response();
    let curves = std::iter::once(run.measured.service()).chain(response);
    curves.flat_map(|curve| thinned_tail(&curve)).map(|point| point.nanos as f64).collect()
}

/// The rows of all heat maps that hold anything, as their edges in nanoseconds.
fn latency_range(runs: &[RunReport]) -> (f64, f64) {
    let (mut first, mut last) = (usize::MAX, 0);
    for column in runs.iter().flat_map(|run| run.measured.heat().columns()) {
        first = column.iter().position(|count| *count > 0).map_or(first, |row| row.min(first));
        last = column.iter().rposition(|count| *count > 0).map_or(last, |row| row.max(last));
    }
    if first > last {
        return (1e3, 1e6);
    }
    let edge = |row: usize| HeatMap::row_floor_nanos(row) as f64;
    (edge(first).max(1.0), edge(last + 1))
}

fn heat_range(runs: &[RunReport]) -> (f64, f64) {
    let (mut least, mut most) = (f64::INFINITY, 0.0f64);
    for run in runs {
        let column_s = run.measured.heat().column_nanos() as f64 / 1e9;
        for count in run.measured.heat().columns().flatten().filter(|count| **count > 0) {
            least = least.min(f64::from(*count) / column_s);
            most = most.max(f64::from(*count) / column_s);
        }
    }
    if most > 0.0 { (least, most.max(least * 10.0)) } else { (1.0, 10.0) }
}

/// Seconds on an axis: whole ones with commas between thousands, else as they are.
fn grouped(value: f64) -> String {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "seconds of a run")]
    if value.fract() == 0.0 { whole(value as u64) } else { format!("{value:.1}") }
}

fn one_in(share: f64) -> String {
    if share > 0.999 { "all".to_owned() } else { format!("1 in {}", short_rate((1.0 / share).round())) }
}
