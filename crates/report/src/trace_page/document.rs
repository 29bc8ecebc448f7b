//! What the page's program reads: `drivelab.tracepage/1`, embedded in the page. `page/src/tracemodel.ts` mirrors it.

use drivelab_analysis::{AddressMap, Course, CourseBin, Distribution, LONG_IDLE, LogBins};
use serde::Serialize;

use super::headline::DIRECTIONS;
use crate::exceedance::thinned;
use crate::trace::{TraceReport, bunching};

/// The schema name of the embedded document.
const PAGE_SCHEMA: &str = "drivelab.tracepage/1";

/// The embedded document.
#[derive(Serialize)]
pub(super) struct PageDocument {
    schema: &'static str,
    /// Idle time longer than this is cut out.
    long_idle_s: f64,
    traces: Vec<PageTrace>,
}

#[derive(Serialize)]
struct PageTrace {
    label: String,
    measured: String,
    /// Reads, then writes.
    directions: [PageDirection; 2],
    course: Option<PageCourse>,
    maps: Vec<PageMap>,
    unmapped: u64,
}

#[derive(Serialize)]
struct PageDirection {
    requests: u64,
    count: u64,
    mean_ns: Option<f64>,
    /// Counts between the edges of bins.
    edges_ns: Vec<u64>,
    counts: Vec<u64>,
    /// The exceedance curve.
    ns: Vec<u64>,
    at_least: Vec<u64>,
    /// From when on an I/O is slow, in words; none where too few stand out.
    slow: Option<String>,
    dispersion: Vec<PageDispersion>,
    p: Option<f64>,
}

#[derive(Serialize)]
struct PageDispersion {
    window_s: f64,
    index: f64,
    deviation: f64,
    windows: u64,
}

/// Columns of busy time; in pairs reads come first, then writes.
#[derive(Serialize)]
struct PageCourse {
    column_s: f64,
    /// When each column's first request began, in milliseconds on the trace's own clock.
    began_ms: Vec<Option<u64>>,
    requests: [Vec<u64>; 2],
    slow: [Vec<u64>; 2],
    worst_us: [Vec<u64>; 2],
    depth_mean: Vec<f64>,
    depth_max: Vec<u64>,
    /// Columns before or in which idle time was cut out: how often, and milliseconds in all.
    cuts: Vec<(usize, u32, u64)>,
}

/// Where a device was read and written. A column is its lowest row followed by a count for every row from there.
#[derive(Serialize)]
struct PageMap {
    device: String,
    requests: u64,
    row_bytes: u64,
    first_row: u64,
    rows: usize,
    columns: [Vec<Vec<u32>>; 2],
}

impl PageDocument {
    pub fn of(reports: &[TraceReport<'_>]) -> PageDocument {
        PageDocument {
            schema: PAGE_SCHEMA,
            long_idle_s: LONG_IDLE as f64 / 1e9,
            traces: reports.iter().map(PageTrace::of).collect(),
        }
    }
}

impl PageTrace {
    fn of(report: &TraceReport<'_>) -> PageTrace {
        let course = report.analysis.course();
        let maps = report.devices.iter().zip(course.map_or(&[][..], Course::maps));
        let mut maps: Vec<PageMap> =
            maps.filter_map(|(device, map)| PageMap::of(&device.name, map)).collect();
        maps.sort_by_key(|map| std::cmp::Reverse(map.requests));
        PageTrace {
            label: report.label.clone(),
            measured: report.measured().to_owned(),
            directions: [0, 1].map(|way| PageDirection::of(report, way)),
            course: course.map(|course| PageCourse::of(report, course)),
            maps,
            unmapped: course.map_or(0, Course::unmapped),
        }
    }
}

impl PageDirection {
    fn of(report: &TraceReport<'_>, way: usize) -> PageDirection {
        let (op, _) = DIRECTIONS[way];
        let distribution: &Distribution = &report.analysis.op(op).service.distribution;
        let (bins, curve) = (LogBins::of(distribution.histogram()), thinned(distribution));
        let slow = report.slow_ios(op);
        let dispersions = slow.map(|slow| slow.dispersions()).unwrap_or_default();
        PageDirection {
            requests: report.analysis.op(op).requests,
            count: distribution.moments().count(),
            mean_ns: distribution.moments().mean(),
            edges_ns: bins.edges,
            counts: bins.counts,
            ns: curve.iter().map(|point| point.nanos).collect(),
            at_least: curve.iter().map(|point| point.at_least).collect(),
            slow: slow.map(bunching::threshold),
            dispersion: dispersions
                .iter()
                .map(|found| PageDispersion {
                    window_s: found.window as f64 / 1e9,
                    index: found.index,
                    deviation: found.deviation,
                    windows: found.windows,
                })
                .collect(),
            p: report.slow.judged(op).chance.crowding.map(|found| found.p),
        }
    }
}

impl PageCourse {
    fn of(report: &TraceReport<'_>, course: &Course) -> PageCourse {
        let bins = course.bins();
        let column = |of: &dyn Fn(&CourseBin) -> u64| -> Vec<u64> { bins.iter().map(of).collect() };
        let slow = |way: usize| {
            let place = report.slow_ios(DIRECTIONS[way].0).map(|slow| slow.place());
            column(&|bin| place.map_or(0, |place| u64::from(bin.slow[way][place])))
        };
        let mean = |bin: &CourseBin| bin.depth_sum as f64 / bin.depth_count.max(1) as f64;
        let cuts = bins.iter().enumerate().filter(|(_, bin)| bin.cuts > 0);
        PageCourse {
            column_s: course.column_nanos() as f64 / 1e9,
            began_ms: bins.iter().map(|bin| bin.began.map(|at| at / 1_000_000)).collect(),
            requests: [0, 1].map(|way| column(&|bin| bin.requests[way])),
            slow: [0, 1].map(slow),
            worst_us: [0, 1].map(|way| column(&|bin| bin.worst[way].div_ceil(1_000))),
            depth_mean: bins.iter().map(|bin| (mean(bin) * 100.0).round() / 100.0).collect(),
            depth_max: column(&|bin| bin.depth_max),
            cuts: cuts.map(|(index, bin)| (index, bin.cuts, bin.cut_nanos / 1_000_000)).collect(),
        }
    }
}

impl PageMap {
    fn of(device: &str, map: &AddressMap) -> Option<PageMap> {
        let (first_row, rows) = map.rows()?;
        let columns = |way: usize| map.columns(way).map(|counts| sparse(&counts)).collect();
        Some(PageMap {
            device: device.to_owned(),
            requests: map.requests(),
            row_bytes: map.row_bytes(),
            first_row,
            rows,
            columns: [0, 1].map(columns),
        })
    }
}

/// The counts from the first to the last that is not zero, behind the place of the first.
fn sparse(counts: &[u32]) -> Vec<u32> {
    let used = |count: &u32| *count > 0;
    match (counts.iter().position(used), counts.iter().rposition(used)) {
        (Some(first), Some(last)) => {
            let lowest = u32::try_from(first).unwrap_or(0);
            std::iter::once(lowest).chain(counts[first..=last].iter().copied()).collect()
        }
        _ => Vec::new(),
    }
}
