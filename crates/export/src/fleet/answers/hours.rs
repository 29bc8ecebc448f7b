//! I/Os by the hour of the day.

use super::in_ppm;
use crate::fleet::findings::{HourRow, Operation};
use crate::fleet::passes::HourSums;

/// A row for each operation and hour with measured I/Os whose service time is known.
pub fn hours_of_day(hours: &[[HourSums; 24]; 4]) -> Vec<HourRow> {
    let of_op = Operation::ALL.into_iter().zip(hours);
    let rows = of_op.flat_map(|(operation, hours)| {
        (0_u64..).zip(hours).filter_map(move |(hour_utc, sums)| {
            let ios = sums.times.ios;
            Some(HourRow {
                operation,
                hour_utc,
                ios,
                slow_ios: sums.slow_ios,
                p99_us: sums.times.micros_at(990)?,
                slow_ppm: in_ppm(sums.slow_ios as f64 / ios as f64),
            })
        })
    });
    rows.collect()
}
