//! The figures of all traces, side by side.

use drivelab_analysis::{Shares, SlowIos, Threshold};
use drivelab_block::Op;

use super::headline::DIRECTIONS;
use crate::format::{bytes, nanos, percent, rate, span, whole};
use crate::html::table;
use crate::trace::{TraceReport, bunching};

/// What stands where a figure is not known.
const NONE: &str = "-";

/// The section that holds the table.
pub(super) fn section(page: &mut String, reports: &[TraceReport<'_>]) {
    page.push_str("<section aria-labelledby=\"numbers-title\">\n<h2 id=\"numbers-title\">Numbers</h2>\n");
    table::open_compared(
        page,
        "numbers",
        "Numbers",
        "Figure",
        reports.iter().map(|report| report.label.as_str()),
    );
    for row in load().into_iter().chain(DIRECTIONS.into_iter().flat_map(direction)) {
        match row {
            Row::Group(name, op) => {
                if reports.iter().any(|report| report.analysis.op(op).requests > 0) {
                    table::group(page, name, reports.len());
                }
            }
            Row::Figure(name, cell) => figure(page, name, reports, &*cell),
        }
    }
    table::close(page);
    page.push_str(
        "<p class=\"fine\">Mean, deviation and shares are exact; percentiles are within 1 %. Frozen is the time in which \
         the oldest I/O in flight was slow already. The chance of clustering is the share of circular shifts of the \
         slow ones against each other after which they are clustered as much; that of the period, after which their \
         distances are as regular.</p>\n</section>\n",
    );
}

/// A figure of a trace in words; `None` where it has none.
type Cell = Box<dyn Fn(&TraceReport<'_>) -> Option<String>>;

/// A row of the table.
enum Row {
    /// What the rows after it speak of.
    Group(&'static str, Op),
    /// A figure of each trace.
    Figure(&'static str, Cell),
}

fn row(name: &'static str, cell: impl Fn(&TraceReport<'_>) -> Option<String> + 'static) -> Row {
    Row::Figure(name, Box::new(cell))
}

/// Writes a row, unless no trace has that figure.
fn figure(
    page: &mut String,
    name: &str,
    reports: &[TraceReport<'_>],
    cell: &dyn Fn(&TraceReport<'_>) -> Option<String>,
) {
    let cells: Vec<Option<String>> = reports.iter().map(cell).collect();
    if cells.iter().any(Option::is_some) {
        let cells: Vec<String> =
            cells.into_iter().map(|cell| cell.unwrap_or_else(|| NONE.to_owned())).collect();
        table::row(page, name, &cells);
    }
}

fn load() -> Vec<Row> {
    vec![
        row("Span", |report| Some(span(report.analysis.span()))),
        row("Requests", |report| Some(whole(report.analysis.requests()))),
        row("Requests a second", |report| {
            let span = report.analysis.span() as f64 / 1e9;
            (span > 0.0).then(|| rate(report.analysis.requests() as f64 / span))
        }),
        row("Idle", |report| {
            let (idle, span) = (report.analysis.idle()?, report.analysis.span() as f64);
            Some(percent(idle.sum() as f64 / span.max(1.0)))
        }),
        row("In flight, mean", |report| report.analysis.queue_depth()?.mean().map(rate)),
        row("In flight, most", |report| report.analysis.queue_depth()?.max().map(whole)),
        row("Failed", |report| Some(report.analysis.failed()).filter(|failed| *failed > 0).map(whole)),
    ]
}

fn direction((op, words): (Op, &'static str)) -> Vec<Row> {
    let title = if words == "reads" { "Reads" } else { "Writes" };
    let some = move |report: &TraceReport<'_>| report.analysis.op(op).requests > 0;
    let quantile = move |q: f64| {
        move |report: &TraceReport<'_>| {
            let found = report.analysis.op(op).service.distribution.quantile(q)?;
            Some(nanos(found as f64))
        }
    };
    let share = move |pick: fn(&Shares) -> f64| {
        move |report: &TraceReport<'_>| Some(percent(pick(&report.analysis.op(op).service.shares()?)))
    };
    let mut rows = vec![
        Row::Group(title, op),
        row("Requests", move |report| some(report).then(|| whole(report.analysis.op(op).requests))),
        row("Bytes", move |report| some(report).then(|| bytes(report.analysis.op(op).bytes))),
        row("Sequential", move |report| {
            let found = report.analysis.op(op);
            (found.requests > 0).then(|| percent(found.sequential as f64 / found.requests as f64))
        }),
        row("Mean", move |report| report.analysis.op(op).service.distribution.moments().mean().map(nanos)),
        row("Deviation", move |report| {
            report.analysis.op(op).service.distribution.moments().stddev().map(nanos)
        }),
        row("Median", quantile(0.5)),
        row("p99", quantile(0.99)),
        row("p99.9", quantile(0.999)),
        row("Longest", quantile(1.0)),
        row("0-1 ms", share(|found| found.under_1ms)),
        row("1-100 ms", share(|found| found.from_1_to_100ms)),
        row("Over 100 ms", share(|found| found.over_100ms)),
        row("Mean with the wait", move |report| {
            report.analysis.op(op).response.distribution.moments().mean().map(nanos)
        }),
    ];
    rows.extend(slow(op));
    rows
}

fn slow(op: Op) -> Vec<Row> {
    fn of<'a>(report: &TraceReport<'a>, op: Op) -> Option<SlowIos<'a>> {
        report.slow_ios(op)
    }
    vec![
        row("Slow is", move |report| {
            Some(match of(report, op)?.threshold() {
                Threshold::Fixed(limit) => format!("{} or more", nanos(limit as f64)),
                Threshold::TenMedians => "10 medians or more".to_owned(),
            })
        }),
        row("Slow", move |report| {
            let slow = of(report, op)?;
            Some(format!("{} ({})", whole(slow.slow()), percent(slow.p_slow())))
        }),
        row("Slow after slow", move |report| Some(format!("{} times chance", rate(of(report, op)?.lift()?)))),
        row("Episodes", move |report| Some(whole(of(report, op)?.episode_count()))),
        row("Frozen", move |report| Some(nanos(of(report, op)?.frozen() as f64))),
        row("Chance of clustering", move |report| {
            report
                .slow
                .judged(op)
                .chance
                .crowding
                .map(|found| format!("p = {}", bunching::probability(found.p)))
        }),
        row("Chance of the period", move |report| {
            report.slow.judged(op).chance.period.map(|p| format!("p = {}", bunching::probability(p)))
        }),
    ]
}
