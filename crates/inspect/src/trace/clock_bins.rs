//! Where the bins of waits lie on the clock.

use drivelab_analysis::waiting::{WaitBin, WaitBins};
use drivelab_record::ClockTime;

const HOUR_S: i64 = 3_600;
const DAY_S: i64 = 24 * HOUR_S;

/// A bin with its place on the clock.
#[derive(Clone, Copy, Debug)]
pub(super) struct ClockBin {
    /// The days that the clock has shown since 1970.
    pub day: i64,
    /// The hour of the day.
    pub hour: usize,
    /// What was waited.
    pub bin: WaitBin,
}

/// The bins of a trace that began then, from the first one with a request on: of a part of a trace, what lies before it has no
/// days. None where a bin lies beyond the calendar.
pub(super) fn on_clock(bins: &WaitBins, began: ClockTime) -> Option<Vec<ClockBin>> {
    let numbered = bins.all().iter().enumerate().skip_while(|(_, bin)| bin.requests == 0);
    let placed = numbered.map(|(number, bin)| {
        let at = began.after(number as u64 * bins.width())?.clock_seconds();
        let hour = usize::try_from(at.rem_euclid(DAY_S) / HOUR_S).ok()?;
        Some(ClockBin { day: at.div_euclid(DAY_S), hour, bin: *bin })
    });
    placed.collect()
}
