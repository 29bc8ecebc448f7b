//! Whether slow I/Os crowd in some windows of time: the load-adjusted index of dispersion.

/// The windows, in nanoseconds: each ten times the one before, so that they nest.
pub const WINDOWS: [u64; 5] = [10_000_000, 100_000_000, 1_000_000_000, 10_000_000_000, 100_000_000_000];

/// How many thresholds are counted side by side.
pub const COUNTED: usize = 8;

/// Windows with I/Os that are kept one by one: 2 MB. Where there are more, ten neighbours become one.
const LOADS_KEPT: usize = 1 << 17;

/// Counts of one window's I/Os, and of the slow ones among them at every threshold.
#[derive(Clone, Copy, Debug, Default)]
struct WindowCounts {
    all: u64,
    /// At which thresholds any was slow, a bit each: most windows have none, and cost little then.
    marked: u8,
    slow: [u64; COUNTED],
}

/// Sums over the windows of one length.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    load: LoadSums,
    slow: [SlowSums; COUNTED],
}

/// Those of all I/Os.
#[derive(Clone, Copy, Debug, Default)]
pub struct LoadSums {
    windows: u64,
    all: u128,
    all_squared: u128,
}

impl LoadSums {
    /// Adds a window of so many I/Os.
    pub fn add(&mut self, all: u64) {
        let all = u128::from(all);
        self.windows += 1;
        self.all += all;
        self.all_squared += all * all;
    }
}

/// Those of one threshold.
#[derive(Clone, Copy, Debug, Default)]
pub struct SlowSums {
    count: u128,
    squared: u128,
    product: u128,
}

impl SlowSums {
    /// Adds a window of so many I/Os, so many of them slow.
    pub fn add(&mut self, all: u64, slow: u64) {
        let (all, slow) = (u128::from(all), u128::from(slow));
        self.count += slow;
        self.squared += slow * slow;
        self.product += all * slow;
    }
}

/// The index for one window.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dispersion {
    /// The window in nanoseconds.
    pub window: u64,
    /// `sum (c - p n)^2 / (p (1 - p) sum n)` over windows of n I/Os, c of them slow, `p = sum c / sum n`: 1 where
    /// each I/O is slow or not by itself, whatever the load does; more where slow ones crowd.
    pub index: f64,
    /// The index's standard deviation where each I/O is slow or not by itself.
    pub deviation: f64,
    /// Windows that had I/Os.
    pub windows: u64,
}

/// The windows that are being filled, and the sums of those that are full.
#[derive(Clone, Copy, Debug, Default)]
struct Levels {
    open: [WindowCounts; WINDOWS.len()],
    sums: [Sums; WINDOWS.len()],
}

impl Levels {
    /// Ends the window of one length, which becomes a part of the next longer one. Gives how many I/Os it had.
    fn close(&mut self, level: usize) -> u64 {
        let all = std::mem::take(&mut self.open[level].all);
        if all == 0 {
            return 0;
        }
        self.sums[level].load.add(all);
        if let Some(longer) = self.open.get_mut(level + 1) {
            longer.all += all;
        }
        if self.open[level].marked != 0 {
            self.close_marked(level, all);
        }
        all
    }

    /// Passes on the slow I/Os of a window of so many.
    fn close_marked(&mut self, level: usize, all: u64) {
        let WindowCounts { marked, slow, .. } = std::mem::take(&mut self.open[level]);
        self.sums[level].slow.iter_mut().zip(slow).for_each(|(sums, slow)| sums.add(all, slow));
        if let Some(longer) = self.open.get_mut(level + 1) {
            longer.marked |= marked;
            longer.slow.iter_mut().zip(slow).for_each(|(sum, slow)| *sum += slow);
        }
    }
}

/// The sums for all windows, in one pass over I/Os in the order of time.
#[derive(Clone, Debug, Default)]
pub struct Dispersions {
    /// The number of the window of each length that is being filled.
    number: [u64; WINDOWS.len()],
    levels: Levels,
    loads: Loads,
    /// When the shortest window ends.
    until: u64,
}

impl Dispersions {
    /// Takes the next I/O: when it began, and a bit for each threshold at which it was slow.
    #[inline]
    pub fn add(&mut self, at: u64, slow: u8) {
        if at >= self.until {
            self.roll(at);
        }
        let open = &mut self.levels.open[0];
        open.all += 1;
        if slow != 0 {
            open.marked |= slow;
            for (place, count) in open.slow.iter_mut().enumerate() {
                *count += u64::from(slow >> place & 1);
            }
        }
    }

