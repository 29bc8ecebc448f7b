//! What clustering would have been seen: bursts planted among the same arrivals.
//!
//! Where slow I/Os are not shown to be clustered, that alone says nothing: there may be too few of them. So as many slow
//! I/Os as were seen are dealt to the same arrivals a few hundred times, a ninth of them in bursts of ten in a row and the
//! others by themselves. That is an index of dispersion of 2 (1 + 9 / 9), twice that of chance. Where the index that was
//! seen lies below that of 95 % of these, such bursts are excluded at a level of 5 % (the inversion of a test: the upper
//! bound of the index's interval lies below that amount of clustering).

use super::arrivals::Arrivals;
use super::windows::Loads;
use crate::draws::mixed;

/// I/Os of a burst.
pub const BURST: u64 = 10;
/// One in so many slow I/Os belongs to a burst.
pub const IN_BURSTS: u64 = 9;
/// Slow I/Os from which on three bursts are expected, and none at all comes about in less than 5 % of traces: fewer can
/// exclude nothing.
pub const ENOUGH_FOR_BURSTS: u64 = 3 * BURST * IN_BURSTS;
/// Draws, at least and at most; 39 is the least number of which one in twenty is two.
const DRAWS: (u64, u64) = (39, 199);
/// Steps that all draws together may take, about.
const STEPS: u64 = 20_000_000;
/// Deviations above 1 that chance exceeds in 1 % of cases.
const HARDLY_CHANCE: f64 = 2.33;
/// Where the sequence of these numbers begins, apart from that of the rotations.
const OFFSET: u64 = 3 << 61;

/// The index of dispersion of one length of windows beside that of planted bursts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlantedBursts {
    /// The window in nanoseconds.
    pub window: u64,
    /// The index that was seen.
    pub seen: f64,
    /// The index that 95 % of draws with bursts exceed.
    pub least: f64,
    /// Whether bursts are told from chance there: that index lies above what chance reaches in 99 % of cases.
    pub has_power: bool,
}

impl PlantedBursts {
    /// Whether such bursts are excluded.
    pub fn are_excluded(&self) -> bool {
        self.has_power && self.seen < self.least
    }
}

/// Plants bursts among `count` I/Os that arrived in `loads`, as many slow ones as there are numbers in `slow`.
pub fn planted_bursts(slow: &[u64], loads: &Loads, count: u64) -> Vec<PlantedBursts> {
    let arrivals = Arrivals::of(loads, count);
    let steps = 8 * slow.len() + loads.windows.len();
    let draws = (STEPS / steps.max(1) as u64).clamp(DRAWS.0, DRAWS.1);
    let seen = arrivals.dispersions(slow);
    let mut indices = vec![Vec::new(); seen.len()];
    let mut numbers = Numbers(OFFSET);
    for _ in 0..draws {
        let planted = numbers.planted(slow.len(), count);
        let found = arrivals.dispersions(&planted);
        indices.iter_mut().zip(found).for_each(|(indices, found)| indices.push(found.index));
    }
    let levels = seen.iter().zip(indices);
    let of_level = levels.filter_map(|(seen, mut indices)| {
        indices.sort_by(f64::total_cmp);
        let least = *indices.get(((indices.len() + 1) / 20).checked_sub(1)?)?;
        let has_power = least > 1.0 + HARDLY_CHANCE * seen.deviation;
        Some(PlantedBursts { window: seen.window, seen: seen.index, least, has_power })
    });
    of_level.collect()
}

/// Random numbers, the same ones every time.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 += 1;
        mixed(self.0) % limit.max(1)
    }

    /// So many slow I/Os of `count`, in rising order.
    fn planted(&mut self, slow: usize, count: u64) -> Vec<u64> {
        let mut planted = Vec::with_capacity(slow + slow / 8);
        for _ in 0..slow as u64 / BURST {
            if self.below(IN_BURSTS) == 0 {
                let first = self.below(count.saturating_sub(BURST) + 1);
                planted.extend(first..first + BURST);
            }
        }
        // Two may fall on one I/O: what is short of the number is dealt again.
        loop {
            planted.sort_unstable();
            planted.dedup();
            let short = slow - planted.len();
            if short == 0 {
                return planted;
            }
            planted.extend((0..short).map(|_| self.below(count)));
        }
    }
}
