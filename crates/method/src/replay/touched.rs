//! Which places of its devices a trace touches, in bounded memory.

use drivelab_block::Extent;

/// Runs that are kept apart at most: 24 bytes each, and as much again while they are sorted. There are far fewer
/// devices, each of which has one run at least.
const RUNS_MAX: usize = 1 << 20;

/// A run of granules that a trace touches: the first, and the one past the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TouchedRun {
    pub device: u16,
    pub first: u64,
    pub end: u64,
}

/// The union of a trace's extents, rounded out to granules.
///
/// Where there are more than a million runs, granules of twice the size are used from then on, and again: what lies
/// between two runs then counts as touched, too. Memory is bounded by that (50 MB), whatever the trace.
#[derive(Clone, Debug, Default)]
pub struct Touched {
    /// Sectors of a granule.
    pub granule: u64,
    runs: Vec<TouchedRun>,
    new: Vec<TouchedRun>,
    most: usize,
}

impl Touched {
    /// Nothing is touched yet. Granules begin with this many sectors, a power of two.
    pub fn new(granule: u64) -> Touched {
        Touched::with_room(granule, RUNS_MAX)
    }

    fn with_room(granule: u64, most: usize) -> Touched {
        Touched { granule: granule.max(1), runs: Vec::new(), new: Vec::new(), most }
    }

    /// Adds an extent, which is not empty.
    #[inline]
    pub fn add(&mut self, device: u16, extent: Extent) {
        let (first, end) = (extent.start.get() / self.granule, extent.end().get().div_ceil(self.granule));
        match self.new.last_mut() {
            // Neighbours are joined at once: a sequence takes no room.
            Some(last) if last.device == device && (last.first..=last.end).contains(&first) => {
                last.end = last.end.max(end);
            }
            _ => {
                self.new.push(TouchedRun { device, first, end });
                if self.new.len() >= self.most {
                    self.settle();
                }
            }
        }
    }

    /// Joins everything, and makes granules coarser where there are too many runs.
    pub fn settle(&mut self) {
        self.runs.append(&mut self.new);
        self.runs.sort_unstable();
        join(&mut self.runs);
        while self.runs.len() > self.most {
            self.granule *= 2;
            for run in &mut self.runs {
                (run.first, run.end) = (run.first / 2, run.end.div_ceil(2));
            }
            join(&mut self.runs);
        }
    }

    /// The runs in the order of devices and addresses, none of which touches the next; settled before.
    pub fn runs(&self) -> &[TouchedRun] {
        debug_assert!(self.new.is_empty(), "runs are asked for before they are settled");
        &self.runs
    }

    /// Sectors in all runs.
    pub fn sectors(&self) -> u64 {
        self.runs
            .iter()
            .map(|run| (run.end - run.first).saturating_mul(self.granule))
            .fold(0, u64::saturating_add)
    }
}

/// Joins sorted runs that overlap or touch.
fn join(runs: &mut Vec<TouchedRun>) {
    runs.dedup_by(|next, last| {
        let joins = next.device == last.device && next.first <= last.end;
        if joins {
            last.end = last.end.max(next.end);
        }
        joins
    });
}

#[cfg(test)]
pub mod fixture {
    use super::*;

    /// A set that keeps at most this many runs.
    pub fn touched(extents: &[(u16, Extent)], granule: u64, most: usize) -> Touched {
        let mut touched = Touched::with_room(granule, most);
        extents.iter().for_each(|(device, extent)| touched.add(*device, *extent));
        touched.settle();
        touched
    }
}