    /// Closes the windows that end before `at`, each into the next longer one.
    fn roll(&mut self, at: u64) {
        for (level, window) in WINDOWS.iter().enumerate() {
            let number = at / window;
            if number == self.number[level] {
                // What the shorter ones gave up is already in here.
                break;
            }
            let ended = std::mem::replace(&mut self.number[level], number);
            let all = self.levels.close(level);
            if level == 0 {
                self.loads.add(ended, all);
            }
        }
        self.until = (self.number[0] + 1).saturating_mul(WINDOWS[0]);
    }

    /// The indices of one threshold, for windows of which there are at least two; none where no I/O is slow, or
    /// all are.
    pub fn indices(&self, threshold: usize) -> Vec<Dispersion> {
        let mut ended = self.levels;
        (0..WINDOWS.len()).for_each(|level| {
            ended.close(level);
        });
        let sums = WINDOWS.iter().zip(&ended.sums);
        sums.filter_map(|(window, sums)| index(*window, &sums.load, &sums.slow[threshold])).collect()
    }

    /// The windows that had I/Os, with how many: the arrivals.
    pub fn loads(&self) -> Loads {
        let mut loads = self.loads.clone();
        loads.add(self.number[0], self.levels.open[0].all);
        loads
    }
}

/// The index of dispersion of windows of this length; `None` where it cannot be told.
pub fn index(window: u64, load: &LoadSums, slow: &SlowSums) -> Option<Dispersion> {
    if load.windows < 2 || slow.count == 0 || slow.count == load.all {
        return None;
    }
    let (all, all_squared) = (load.all as f64, load.all_squared as f64);
    let p = slow.count as f64 / all;
    let scatter = p * (1.0 - p);
    let excess = slow.squared as f64 - 2.0 * p * slow.product as f64 + p * p * all_squared;
    // Each window's squared deviate weighs as its load; its variance is that of a binomial count.
    let variance = (2.0 * all_squared + all * (1.0 - 6.0 * scatter) / scatter) / (all * all);
    Some(Dispersion {
        window,
        index: excess / (scatter * all),
        deviation: variance.max(0.0).sqrt(),
        windows: load.windows,
    })
}

/// The windows of one length that had I/Os, in order, each with how many.
///
/// They are the shortest windows where these are few enough; else ten neighbours are one, as often as needed.
#[derive(Clone, Debug)]
pub struct Loads {
    /// Their length in nanoseconds.
    pub window: u64,
    /// The number of each from the start of the trace, and its I/Os.
    pub windows: Vec<(u64, u64)>,
}

impl Default for Loads {
    fn default() -> Loads {
        Loads { window: WINDOWS[0], windows: Vec::new() }
    }
}

impl Loads {
    /// Takes the next window of the shortest length.
    fn add(&mut self, number: u64, all: u64) {
        if all > 0 {
            self.join(number / (self.window / WINDOWS[0]), all);
        }
        while self.windows.len() > LOADS_KEPT {
            self.window *= 10;
            for (number, all) in std::mem::take(&mut self.windows) {
                self.join(number / 10, all);
            }
        }
    }

