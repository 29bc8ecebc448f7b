//! The drives with the largest shares of slow I/Os.

use super::{absent_last, in_ppm, text};
use crate::fleet::findings::SlowestRow;
use crate::fleet::passes::{DriveSums, SlowUnits};
use crate::fleet::registry::Registry;

const ROWS_MAX: usize = 100;
/// With fewer intervals the spread between them is not known well enough.
const LEAST_INTERVALS: u64 = 30;
/// The 95th percentile of the normal distribution, in standard deviations.
const BOUND: f64 = 1.645;

/// The drives with the largest lower bounds of their shares, then those with the largest shares. The standard error is that of
/// a ratio estimate (Cochran, Sampling Techniques, 1977, chapter 6) with the intervals as units.
pub fn slowest_drives(
    registry: &Registry,
    drives: &[DriveSums],
    slow_ios: &[u64],
    units: &[SlowUnits],
) -> Vec<SlowestRow> {
    let sums = drives.iter().zip(slow_ios).zip(units);
    let mut rows: Vec<SlowestRow> = registry
        .drives
        .names
        .iter()
        .zip(sums)
        .filter(|(_, ((sums, _), _))| sums.ios() > 0)
        .map(|(name, ((sums, slow), units))| {
            let ios = sums.ios();
            let share = *slow as f64 / ios as f64;
            let error = (units.intervals >= LEAST_INTERVALS).then(|| {
                let intervals = units.intervals as f64 / (units.intervals - 1) as f64;
                (intervals * units.squares()).sqrt() / ios as f64
            });
            let bound = error.map(|error| if share > BOUND * error { share - BOUND * error } else { 0.0 });
            SlowestRow {
                drive: name.drive.to_string(),
                drive_model: name.model.as_deref().map(str::to_owned),
                host: text(sums.host()),
                intervals: units.intervals,
                ios,
                slow_ios: *slow,
                slow_ppm: in_ppm(share),
                standard_error_ppm: error.map(in_ppm),
                lower_bound_ppm: bound.map(in_ppm),
            }
        })
        .collect();
    // A bound that is not known comes last.
    let bound = |row: &SlowestRow| row.lower_bound_ppm.unwrap_or(-1.0);
    rows.sort_by(|one, other| {
        let by_bound = bound(other).total_cmp(&bound(one));
        let by_share = other.slow_ppm.total_cmp(&one.slow_ppm);
        let by_model = || absent_last(one.drive_model.as_ref(), other.drive_model.as_ref());
        by_bound.then(by_share).then_with(|| one.drive.cmp(&other.drive)).then_with(by_model)
    });
    rows.truncate(ROWS_MAX);
    rows
}
