//! The arrivals by windows, and how far slow I/Os among them are from chance.

use super::windows::{Dispersion, LoadSums, Loads, SlowSums, WINDOWS, index};

/// The arrivals by windows: what a rotation of slow marks leaves as it is.
pub struct WindowArrivals {
    count: u64,
    /// How many I/Os came up to the end of each of the shortest windows.
    until: Vec<u64>,
    levels: Vec<Level>,
}

/// The windows of one length.
struct Level {
    window: u64,
    /// How many I/Os each has.
    all: Vec<u64>,
    /// The place of each among the windows of the next length.
    longer: Vec<usize>,
    sums: LoadSums,
}

impl WindowArrivals {
    /// The arrivals of `count` I/Os, by windows.
    pub fn new(loads: &Loads, count: u64) -> WindowArrivals {
        let mut total = 0;
        let until = loads.windows.iter().map(|(_, all)| {
            total += all;
            total
        });
        let until = until.collect();
        let mut levels: Vec<Level> = Vec::new();
        let mut windows = loads.windows.clone();
        for window in WINDOWS.into_iter().filter(|window| *window >= loads.window) {
            if let Some(shorter) = levels.last_mut() {
                windows = joined(&windows, &mut shorter.longer);
            }
            levels.push(Level::new(window, &windows));
        }
        WindowArrivals { count, until, levels }
    }

    /// How far the slow I/Os, in rising order, are from chance: the greatest of how many deviations the index of dispersion
    /// lies above 1, over all windows, and how many the number of slow I/Os right after a slow one does.
    pub fn statistic(&self, slow: &[u64]) -> Option<f64> {
        let after = slow.windows(2).filter(|pair| pair[1] == pair[0] + 1).count();
        let dispersions = self.dispersions(slow);
        let crowding = dispersions.iter().filter(|found| found.deviation > 0.0).map(sigmas);
        let count = slow.len() as f64;
        let p = count / self.count as f64;
        let scatter = (p * (1.0 - p) * count).sqrt();
        let following = (after as f64 - p * count) / scatter;
        crowding.chain([following]).reduce(f64::max)
    }

    /// The index of dispersion of slow I/Os, whose numbers come in rising order, by the length of the window. Those lengths
    /// of which there are fewer than two windows are left out.
    pub fn dispersions(&self, slow: &[u64]) -> Vec<Dispersion> {
        let mut tallies = vec![WindowTally::default(); self.levels.len()];
        let mut window = 0;
        for number in slow.iter().copied() {
            while self.until[window] <= number {
                window += 1;
            }
            self.put(&mut tallies, 0, window, 1);
        }
        for level in 0..self.levels.len() {
            let ended = std::mem::take(&mut tallies[level].open);
            self.end(&mut tallies, level, ended);
        }
        let levels = tallies.iter().zip(&self.levels);
        levels.filter_map(|(tally, level)| index(level.window, &level.sums, &tally.sums)).collect()
    }

    /// Counts slow I/Os in the window at this place, after those of all windows before it.
    fn put(&self, tallies: &mut [WindowTally], level: usize, place: usize, slow: u64) {
        let Some(tally) = tallies.get_mut(level) else { return };
        if tally.open.place == place {
            tally.open.slow += slow;
            return;
        }
        let ended = std::mem::replace(&mut tally.open, OpenWindow { place, slow });
        self.end(tallies, level, ended);
    }

    /// Adds a window that is over to the sums of its length, and to the window of the next length that it lies in.
    fn end(&self, tallies: &mut [WindowTally], level: usize, ended: OpenWindow) {
        let OpenWindow { place, slow } = ended;
        if slow > 0 {
            tallies[level].sums.add(self.levels[level].all[place], slow);
            if let Some(longer) = self.levels[level].longer.get(place) {
                self.put(tallies, level + 1, *longer, slow);
            }
        }
    }
}

fn sigmas(found: &Dispersion) -> f64 {
    (found.index - 1.0) / found.deviation
}

impl Level {
    fn new(window: u64, windows: &[(u64, u64)]) -> Level {
        let all: Vec<u64> = windows.iter().map(|(_, count)| *count).collect();
        let mut sums = LoadSums::default();
        all.iter().for_each(|count| sums.add(*count));
        Level { window, all, longer: Vec::new(), sums }
    }
}

/// Makes one window of ten neighbours, and says in which place each comes to lie.
fn joined(windows: &[(u64, u64)], places: &mut Vec<usize>) -> Vec<(u64, u64)> {
    let mut longer: Vec<(u64, u64)> = Vec::new();
    for (number, count) in windows {
        match longer.last_mut().filter(|last| last.0 == number / 10) {
            Some(last) => last.1 += count,
            None => longer.push((number / 10, *count)),
        }
        places.push(longer.len() - 1);
    }
    longer
}

/// The window that is being filled: its place, and the slow I/Os in it so far.
#[derive(Clone, Copy, Default)]
struct OpenWindow {
    place: usize,
    slow: u64,
}

/// The slow I/Os of one length's windows.
#[derive(Clone, Copy, Default)]
struct WindowTally {
    open: OpenWindow,
    sums: SlowSums,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_statistic_is_made_of_the_index_itself() {
        // Two windows of 10 ms: 3 of 4 slow, then 0 of 2.
        let loads = Loads { window: WINDOWS[0], windows: vec![(0, 4), (1, 2)] };
        let arrivals = WindowArrivals::new(&loads, 6);
        let (mut load, mut slow) = (LoadSums::default(), SlowSums::default());
        for (all, marked) in [(4, 3), (2, 0)] {
            load.add(all);
            slow.add(all, marked);
        }
        let crowding = sigmas(&index(WINDOWS[0], &load, &slow).expect("two windows"));
        let following = (2.0 - 1.5) / (0.25f64 * 3.0).sqrt();
        assert_eq!(arrivals.statistic(&[0, 1, 2]), Some(crowding.max(following)));
    }

    #[test]
    fn the_statistic_is_the_crowding_where_none_follows_another() {
        // Five of ten are slow, then none of ten: 12.5 / 3.75, with a variance of (400 - 20 * 0.125 / 0.1875) / 400.
        let loads = Loads { window: WINDOWS[0], windows: vec![(0, 10), (1, 10)] };
        let found = WindowArrivals::new(&loads, 20).statistic(&[0, 2, 4, 6, 8]).expect("two windows");
        let expected = (12.5 / 3.75 - 1.0) / ((400.0 - 20.0 * 0.125 / 0.1875) / 400.0f64).sqrt();
        assert!((found - expected).abs() < 1e-9, "{found} {expected}");
    }

    /// One I/O in each window, half of them slow, cannot deviate.
    #[test]
    fn windows_that_cannot_deviate_leave_what_follows_what() {
        let loads = Loads { window: WINDOWS[4], windows: (0..8).map(|number| (number, 1)).collect() };
        let found = WindowArrivals::new(&loads, 8).statistic(&[0, 1, 2, 3]);
        assert_eq!(found, Some((3.0 - 2.0) / 1.0));
    }

    #[test]
    fn a_trace_without_an_io_has_no_windows() {
        assert_eq!(
            WindowArrivals::new(&Loads { window: WINDOWS[0], windows: Vec::new() }, 0).dispersions(&[]),
            []
        );
    }
}