    /// Adds I/Os to the window with this number, the last one or a later one.
    pub fn join(&mut self, number: u64, all: u64) {
        match self.windows.last_mut().filter(|last| last.0 == number) {
            Some(last) => last.1 += all,
            None => self.windows.push((number, all)),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;
    use proptest::test_runner::TestCaseError;

    use super::super::arrivals::WindowArrivals;
    use super::*;

    #[test]
    fn the_index_is_that_of_the_formula() {
        // Two windows of 10 ms: 3 of 4 slow, then 0 of 2.
        let mut dispersions = Dispersions::default();
        for (at, is_slow) in
            [(1, true), (2, true), (3, true), (4, false), (10_000_001, false), (10_000_002, false)]
        {
            dispersions.add(at, u8::from(is_slow));
        }
        let p: f64 = 3.0 / 6.0;
        let expected = ((3.0 - 4.0 * p).powi(2) + (0.0 - 2.0 * p).powi(2)) / (p * (1.0 - p) * 6.0);
        let found = dispersions.indices(0);
        assert_eq!(found.len(), 1, "one length has two windows");
        assert!((found[0].index - expected).abs() < 1e-12);
    }

    /// The variance of (c - p n)^2 for a binomial c, by summing over all c.
    fn variance_of_squared_deviate(n: u64, p: f64) -> f64 {
        let (mut chance, mut mean, mut square) = ((1.0 - p).powf(n as f64), 0.0, 0.0);
        for c in 0..=n {
            let deviate = (c as f64 - p * n as f64).powi(2);
            (mean, square) = (mean + chance * deviate, square + chance * deviate * deviate);
            chance *= (n - c) as f64 / (c + 1) as f64 * p / (1.0 - p);
        }
        square - mean * mean
    }

    /// The indices of a sequence of I/Os, straight from their definition.
    fn direct(ios: &[(u64, bool)], window: u64) -> Option<Dispersion> {
        let mut windows: BTreeMap<u64, (u64, u64)> = BTreeMap::new();
        for (at, is_slow) in ios {
            let counts = windows.entry(at / window).or_default();
            *counts = (counts.0 + 1, counts.1 + u64::from(*is_slow));
        }
        let slow: u64 = windows.values().map(|(_, slow)| slow).sum();
        let p = slow as f64 / ios.len() as f64;
        let scatter = p * (1.0 - p) * ios.len() as f64;
        let squares: f64 = windows.values().map(|(n, c)| (*c as f64 - p * *n as f64).powi(2)).sum();
        let variance: f64 = windows.values().map(|(n, _)| variance_of_squared_deviate(*n, p)).sum();
        (windows.len() > 1 && scatter > 0.0).then(|| Dispersion {
            window,
            index: squares / scatter,
            deviation: variance.max(0.0).sqrt() / scatter,
            windows: windows.len() as u64,
        })
    }

    fn assert_same(found: &[Dispersion], ios: &[(u64, bool)]) -> Result<(), TestCaseError> {
        let expected: Vec<Dispersion> =
            WINDOWS.into_iter().filter_map(|window| direct(ios, window)).collect();
        prop_assert_eq!(found.len(), expected.len());
        for (found, expected) in found.iter().zip(&expected) {
            prop_assert_eq!((found.window, found.windows), (expected.window, expected.windows));
            let is_near = |one: f64, other: f64| (one - other).abs() < 1e-6 * other.max(1.0);
            prop_assert!(is_near(found.index, expected.index), "{:?} for {:?}", found, expected);
            prop_assert!(is_near(found.deviation, expected.deviation), "{:?} for {:?}", found, expected);
        }
        Ok(())
    }

    proptest! {
        /// What is said of bursts stands on these: of windows of every length, in one pass and from the kept arrivals.
        #[test]
        fn every_window_has_the_index_and_the_deviation_of_their_definition(
            gaps in proptest::collection::vec((0u64..12, any::<u64>(), 0u32..4), 2..120),
        ) {
            // From a nanosecond to more than the longest window.
            let mut at = 0;
            let ios: Vec<(u64, bool)> = gaps.iter().map(|(digits, gap, slow)| {
                at += gap % 10u64.pow(*u32::try_from(*digits).as_ref().expect("few"));
                (at, *slow == 0)
            }).collect();
            let mut dispersions = Dispersions::default();
            // The third threshold has them, and the first has others.
            for (number, (at, is_slow)) in ios.iter().enumerate() {
                dispersions.add(*at, u8::from(number % 3 == 0) | u8::from(*is_slow) << 2);
            }
            assert_same(&dispersions.indices(2), &ios)?;
            let slow: Vec<u64> = (0..).zip(&ios).filter(|(_, (_, is_slow))| *is_slow).map(|(n, _)| n).collect();
            let arrivals = WindowArrivals::new(&dispersions.loads(), ios.len() as u64);
            assert_same(&arrivals.dispersions(&slow), &ios)?;
        }
    }

    #[test]
    fn many_windows_are_kept_as_fewer_longer_ones() {
        let mut dispersions = Dispersions::default();
        let count = LOADS_KEPT as u64 * 3;
        (0..count).for_each(|number| dispersions.add(number * 7 * WINDOWS[0], 0));
        let loads = dispersions.loads();
        assert_eq!(loads.window, 1_000_000_000, "one in 70 ms: a hundred become one");
        assert!(loads.windows.len() <= LOADS_KEPT && loads.windows.is_sorted_by(|a, b| a.0 < b.0));
        assert_eq!(loads.windows.iter().map(|(_, all)| all).sum::<u64>(), count);
    }

    #[test]
    fn as_many_windows_are_kept_as_memory_is_set_aside_for() {
        let kept = |count: usize| {
            let mut dispersions = Dispersions::default();
            (0..count as u64).for_each(|number| dispersions.add(number * WINDOWS[0], 0));
            let loads = dispersions.loads();
            (loads.window, loads.windows.len())
        };
        let (most, ten) = (LOADS_KEPT, 10 * WINDOWS[0]);
        assert_eq!((kept(most), kept(most + 1)), ((WINDOWS[0], most), (ten, (most + 1).div_ceil(10))));
    }
}
