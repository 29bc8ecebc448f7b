//! What each device did, where a trace has several.

use drivelab_analysis::DeviceOp;

use crate::format::{bytes, nanos, percent, whole};
use crate::html::table;
use crate::trace::TraceReport;

/// Rows a trace; the JSON document has all.
const ROWS: usize = 50;

/// A table of devices; nothing where every trace has one.
pub(super) fn section(page: &mut String, reports: &[TraceReport<'_>]) {
    if reports.iter().all(|report| report.used_devices().len() < 2) {
        return;
    }
    page.push_str("<section aria-labelledby=\"devices-title\">\n<h2 id=\"devices-title\">Devices</h2>\n");
    let heads =
        ["Device", "Requests", "Bytes", "Mean", "Deviation", "Longest", "0-1 ms", "1-100 ms", "> 100 ms"];
    table::open(page, "devices", "Devices", &heads);
    for report in reports {
        if reports.len() > 1 {
            table::group(page, &report.label, heads.len() - 1);
        }
        let used = report.used_devices();
        for (device, found) in used.iter().take(ROWS) {
            for (op, words) in [(&found.reads, "reads"), (&found.writes, "writes")] {
                if op.requests > 0 {
                    table::row(page, &format!("{}, {words}", device.name), &cells(op));
                }
            }
        }
        if let Some(more) = used.len().checked_sub(ROWS).filter(|more| *more > 0) {
            table::row(page, &format!("and {} more", whole(more as u64)), &[]);
        }
    }
    table::close(page);
    page.push_str("</section>\n");
}

fn cells(op: &DeviceOp) -> Vec<String> {
    let none = || "-".to_owned();
    let moments = op.service.moments;
    let mut cells = vec![
        whole(op.requests),
        bytes(op.bytes),
        moments.mean().map_or_else(none, nanos),
        moments.stddev().map_or_else(none, nanos),
        moments.max().map_or_else(none, |max| nanos(max as f64)),
    ];
    match op.service.shares() {
        Some(shares) => {
            cells.extend([shares.under_1ms, shares.from_1_to_100ms, shares.over_100ms].map(percent));
        }
        None => cells.extend([none(), none(), none()]),
    }
    cells
}
