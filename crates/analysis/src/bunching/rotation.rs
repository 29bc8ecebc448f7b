//! How often chance alone crowds slow I/Os as much: circular-shift permutation.
//!
//! Of each four I/Os in a row, one goes to each of four strands, which one to which being drawn anew every time. The slow
//! marks of the first strand stay where they are; those of the others are shifted along their strands, round the end, each
//! by a random offset of its own, while every I/O keeps its time. Where each I/O is slow or not by itself, the shifted
//! sequence is as likely as the one that was seen, whatever the arrivals do, so the share of rotations that crowd as much
//! is an exact probability. Bunches are torn: each quarter goes elsewhere. (Shifting all marks together would keep them
//! whole and show nothing; with two strands, bunches that come back regularly would too often meet again.)

use super::windows::{Dispersion, LoadSums, Loads, SlowSums, WINDOWS, index};
use crate::draws::mixed;

/// Strands that are shifted against each other.
const STRANDS: usize = 4;
/// Rotations at most, and at least where there is very much to rotate.
const ROTATIONS: (u64, u64) = (99, 999);
/// Steps that all rotations together may take, about: a tenth of a second.
const STEPS: u64 = 20_000_000;
/// Where the offsets' sequence begins, behind that of the dealing.
const OFFSETS: u64 = 1 << 63;

/// What rotating the slow marks says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rotation {
    /// How likely chance alone crowds slow I/Os as much: `(1 + rotations that do) / (1 + rotations)`.
    pub p: f64,
    /// How many rotations were made.
    pub rotations: u64,
    /// The shortest window that was looked at, in nanoseconds: 10 ms, or more where the trace has more windows than
    /// are kept. Whether slow I/Os follow each other directly is looked at in any case.
    pub finest_window: u64,
}

/// Rotates the I/Os with these numbers, of `count` that arrived in `loads`. `None` where there is nothing to compare.
///
/// The statistic is the greatest of how many standard deviations the index of dispersion lies above chance, over all
/// windows, and how many the number of slow I/Os right after a slow one does.
pub fn rotation(slow: &[u64], loads: &Loads, count: u64) -> Option<Rotation> {
    let groups = count / STRANDS as u64;
    if slow.len() < 2 || slow.len() as u64 == count || groups < 2 {
        return None;
    }
    let arrivals = Arrivals::of(loads, count);
    let strands = Strands::of(slow, groups);
    let seen = arrivals.statistic(slow)?;
    let steps = STRANDS * slow.len() + loads.windows.len();
    let rotations = (STEPS / steps as u64).clamp(ROTATIONS.0, ROTATIONS.1);
    let (mut as_much, mut shifted) = (0, Vec::with_capacity(slow.len()));
    for draw in 0..rotations {
        let offset = |strand: u64| mixed(OFFSETS + draw * STRANDS as u64 + strand) % groups;
        strands.rotated(offset, &mut shifted);
        as_much += u64::from(arrivals.statistic(&shifted).is_some_and(|found| found >= seen));
    }
    let p = (1 + as_much) as f64 / (1 + rotations) as f64;
    Some(Rotation { p, rotations, finest_window: loads.window })
}

/// The slow I/Os, dealt to strands.
struct Strands {
    /// Groups of four I/Os; what is left behind the last one stays.
    groups: u64,
    /// The numbers of those that stay.
    fixed: Vec<u64>,
    /// The groups of those that move, strand by strand.
    moving: [Vec<u64>; STRANDS - 1],
}

impl Strands {
    fn of(slow: &[u64], groups: u64) -> Strands {
        let mut strands = Strands { groups, fixed: Vec::new(), moving: Default::default() };
        for number in slow {
            let group = number / STRANDS as u64;
            match strand(*number).checked_sub(1).filter(|_| group < groups) {
                Some(moves) => strands.moving[moves].push(group),
                None => strands.fixed.push(*number),
            }
        }
        strands
    }

    /// Where the marks lie after a shift of each strand by its offset, in order.
    fn rotated(&self, offset: impl Fn(u64) -> u64, shifted: &mut Vec<u64>) {
        shifted.clear();
        shifted.extend(&self.fixed);
        for (strand, moving) in (1..).zip(&self.moving) {
            let offset = offset(strand);
            // Those that go round the end come first.
            let round = moving.partition_point(|group| group + offset < self.groups);
            let behind = moving[round..].iter().map(|group| group + offset - self.groups);
            let places = behind.chain(moving[..round].iter().map(|group| group + offset));
            shifted.extend(places.map(|group| number(group, strand)));
        }
        #[expect(
            clippy::stable_sort_primitive,
            reason = "it merges the strands, which are in order already"
        )]
        shifted.sort();
    }
}

/// The strand that an I/O belongs to; those of a group are dealt from a random one on.
fn strand(number: u64) -> usize {
    let strands = STRANDS as u64;
    #[expect(clippy::cast_possible_truncation, reason = "below STRANDS")]
    let strand = ((number + mixed(number / strands)) % strands) as usize;
    strand
}

