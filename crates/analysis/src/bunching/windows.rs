//! Whether slow I/Os crowd in some windows of time: the load-adjusted index of dispersion.

/// The windows, in nanoseconds: each ten times the one before, so that they nest.
pub const WINDOWS: [u64; 5] = [10_000_000, 100_000_000, 1_000_000_000, 10_000_000_000, 100_000_000_000];

/// How many thresholds are counted side by side.
pub const COUNTED: usize = 8;

/// Counts of one window's I/Os, and of the slow ones among them at every threshold.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    all: u64,
    slow: [u64; COUNTED],
}

/// Sums over the windows of one length.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    windows: u64,
    all: u128,
    all_squared: u128,
    slow: [SlowSums; COUNTED],
}

/// Those of one threshold.
#[derive(Clone, Copy, Debug, Default)]
struct SlowSums {
    count: u128,
    squared: u128,
    product: u128,
}

impl Sums {
    fn add(&mut self, window: &Counts) {
        let all = u128::from(window.all);
        self.windows += 1;
        self.all += all;
        self.all_squared += all * all;
        for (sums, slow) in self.slow.iter_mut().zip(window.slow) {
            let slow = u128::from(slow);
            sums.count += slow;
            sums.squared += slow * slow;
            sums.product += all * slow;
        }
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

/// The sums for all windows, in one pass over I/Os in the order of time.
#[derive(Clone, Debug, Default)]
pub struct Dispersions {
    /// The number of the window of each length that is being filled.
    number: [u64; WINDOWS.len()],
    open: [Counts; WINDOWS.len()],
    sums: [Sums; WINDOWS.len()],
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
        self.open[0].all += 1;
        if slow != 0 {
            for (place, count) in self.open[0].slow.iter_mut().enumerate() {
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
            self.number[level] = number;
            self.close(level);
        }
        self.until = (self.number[0] + 1).saturating_mul(WINDOWS[0]);
    }

    fn close(&mut self, level: usize) {
        let counts = std::mem::take(&mut self.open[level]);
        if counts.all > 0 {
            self.sums[level].add(&counts);
            if let Some(longer) = self.open.get_mut(level + 1) {
                longer.all += counts.all;
                longer.slow.iter_mut().zip(counts.slow).for_each(|(sum, slow)| *sum += slow);
            }
        }
    }

    /// The indices of one threshold, for windows of which there are at least two; none where no I/O is slow, or
    /// all are.
    pub fn indices(&self, threshold: usize) -> Vec<Dispersion> {
        let mut ended = self.clone();
        (0..WINDOWS.len()).for_each(|level| ended.close(level));
        let sums = WINDOWS.iter().zip(&ended.sums);
        sums.filter_map(|(window, sums)| index(*window, sums, &sums.slow[threshold])).collect()
    }
}

fn index(window: u64, sums: &Sums, slow: &SlowSums) -> Option<Dispersion> {
    if sums.windows < 2 || slow.count == 0 || slow.count == sums.all {
        return None;
    }
    let (all, all_squared) = (sums.all as f64, sums.all_squared as f64);
    let p = slow.count as f64 / all;
    let scatter = p * (1.0 - p);
    let excess = slow.squared as f64 - 2.0 * p * slow.product as f64 + p * p * all_squared;
    // Each window's squared deviate weighs as its load; its variance is that of a binomial count.
    let variance = (2.0 * all_squared + all * (1.0 - 6.0 * scatter) / scatter) / (all * all);
    Some(Dispersion {
        window,
        index: excess / (scatter * all),
        deviation: variance.max(0.0).sqrt(),
        windows: sums.windows,
    })
}

#[cfg(test)]
mod tests {
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
}
