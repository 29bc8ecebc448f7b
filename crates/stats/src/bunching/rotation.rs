//! How often chance alone crowds slow I/Os as much: circular-shift permutation.
//!
//! Of each four I/Os in a row, one goes to each of four strands, which one to which being drawn anew every time. The slow
//! marks of the first strand stay where they are; those of the others are shifted along their strands, round the end, each
//! by a random offset of its own, while every I/O keeps its time. Where each I/O is slow or not by itself, the shifted
//! sequence is as likely as the one that was seen, whatever the arrivals do, so the share of rotations that crowd as much
//! is an exact probability. Bunches are torn: each quarter goes elsewhere. (Shifting all marks together would keep them
//! whole and show nothing; with two strands, bunches that come back regularly would too often meet again.)

use super::arrivals::WindowArrivals;
use super::windows::Loads;
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
pub struct PermutationTest {
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
pub fn rotation(slow: &[u64], loads: &Loads, count: u64) -> Option<PermutationTest> {
    let groups = count / STRANDS as u64;
    if slow.len() < 2 || slow.len() as u64 == count || groups < 2 {
        return None;
    }
    let arrivals = WindowArrivals::new(loads, count);
    let strands = Strata::new(slow, groups);
    let seen = arrivals.statistic(slow)?;
    let rotations = rotations(slow.len(), loads.windows.len());
    let (mut as_much, mut shifted) = (0, Vec::with_capacity(slow.len()));
    for draw in 0..rotations {
        let offset = |strand: u64| mixed(OFFSETS + draw * STRANDS as u64 + strand) % groups;
        strands.rotated(offset, &mut shifted);
        as_much += u64::from(arrivals.statistic(&shifted).is_some_and(|found| found >= seen));
    }
    let p = (1 + as_much) as f64 / (1 + rotations) as f64;
    Some(PermutationTest { p, rotations, finest_window: loads.window })
}

/// How many rotations are made of so many slow I/Os in so many windows.
fn rotations(slow: usize, windows: usize) -> u64 {
    (STEPS / (STRANDS * slow + windows) as u64).clamp(ROTATIONS.0, ROTATIONS.1)
}

/// The slow I/Os, dealt to strands.
struct Strata {
    /// Groups of four I/Os; what is left behind the last one stays.
    groups: u64,
    /// The numbers of those that stay.
    fixed: Vec<u64>,
    /// The groups of those that move, strand by strand.
    moving: [Vec<u64>; STRANDS - 1],
}

impl Strata {
    fn new(slow: &[u64], groups: u64) -> Strata {
        let mut strands = Strata { groups, fixed: Vec::new(), moving: Default::default() };
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
    usize::try_from((number + mixed(number / strands)) % strands).unwrap_or(0)
}

/// The I/O of a group that belongs to a strand.
fn number(group: u64, strand: u64) -> u64 {
    let strands = STRANDS as u64;
    strands * group + (strand + strands - mixed(group) % strands) % strands
}

#[cfg(test)]
mod tests {
    use super::*;

    fn loads(windows: u64, each: u64) -> Loads {
        Loads { window: 10_000_000, windows: (0..windows).map(|number| (number, each)).collect() }
    }

    #[test]
    fn the_probability_is_one_where_every_rotation_crowds_as_much_and_least_where_none_does() {
        // Nothing follows anything in the only window, whatever is shifted.
        let apart = rotation(&[500, 700_000], &loads(1, 1_000_000), 1_000_000);
        let (rotations, finest_window) = (999, 10_000_000);
        assert_eq!(apart, Some(PermutationTest { p: 1.0, rotations, finest_window }));
        let bunch: Vec<u64> = (5_000..5_100).collect();
        let crowded = rotation(&bunch, &loads(1_000, 10), 10_000);
        assert_eq!(crowded, Some(PermutationTest { p: 0.001, rotations, finest_window }));
    }

    #[test]
    fn there_is_nothing_to_rotate_of_one_slow_io_of_slow_ones_alone_and_of_fewer_than_eight() {
        let found = |slow: &[u64], count| rotation(slow, &loads(2, count / 2), count).is_some();
        assert!(!found(&[3], 8) && !found(&[0, 1, 2, 3, 4, 5, 6, 7], 8) && !found(&[1, 3], 6));
        assert!(found(&[1, 3], 8));
    }

    #[test]
    fn fewer_rotations_are_made_where_each_takes_long() {
        assert_eq!(
            (rotations(100, 100), rotations(10_000, 40_000), rotations(1 << 19, 1 << 17)),
            (999, 250, 99)
        );
    }

    #[test]
    fn a_rotation_moves_three_of_four_and_keeps_their_number() {
        // The last three I/Os make no group.
        let slow: Vec<u64> = (0..1_003).filter(|number| mixed(number + 77).is_multiple_of(9)).collect();
        let strands = Strata::new(&slow, 250);
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
            let found = Strata::new(&shifted, 250);
            assert_eq!(found.fixed, strands.fixed);
            for (strand, offset) in offsets.into_iter().enumerate() {
                let mut back: Vec<u64> =
                    found.moving[strand].iter().map(|group| (group + 250 - offset) % 250).collect();
                back.sort_unstable();
                assert_eq!(back, strands.moving[strand]);
            }
        }
    }

    /// The same completions give identical results: which rotations are tried is no accident either.
    #[test]
    fn the_same_slow_ios_are_rotated_alike_in_every_version() {
        let slow: Vec<u64> = (0..600).filter(|number| mixed(number + 9).is_multiple_of(11)).collect();
        let found = rotation(&slow, &loads(60, 10), 600).map(|found| format!("{:.3}", found.p));
        assert_eq!(found.as_deref(), Some("0.709"));
    }
}
