//! Where the bins of waits lie on the clock.

use drivelab_documents::ClockTime;
use drivelab_stats::waiting::{WaitBin, WaitBins};

/// An hour in nanoseconds.
pub(super) const HOUR: u64 = 3_600_000_000_000;
const HOURS_OF_DAY: i128 = 24;

#[derive(Clone, Copy, Debug)]
pub(super) struct ClockBin {
    /// The days that the clock has shown since 1970.
    pub day: i64,
    pub hour: usize,
    /// What was waited.
    pub bin: WaitBin,
}

/// The bins of a trace that began then, from the first one with a request on: of a part of a trace, what lies before it has no
/// days. None where bins are longer than an hour, so that they have none of their own.
pub(super) fn on_clock(bins: &WaitBins, began: ClockTime) -> Option<Vec<ClockBin>> {
    if bins.width > HOUR {
        return None;
    }
    let numbered = bins.all().iter().enumerate().skip_while(|(_, bin)| bin.requests == 0);
    let placed = numbered.map(|(number, bin)| {
        let hours = (began.clock_nanos() + bins.begins(number)).div_euclid(HOUR.into());
        let hour = usize::try_from(hours.rem_euclid(HOURS_OF_DAY)).ok()?;
        Some(ClockBin { day: i64::try_from(hours.div_euclid(HOURS_OF_DAY)).ok()?, hour, bin: *bin })
    });
    placed.collect()
}
