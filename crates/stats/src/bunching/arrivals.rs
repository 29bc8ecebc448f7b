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
        let running = loads.windows.iter().scan(0, |total, (_, all)| {
            *total += all;
            Some(*total)
        });
        let until = running.collect();
        let mut levels: Vec<Level> = Vec::new();
        let mut loads = loads.clone();
        let shortest = loads.window;
        for window in WINDOWS.into_iter().filter(|window| *window >= shortest) {
            if let Some(shorter) = levels.last_mut() {
                let neighbours = std::mem::take(&mut loads.windows);
                for (number, all) in neighbours {
                    loads.join(number / 10, all);
                    shorter.longer.push(loads.windows.len() - 1);
                }
            }
            let all: Vec<u64> = loads.windows.iter().map(|(_, count)| *count).collect();
            let mut sums = LoadSums::default();
            all.iter().for_each(|count| sums.add(*count));
            levels.push(Level { window, all, longer: Vec::new(), sums });
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
        // The windows with slow ones, each by its place, with how many.
        let mut windows: Vec<(usize, u64)> = Vec::with_capacity(slow.len());
        let mut window = 0;
        for number in slow {
            while self.until[window] <= *number {
                window += 1;
            }
            windows.push((window, 1));
        }
        let found = self.levels.iter().filter_map(|level| {
            windows.dedup_by(|next, last| {
                let is_same = next.0 == last.0;
                last.1 += if is_same { next.1 } else { 0 };
                is_same
            });
            let mut sums = SlowSums::default();
            for (place, slow) in &mut windows {
                sums.add(level.all[*place], *slow);
                *place = level.longer.get(*place).copied().unwrap_or(0);
            }
            index(level.window, &level.sums, &sums)
        });
        found.collect()
    }
}

fn sigmas(found: &Dispersion) -> f64 {
    (found.index - 1.0) / found.deviation
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
