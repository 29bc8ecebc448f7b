//! What the page's program reads: `drivelab.page/1`, embedded in the page. `page/src/model.ts` mirrors it.

use drivelab_analysis::{Distribution, HeatMap, thinned_tail};
use serde::Serialize;
use serde_json::Number;

use crate::binned::Binned;
use crate::gauged::{Panel, panels};
use crate::names::{kept_share, loop_word};
use crate::run::{Comparison, RunReport};
use crate::verdict::verdict;
use drivelab_analysis::Gauged;

/// The schema name of the embedded document.
pub(crate) const PAGE_SCHEMA: &str = "drivelab.page/1";

/// The embedded document.
#[derive(Serialize)]
pub(crate) struct PageDocument {
    schema: &'static str,
    runs: Vec<PageRun>,
}

#[derive(Serialize)]
struct PageRun {
    label: String,
    drive: String,
    reserve: String,
    seed: u64,
    mode: &'static str,
    duration_s: f64,
    verdict: String,
    tone: &'static str,
    steady_from_s: usize,
    steady_reached: bool,
    cliff_s: Option<usize>,
    series: PageSeries,
    heat: PageHeat,
    service: PageCurve,
    response: Option<PageCurve>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    gauges: Vec<PagePanel>,
}

/// Gauges of one subject and unit over the measured phase.
#[derive(Serialize)]
struct PagePanel {
    subject: String,
    unit: String,
    column_s: f64,
    lines: Vec<PageLine>,
}

/// One gauge's mean of every column.
#[derive(Serialize)]
struct PageLine {
    name: String,
    values: Vec<Option<Number>>,
}

/// Columns of bins. `written_kib` are the KiB written in each bin, which is shorter than running totals.
#[derive(Serialize)]
struct PageSeries {
    bin_s: usize,
    iops: Vec<Number>,
    /// The slowest second of each bin; absent where bins are one second.
    #[serde(skip_serializing_if = "Option::is_none")]
    slowest: Option<Vec<Number>>,
    written_kib: Vec<u64>,
    service_max_us: Vec<u64>,
    /// Bins with failed I/Os and how many.
    failed: Vec<(usize, u64)>,
}

/// Counts by time and latency. A column is its lowest row followed by a count for every row from there.
#[derive(Serialize)]
struct PageHeat {
    column_s: f64,
    /// Edges of the rows that are used, in nanoseconds: row r lies between edge r and edge r + 1.
    edges_ns: Vec<u64>,
    columns: Vec<Vec<u32>>,
}

/// An exceedance curve, thinned.
#[derive(Serialize)]
struct PageCurve {
    count: u64,
    ns: Vec<u64>,
    at_least: Vec<u64>,
}

impl PageDocument {
    pub fn of(comparison: &Comparison) -> PageDocument {
        PageDocument { schema: PAGE_SCHEMA, runs: comparison.runs.iter().map(PageRun::of).collect() }
    }
}

impl PageRun {
    fn of(run: &RunReport) -> PageRun {
        let verdict = verdict(run);
        PageRun {
            label: run.label.clone(),
            drive: drive_name(run),
            reserve: kept_share(run),
            seed: run.seed,
            mode: loop_word(run.measured.loop_kind()),
            duration_s: run.duration.as_secs_f64(),
            verdict: verdict.text,
            tone: verdict.tone.word(),
            steady_from_s: run.figures.steady_part.from_s,
            steady_reached: run.figures.steady_part.reached && run.has_figures(),
            cliff_s: run.cliff().map(|cliff| cliff.at_s),
            series: PageSeries::of(run),
            heat: PageHeat::of(run.measured.heat()),
            service: PageCurve::of(&run.measured.service()),
            response: run.measured.response().as_ref().map(PageCurve::of),
            gauges: panels(&run.gauges).iter().map(PagePanel::of).collect(),
        }
    }
}

/// The drive as the page's switch names it; the serial tells two of one model apart.
fn drive_name(run: &RunReport) -> String {
    let model = if run.drive.model.is_empty() { &run.target } else { &run.drive.model };
    match &run.drive.serial {
        Some(serial) => format!("{model} ({serial})"),
        None => model.clone(),
    }
}

impl PagePanel {
    fn of(panel: &Panel<'_>) -> PagePanel {
        let line = |gauge: &&Gauged| PageLine {
            name: gauge.part().to_owned(),
            values: gauge.course.columns().map(|value| value.map(tenths)).collect(),
        };
        PagePanel {
            subject: panel.subject.to_owned(),
            unit: panel.unit.to_owned(),
            column_s: panel.gauges.first().map_or(1.0, |gauge| gauge.course.column_s()),
            lines: panel.gauges.iter().map(line).collect(),
        }
    }
}

impl PageSeries {
    fn of(run: &RunReport) -> PageSeries {
        let binned = Binned::of(run);
        let bins = &binned.bins;
        let before = std::iter::once(0).chain(bins.iter().map(|bin| bin.written_bytes));
        let written = bins.iter().zip(before).map(|(bin, before)| (bin.written_bytes - before) / 1_024);
        let failed = bins.iter().enumerate().filter(|(_, bin)| bin.failed > 0);
        PageSeries {
            bin_s: binned.bin_s,
            iops: bins.iter().map(|bin| tenths(bin.iops)).collect(),
            slowest: (binned.bin_s > 1).then(|| bins.iter().map(|bin| tenths(bin.slowest)).collect()),
            written_kib: written.collect(),
            service_max_us: bins.iter().map(|bin| bin.service_max.div_ceil(1_000)).collect(),
            failed: failed.map(|(index, bin)| (index, bin.failed)).collect(),
        }
    }
}

/// Rounded to tenths, and without a decimal where there is none: the page holds thousands of these.
fn tenths(value: f64) -> Number {
    let tenths = (value * 10.0).round();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "IOPS, whole here")]
    if tenths % 10.0 == 0.0 {
        Number::from((tenths / 10.0) as u64)
    } else {
        Number::from_f64(tenths / 10.0).unwrap_or_else(|| Number::from(0))
    }
}

impl PageHeat {
    fn of(heat: &HeatMap) -> PageHeat {
        let used = |column: &[u32]| {
            let first = column.iter().position(|count| *count > 0)?;
            let last = column.iter().rposition(|count| *count > 0)?;
            Some((first, last))
        };
        let ranges: Vec<Option<(usize, usize)>> = heat.columns().map(used).collect();
        let low = ranges.iter().flatten().map(|range| range.0).min().unwrap_or(0);
        let high = ranges.iter().flatten().map(|range| range.1).max().unwrap_or(0);
        let cells = |(column, range): (&[u32], &Option<(usize, usize)>)| match range {
            None => Vec::new(),
            Some((first, last)) => {
                let lowest = u32::try_from(first - low).unwrap_or(0);
                std::iter::once(lowest).chain(column[*first..=*last].iter().copied()).collect()
            }
        };
        PageHeat {
            column_s: heat.column_nanos() as f64 / 1e9,
            edges_ns: (low..=high + 1).map(HeatMap::row_floor_nanos).collect(),
            columns: heat.columns().zip(&ranges).map(cells).collect(),
        }
    }
}

impl PageCurve {
    fn of(distribution: &Distribution) -> PageCurve {
        let points = thinned_tail(distribution);
        PageCurve {
            count: distribution.moments().count(),
            ns: points.iter().map(|point| point.nanos).collect(),
            at_least: points.iter().map(|point| point.at_least).collect(),
        }
    }
}
