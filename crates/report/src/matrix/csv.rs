//! The runs of a matrix as CSV.

use std::fmt::Write as _;

use super::document::MatrixDocument;
use crate::csv::{field, number};

/// What the pictures show, run by run: a line for each run of each cell.
pub fn matrix_csv(document: &MatrixDocument) -> String {
    let mut text =
        "fs,scheduler,caching,threads,work,run,rate,unit,mean_ns,p50_ns,p99_ns,max_ns\n".to_owned();
    for cell in &document.cells {
        let scheduler = cell.scheduler.as_deref().map_or_else(String::new, field);
        let (fs, caching) = (cell.fs.unwrap_or_default(), cell.caching.unwrap_or_default());
        for run in &cell.runs {
            let latency = run.latency_ns;
            let times = [
                number(latency.map(|latency| latency.mean)),
                number(latency.map(|latency| latency.p50)),
                number(latency.map(|latency| latency.p99)),
                number(latency.map(|latency| latency.max)),
            ]
            .join(",");
            let _ = writeln!(
                text,
                "{fs},{scheduler},{caching},{},{},{},{},{},{times}",
                cell.threads,
                cell.work,
                run.run + 1,
                run.rate,
                cell.unit
            );
        }
    }
    text
}
