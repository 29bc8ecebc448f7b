//! Waits in time.

use crate::joined::joined;

/// The width of a bin at first, in nanoseconds: a minute.
const WIDTH: u64 = 60_000_000_000;
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

/// Bins of equal width from the beginning of the trace on.
#[derive(Clone, Debug)]
pub struct WaitBins {
    width: u64,
    bins: Vec<WaitBin>,
}

impl Default for WaitBins {
    fn default() -> WaitBins {
        WaitBins { width: WIDTH, bins: Vec::new() }
    }
}

impl WaitBins {
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
        while at / self.width >= BINS_MAX as u64 {
            self.width *= 2;
            joined(&mut self.bins, |left, right| {
                left.requests += right.requests;
                left.spells += right.spells;
                left.waited = left.waited.saturating_add(right.waited);
            });
        }
        #[expect(clippy::cast_possible_truncation, reason = "below BINS_MAX")]
        let place = (at / self.width) as usize;
        if self.bins.len() <= place {
            self.bins.resize(place + 1, WaitBin::default());
        }
        &mut self.bins[place]
    }

    /// The width of a bin in nanoseconds.
    #[must_use]
    pub fn width(&self) -> u64 {
        self.width
    }

    /// All bins; the first begins with the trace.
    #[must_use]
    pub fn all(&self) -> &[WaitBin] {
        &self.bins
    }
}
