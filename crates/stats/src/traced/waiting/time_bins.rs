//! Waits in time.

use crate::joined::{Joining, joined_by};

/// The width of a bin at first, in nanoseconds: a minute.
const WIDTH: u64 = 60_000_000_000;
/// An hour in nanoseconds.
const HOUR: u64 = 60 * WIDTH;
/// Bins before neighbours are joined: three weeks of minutes.
const BINS_MAX: usize = 32_768;

/// What began in one bin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WaitBin {
    /// Requests.
    pub requests: u64,
    /// Spells in which programs waited.
    pub spells: u32,
    /// How long programs waited, in nanoseconds; a wait counts where it began.
    pub waited: u64,
}

/// Bins of equal width, from the whole hour of the clock on in which the trace began. An hour holds a whole number of them, or
/// they of hours, so that each lies in one hour of the clock where it is not longer than that.
#[derive(Clone, Debug)]
pub struct WaitBins {
    /// The width of a bin in nanoseconds.
    pub width: u64,
    /// How long before the trace's beginning the first one begins: less than an hour.
    lead: u64,
    bins: Vec<WaitBin>,
}

impl Default for WaitBins {
    fn default() -> WaitBins {
        WaitBins { width: WIDTH, lead: 0, bins: Vec::new() }
    }
}

/// How many bins of this width become one.
fn joined_at_once(width: u64) -> u8 {
    match width / WIDTH {
        4 => 3,
        12 => 5,
        _ => 2,
    }
}

impl WaitBins {
    /// Bins of a trace at whose beginning the clock had shown its day for this many nanoseconds.
    pub(super) fn begun_at(nanos_of_day: u64) -> WaitBins {
        WaitBins { lead: nanos_of_day % HOUR, ..WaitBins::default() }
    }

    /// Counts a request.
    pub(super) fn begin(&mut self, at: u64) {
        self.bin(at).requests += 1;
    }

    /// Counts a wait that begins, with the time that it adds to that of others.
    pub(super) fn wait(&mut self, at: u64, spells: u32, nanos: u64) {
        let bin = self.bin(at);
        bin.spells += spells;
        bin.waited = bin.waited.saturating_add(nanos);
    }

    fn bin(&mut self, at: u64) -> &mut WaitBin {
        let at = at.saturating_add(self.lead);
        while at / self.width >= BINS_MAX as u64 {
            let by = joined_at_once(self.width);
            self.width *= u64::from(by);
            joined_by(&mut self.bins, Joining::new(by, 0), |left, right| {
                left.requests += right.requests;
                left.spells += right.spells;
                left.waited = left.waited.saturating_add(right.waited);
            });
        }
        let place = usize::try_from(at / self.width).unwrap_or(usize::MAX);
        if self.bins.len() <= place {
            self.bins.resize(place + 1, WaitBin::default());
        }
        &mut self.bins[place]
    }

    /// All bins; the first begins with the hour of the clock in which the trace began.
    pub fn all(&self) -> &[WaitBin] {
        &self.bins
    }

    /// When a bin begins, in nanoseconds after the trace's beginning: negative where that lies in it or behind it.
    pub fn begins(&self, bin: usize) -> i128 {
        i128::from(self.width) * bin as i128 - i128::from(self.lead)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// However long a trace is, what is counted in a bin of up to an hour was issued in one hour of the clock.
    #[test]
    fn a_bin_lies_in_one_hour_of_the_clock() {
        let lead = 20_548_000_000 + 37 * WIDTH;
        for (days, minutes) in [(1, 1), (30, 2), (60, 4), (120, 12), (500, 60), (2_000, 120)] {
            let mut bins = WaitBins::begun_at(13 * HOUR + lead);
            (0..days * 24).for_each(|hour| bins.wait(hour * HOUR, 1, 1));
            assert_eq!(bins.width, minutes * WIDTH, "{days} days");
            let counted: u32 = bins.all().iter().map(|bin| bin.spells).sum();
            assert_eq!(u64::from(counted), days * 24);
            let of_hour = i128::from(HOUR.max(bins.width));
            for bin in 0..bins.all().len() {
                let begins = bins.begins(bin) + i128::from(lead);
                let last = begins + i128::from(bins.width) - 1;
                assert_eq!(begins.div_euclid(of_hour), last.div_euclid(of_hour), "bin {bin} of {days} days");
            }
        }
    }
}
