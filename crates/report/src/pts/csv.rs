//! The measurements of tests in rounds as CSV.

use std::fmt::Write as _;

use super::document::PtsDocument;
use crate::csv::field;

/// What the pictures show: a line for each measurement of each cell.
pub fn pts_csv(document: &PtsDocument) -> String {
    let mut text = "test,cell,round,iops,mb_s,mean_ns,p50_ns,p99_ns,p99_9_ns,p99_99_ns,max_ns\n".to_owned();
    for test in &document.tests {
        for cell in &test.cells {
            let name = field(&cell.name);
            for (round, sample) in cell.samples.iter().enumerate() {
                let times = [sample.p50_ns, sample.p99_ns, sample.p99_9_ns, sample.p99_99_ns, sample.max_ns];
                let _ = writeln!(
                    text,
                    "{},{name},{},{},{},{},{}",
                    test.test,
                    round + 1,
                    sample.iops,
                    sample.mb_s,
                    sample.mean_ns,
                    times.map(|time| time.to_string()).join(",")
                );
            }
        }
    }
    text
}