/// The I/O of a group that belongs to a strand.
fn number(group: u64, strand: u64) -> u64 {
    let strands = STRANDS as u64;
    strands * group + (strand + strands - mixed(group) % strands) % strands
}

/// The arrivals by windows: what a rotation leaves as it is.
struct Arrivals {
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

impl Arrivals {
    fn of(loads: &Loads, count: u64) -> Arrivals {
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
            levels.push(Level::of(window, &windows));
        }
        Arrivals { count, until, levels }
    }

    /// How far the slow I/Os, in rising order, are from chance.
    fn statistic(&self, slow: &[u64]) -> Option<f64> {
        let mut tallies = vec![Tally::default(); self.levels.len()];
        let (mut window, mut last, mut slow_after_slow, mut count) = (0, None, 0u64, 0u64);
        for number in slow.iter().copied() {
            while self.until[window] <= number {
                window += 1;
            }
            self.put(&mut tallies, 0, window, 1);
            count += 1;
            slow_after_slow += u64::from(number > 0 && last == Some(number - 1));
            last = Some(number);
        }
        for level in 0..self.levels.len() {
            let ended = std::mem::take(&mut tallies[level].open);
            self.end(&mut tallies, level, ended);
        }
        let indices = tallies.iter().zip(&self.levels);
        let indices = indices.filter_map(|(tally, level)| index(level.window, &level.sums, &tally.sums));
        let crowding = indices.filter(|found| found.deviation > 0.0).map(|found| sigmas(&found));
        let p = count as f64 / self.count as f64;
        let scatter = (p * (1.0 - p) * count as f64).sqrt();
        let following = (slow_after_slow as f64 - p * count as f64) / scatter;
        crowding.chain([following]).reduce(f64::max)
    }

    /// Counts slow I/Os in the window at this place, after those of all windows before it.
    fn put(&self, tallies: &mut [Tally], level: usize, place: usize, slow: u64) {
        let Some(tally) = tallies.get_mut(level) else { return };
        if tally.open.0 == place {
            tally.open.1 += slow;
            return;
        }
        let ended = std::mem::replace(&mut tally.open, (place, slow));
        self.end(tallies, level, ended);
    }

    /// Adds a window that is over to the sums of its length, and to the window of the next length that it lies in.
    fn end(&self, tallies: &mut [Tally], level: usize, (place, slow): (usize, u64)) {
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
    fn of(window: u64, windows: &[(u64, u64)]) -> Level {
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

/// The slow I/Os of one length's windows.
#[derive(Clone, Copy, Default)]
struct Tally {
    /// The place of the window that is being filled, and the slow ones in it so far.
    open: (usize, u64),
    sums: SlowSums,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rotation_moves_three_of_four_and_keeps_their_number() {
        // The last three I/Os make no group.
        let slow: Vec<u64> = (0..1_003).filter(|number| mixed(number + 77).is_multiple_of(9)).collect();
        let strands = Strands::of(&slow, 250);
        let mut shifted = Vec::new();
        strands.rotated(|_| 0, &mut shifted);
        assert_eq!(shifted, slow, "every I/O is the one of its group and strand");
        for offsets in [[1, 125, 249], [249, 0, 7]] {
            strands.rotated(
                |strand| [0, offsets[0], offsets[1], offsets[2]][usize::try_from(strand).expect("few")],
                &mut shifted,
            );
            assert_eq!(shifted.len(), slow.len());
            assert!(shifted.is_sorted_by(|a, b| a < b), "every mark lies on an I/O of its own");
            let found = Strands::of(&shifted, 250);
            assert_eq!(found.fixed, strands.fixed);
            for (strand, offset) in offsets.into_iter().enumerate() {
                let mut back: Vec<u64> =
                    found.moving[strand].iter().map(|group| (group + 250 - offset) % 250).collect();
                back.sort_unstable();
                assert_eq!(back, strands.moving[strand]);
            }
        }
    }

    #[test]
    fn the_statistic_is_made_of_the_index_itself() {
        // Two windows of 10 ms: 3 of 4 slow, then 0 of 2.
        let loads = Loads { window: WINDOWS[0], windows: vec![(0, 4), (1, 2)] };
        let arrivals = Arrivals::of(&loads, 6);
        let (mut load, mut slow) = (LoadSums::default(), SlowSums::default());
        for (all, marked) in [(4, 3), (2, 0)] {
            load.add(all);
            slow.add(all, marked);
        }
        let crowding = sigmas(&index(WINDOWS[0], &load, &slow).expect("two windows"));
        let following = (2.0 - 1.5) / (0.25f64 * 3.0).sqrt();
        assert_eq!(arrivals.statistic(&[0, 1, 2]), Some(crowding.max(following)));
    }
}
