//! Where a fresh drive's rate fell off.
//!
//! A cliff is the first fall of the rate by a quarter of the fresh level or more that lasts. The fresh level
//! is the median of the run's first seconds. Levels are medians over a window of a twentieth of the run (5 s
//! to 30 s), so neither one slow second nor one fast second counts; the fall takes no longer than such a
//! window (a twentieth of the run where that is longer), so a slope over the whole run is none; and the first
//! seconds are all above the fall's middle, or nearly at the fresh level, which those of a run that is only
//! uneven would hardly be by chance. Whether the rate comes back later does not matter.
//!
//! A drive whose fresh part is uneven itself has no such first seconds. Where no cliff is found by them, it is the first fall of
//! the levels as before whose windows before it (twenty at most) all have a median above its middle, and those after it all
//! one below, where windows in random order would hardly be divided like that by chance. Rates that stay high or low for much
//! longer than a window look like a cliff. It is where the share of seconds above the middle changes most, by the
//! likelihood ratio of two shares against one.

use crate::Bin;

/// The least fall of a cliff, as a share of the fresh level.
pub const CLIFF_FALL: f64 = 0.25;
/// Windows in a run.
const WINDOWS: usize = 20;
/// The shortest and the longest window, in seconds.
const WINDOW_S: (usize, usize) = (5, 30);
/// As high as the fresh level, but for noise.
const NEARLY: f64 = 0.9;
/// How likely the first seconds may all be high by chance, judged by how many of the later ones are.
const CHANCE: f64 = 0.004;
/// The shortest windows whose medians show a fall from an uneven part: those of fewer seconds are uneven as well.
const UNEVEN_WINDOW_S: usize = 10;
/// How many windows on each side of a fall are compared at most where the fresh part is uneven.
const COMPARED: usize = 20;
/// How many seconds on each side of it are compared at most to find its place.
const COMPARED_S: usize = 600;

/// Where a fresh drive's rate fell off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cliff {
    /// The first second nearer to the low level than to the fresh one.
    pub at_s: usize,
    /// The first second after the fall: from `at_s` on the first one that is no faster than the median of the
    /// window that begins with it.
    pub end_s: usize,
    /// Bytes written until then.
    pub written_bytes: u64,
}

/// The level of the fresh drive, and where it ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fresh {
    /// The median of the first seconds, until the cliff at most.
    pub iops: f64,
    /// Where it ended; `None` where it never did.
    pub cliff: Option<Cliff>,
}

impl Fresh {
    /// Looks at the whole seconds of a run, at their IOPS, and at whether the drive did in each what was asked: in seconds in
    /// which it answered nothing, or failed, its rate is not that of a drive which has become slower.
    pub fn find(bins: &[Bin], iops: &[f64], served: &[bool]) -> Fresh {
        let window = window_s(iops.len());
        let looked_at: Vec<usize> = (0..iops.len()).filter(|second| served[*second]).collect();
        let rates: Vec<f64> = looked_at.iter().map(|second| iops[*second]).collect();
        let Some(at) = first_fall(&rates, window) else {
            let level = if rates.is_empty() { iops } else { &rates };
            return Fresh { iops: upper_median(&level[..window.min(level.len())]), cliff: None };
        };
        // Seconds without an answer right before the first low one are part of the fall.
        let at_s = looked_at[at - 1] + 1;
        let end_s = looked_at.get(end_of_fall(&rates, at, window)).copied().unwrap_or(iops.len());
        let written_bytes = bins[..at_s].iter().map(|bin| bin.written_bytes).sum();
        let cliff = Some(Cliff { at_s, end_s, written_bytes });
        Fresh { iops: upper_median(&rates[..at.min(window)]), cliff }
    }
}

fn window_s(seconds: usize) -> usize {
    (seconds / WINDOWS).clamp(WINDOW_S.0, WINDOW_S.1)
}

/// The first second of the first lasting fall: that from first seconds that are all high, unless one from an uneven part was
/// earlier by more than a window.
fn first_fall(iops: &[f64], window: usize) -> Option<usize> {
    match (fall(iops, window), fall_of_uneven(iops, window)) {
        (Some(even), Some(uneven)) if uneven + window < even => Some(uneven),
        (even, uneven) => even.or(uneven),
    }
}

/// The first second of the first lasting fall from first seconds that are all high.
fn fall(iops: &[f64], window: usize) -> Option<usize> {
    fallen_levels(iops, window).find_map(|Fallen { second, fresh, middle }| {
        let at = second + iops[second..].iter().position(|rate| *rate < middle)?;
        // A drive may reach the middle now and then after its cliff, but hardly the fresh level.
        let is_no_chance = [middle, fresh * NEARLY].iter().any(|level| is_beyond_chance(iops, at, *level));
        is_no_chance.then_some(at)
    })
}

/// The first second of the first lasting fall from a part that is uneven itself.
fn fall_of_uneven(iops: &[f64], window: usize) -> Option<usize> {
    if window < UNEVEN_WINDOW_S {
        return None;
    }
    let fallen = fallen_levels(iops, window).find(|fallen| divides_windows(iops, window, fallen))?;
    // A window whose level is low may begin before the fall.
    let splits = fallen.second..=(fallen.second + window).min(iops.len() - 1);
    let splits = splits.map(|at| (at, likelihood_ratio(iops, at, fallen.middle)));
    splits.max_by(|(_, one), (_, other)| one.total_cmp(other)).map(|(at, _)| at)
}

/// Whether all windows before a fall are above its middle and all after it below, and whether there are enough of them: among all
/// orders of that number of high and low windows, this is one.
fn divides_windows(iops: &[f64], window: usize, fallen: &Fallen) -> bool {
    let (before, after) = iops.split_at(fallen.second);
    let before = before.rchunks_exact(window).take(COMPARED);
    let after = after.chunks_exact(window).take(COMPARED);
    let (high, low) = (before.len(), after.len());
    let orders: f64 = (1..=high.min(low)).map(|k| (high + low + 1 - k) as f64 / k as f64).product();
    orders * CHANCE >= 1.0
        && before.into_iter().all(|one| upper_median(one) >= fallen.middle)
        && after.into_iter().all(|one| upper_median(one) < fallen.middle)
}

/// A second from which on the level is lower.
struct Fallen {
    second: usize,
    fresh: f64,
    middle: f64,
}

/// Each second whose window has a level that is lower than the fresh one, and than that of a window before the fall, by a quarter
/// of the fresh one.
fn fallen_levels(iops: &[f64], window: usize) -> impl Iterator<Item = Fallen> {
    let longest_fall = (iops.len() / WINDOWS).max(window);
    let last = iops.len().saturating_sub(window);
    (1..=last).filter_map(move |second| {
        let fresh = upper_median(&iops[..second.min(window)]);
        let low = upper_median(&iops[second..second + window]);
        let least = fresh * CLIFF_FALL;
        if least <= 0.0 || fresh - low < least {
            return None;
        }
        // Before the fall began: a window that ends as long ago as the fall may take.
        let end = second.saturating_sub(longest_fall).max(second.min(window));
        let before = upper_median(&iops[end - end.min(window)..end]);
        let middle = f64::midpoint(fresh, low);
        (before - low >= least).then_some(Fallen { second, fresh, middle })
    })
}

/// The logarithm of the ratio of two likelihoods: that of the seconds above `level` where those before `at` and those from it on
/// have a share of their own, and where they have one share; 0 where the later ones have the larger share.
fn likelihood_ratio(iops: &[f64], at: usize, level: f64) -> f64 {
    let sides = [&iops[at.saturating_sub(COMPARED_S)..at], &iops[at..iops.len().min(at + COMPARED_S)]];
    let above = sides.map(|side| side.iter().filter(|rate| **rate >= level).count() as f64);
    let all = sides.map(|side| side.len() as f64);
    if above[0] / all[0] <= above[1] / all[1] {
        return 0.0;
    }
    let of = |above: f64, all: f64| {
        [above, all - above].map(|part| if part > 0.0 { part * (part / all).ln() } else { 0.0 })
    };
    let own: f64 = [of(above[0], all[0]), of(above[1], all[1])].as_flattened().iter().sum();
    own - of(above[0] + above[1], all[0] + all[1]).iter().sum::<f64>()
}

/// The first second of the low level. While the rate still falls, every second is faster than most that follow.
fn end_of_fall(iops: &[f64], at_s: usize, window: usize) -> usize {
    let has_fallen = |second: &usize| {
        let end = iops.len().min(second + window);
        iops[*second] <= upper_median(&iops[*second..end])
    };
    (at_s..iops.len()).find(has_fallen).unwrap_or(iops.len())
}

/// Whether an uneven run would so seldom begin with as many seconds at or above `level` as this one does.
fn is_beyond_chance(iops: &[f64], at: usize, level: f64) -> bool {
    let above = iops.iter().take_while(|rate| **rate >= level).count();
    let rest = &iops[at..];
    // So large may the share of high seconds be, with this one, for so many to be high by chance so seldom.
    let share = CHANCE.powf(1.0 / above as f64);
    let most = share * (rest.len() + 1) as f64;
    // Counted no further than it takes to know: this is asked for second after second of an uneven run.
    let mut again = rest.iter().filter(|rate| **rate >= level).zip(2u32..);
    most >= 1.0 && again.all(|(_, count)| f64::from(count) <= most)
}

/// The median, the upper one of an even number, so that a window of two levels has one of them and not their middle; 0 of no
/// seconds.
fn upper_median(rates: &[f64]) -> f64 {
    let mut sorted = rates.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draws::fixture::Draws;

    /// A series of a shape with noise: each second's rate, times a draw around 1.
    fn series(seconds: usize, seed: u64, spread: f64, shape: impl Fn(usize) -> f64) -> Vec<f64> {
        let mut draws = Draws(seed);
        (0..seconds).map(|second| (shape(second) * (1.0 + spread * draws.normal())).max(0.0)).collect()
    }

    fn fresh(iops: &[f64]) -> Fresh {
        Fresh::find(&vec![Bin::default(); iops.len()], iops, &vec![true; iops.len()])
    }

    fn cliff(iops: &[f64]) -> Option<usize> {
        fresh(iops).cliff.map(|cliff| cliff.at_s)
    }

    /// How many of so many seeds show a cliff.
    fn found(seeds: u64, series: impl Fn(u64) -> Vec<f64>) -> usize {
        (0..seeds).filter(|seed| cliff(&series(*seed)).is_some()).count()
    }

    #[test]
    fn a_step_is_found_where_it_is_whether_the_rate_comes_back_or_not() {
        for (seconds, at) in [(2_000, 84), (2_000, 1_200), (600, 17), (300, 40), (120, 9), (60, 6)] {
            for percent in [30, 48, 60, 80, 95] {
                let low = 1.0 - percent as f64 / 100.0;
                let step = |second: usize| if second < at { 50_000.0 } else { 50_000.0 * low };
                // Half of what was lost comes back over a third of the run.
                let recovery = |second: usize| {
                    let share = (second.saturating_sub(at) as f64 / (seconds as f64 / 3.0)).min(1.0);
                    step(second) + 25_000.0 * (1.0 - low) * share * f64::from(second >= at)
                };
                for (name, iops) in [
                    ("step", series(seconds, percent, 0.02, step)),
                    ("recovery", series(seconds, percent, 0.02, recovery)),
                ] {
                    let found = cliff(&iops);
                    assert!(
                        found.is_some_and(|found| found.abs_diff(at) <= 1),
                        "{name} of {percent} % at {at} of {seconds} s: {found:?}"
                    );
                }
            }
        }
    }

    /// The fresh drive alternates between two rates, as one does that empties a cache now and then.
    #[test]
    fn a_fall_from_an_uneven_part_is_found_where_it_is() {
        for (seconds, at) in [(2_000, 413), (600, 200), (2_000, 1_500)] {
            for share in [0.75, 0.8, 0.9] {
                let mut draws = Draws(at as u64 * 3 + 1);
                let iops: Vec<f64> = (0..seconds)
                    .map(|second| match second {
                        _ if second >= at => 1_900.0 + 60.0 * draws.normal(),
                        _ if draws.share() < share => 25_000.0 + 500.0 * draws.normal(),
                        _ => 8_700.0 + 200.0 * draws.normal(),
                    })
                    .collect();
                let found = cliff(&iops);
                // The last fresh seconds may be those of the lower rate.
                assert!(
                    found.is_some_and(|found| at - found.min(at) <= 8 && found <= at),
                    "{share} of {at}: {found:?}"
                );
            }
        }
    }

    #[test]
    fn a_fall_that_is_made_good_in_full_is_a_cliff_all_the_same() {
        let dip = |second: usize| if (200..260).contains(&second) { 20_000.0 } else { 50_000.0 };
        assert_eq!(cliff(&series(2_000, 1, 0.01, dip)), Some(200));
    }

    #[test]
    fn a_fresh_part_of_one_second_has_a_level_and_an_end() {
        let rate = |second: usize| [35_000.0, 12_000.0, 2_000.0, 11_000.0][second.min(1 + second % 3)];
        let iops = series(300, 1, 0.03, rate);
        assert_eq!(cliff(&iops), Some(1));
        let fresh = fresh(&iops);
        assert!((30_000.0..40_000.0).contains(&fresh.iops), "{fresh:?}");
    }

    #[test]
    fn a_fast_second_now_and_then_after_the_cliff_hides_it_not() {
        let rate = |second: usize| match second {
            0..3 => 50_000.0,
            _ if second.is_multiple_of(4) => 36_000.0,
            _ => 2_200.0,
        };
        let iops: Vec<f64> = (0..2_000).map(rate).collect();
        assert_eq!(cliff(&iops), Some(3));
    }

    #[test]
    fn a_steep_slope_down_is_a_cliff_and_a_slope_over_the_run_is_none() {
        let slope = |from: usize, over: usize| {
            move |second: usize| {
                let share = (second.saturating_sub(from) as f64 / over as f64).min(1.0);
                50_000.0 * (1.0 - 0.9 * share)
            }
        };
        assert!(cliff(&series(2_000, 1, 0.01, slope(300, 60))).is_some_and(|at| (300..=360).contains(&at)));
        for seconds in [60, 300, 2_000] {
            assert_eq!(found(50, |seed| series(seconds, seed, 0.01, slope(0, seconds))), 0, "{seconds} s");
        }
    }

    #[test]
    fn a_fall_by_a_quarter_is_a_cliff_and_one_by_less_is_none() {
        let fall = |low: f64| cliff(&[vec![40_000.0; 100], vec![low; 300]].concat());
        assert_eq!((fall(30_000.0), fall(30_001.0)), (Some(100), None));
    }

    /// A second half way down is not nearer to the low level.
    #[test]
    fn a_cliff_begins_with_the_first_second_below_the_middle() {
        let iops = [vec![50_000.0; 100], vec![40_000.0], vec![30_000.0; 299]].concat();
        assert_eq!(cliff(&iops), Some(101));
    }

    /// So high in one second of 250 an uneven run begins in 0.4 % of cases, which is as often as is allowed.
    #[test]
    fn one_fast_second_is_no_chance_where_249_others_are_slow() {
        let begins_by_no_chance = |slow: usize, again: f64| {
            is_beyond_chance(&[vec![50.0], vec![10.0; slow - 1], vec![again]].concat(), 1, 50.0)
        };
        assert!(begins_by_no_chance(249, 10.0) && !begins_by_no_chance(248, 10.0));
        assert!(!begins_by_no_chance(249, 50.0), "there are two");
    }

    /// Of 2,000 s a twentieth is 100 s, which is longer than the longest window of 30 s.
    #[test]
    fn a_fall_may_take_a_twentieth_of_a_long_run() {
        let slope = |over: usize| {
            let rate = |second: usize| {
                50_000.0 * (1.0 - 0.3 * (second.saturating_sub(300).min(over) as f64 / over as f64))
            };
            cliff(&(0..2_000).map(rate).collect::<Vec<f64>>())
        };
        assert!(slope(90).is_some_and(|at| (300..=390).contains(&at)), "{:?}", slope(90));
        assert_eq!(slope(900), None);
    }

    #[test]
    fn a_cliff_ends_where_the_low_level_begins() {
        let end = |iops: &[f64]| fresh(iops).cliff.expect("there is one").end_s;
        let slope = |second: usize| match second {
            0..300 => 50_000.0,
            300..360 => 50_000.0 - 750.0 * (second - 300) as f64,
            _ => 5_000.0,
        };
        let found = end(&series(2_000, 1, 0.0, slope));
        assert!((345..=360).contains(&found), "the slope ends at 360 s: {found}");
        let step = |second: usize| if second < 84 { 50_000.0 } else { 5_000.0 };
        let found = end(&series(2_000, 1, 0.05, step));
        assert!((84..=88).contains(&found), "{found}");
        // What the rate falls to much later is no part of the fall.
        let twice = [vec![50_000.0; 100], vec![20_000.0; 100], vec![10_000.0; 400]].concat();
        assert_eq!(end(&twice), 100);
    }

    #[test]
    fn an_even_run_has_no_cliff_however_noisy_it_is() {
        for seconds in [30, 60, 300, 2_000] {
            for spread in [0.01, 0.05, 0.1, 0.15, 0.3] {
                let noisy = found(100, |seed| series(seconds, seed * 7 + 1, spread, |_| 20_000.0));
                // At a third of the mean a fall by a quarter is within the noise of a short run.
                let at_most = if spread < 0.2 { 1 } else { 5 };
                assert!(noisy <= at_most, "{noisy} of 100 at {spread} over {seconds} s");
            }
        }
    }

    #[test]
    fn a_drive_that_alternates_between_two_levels_has_no_cliff() {
        for share in [0.07, 0.3, 0.5, 0.7, 0.93] {
            for seconds in [60, 300, 1_000, 2_000] {
                let alternating = found(100, |seed| {
                    let mut draws = Draws(seed * 31 + 5);
                    (0..seconds).map(|_| if draws.share() < share { 50_000.0 } else { 2_000.0 }).collect()
                });
                assert!(alternating <= 3, "{alternating} of 100 at {share} over {seconds} s");
            }
        }
    }

    /// A drive that folds or collects for a while is fast in most seconds, and then in few, and so on.
    #[test]
    fn a_drive_that_is_uneven_for_a_while_at_a_time_has_no_cliff_that_is_found_by_windows() {
        for (duration_s, seconds) in
            [(10.0, 2_000), (20.0, 2_000), (20.0, 6_000), (60.0, 2_000), (60.0, 6_000)]
        {
            let found = (0..100).filter(|seed| {
                let mut draws = Draws(seed * 17 + 3);
                let mut is_fast = draws.share() < 0.5;
                let iops: Vec<f64> = (0..seconds)
                    .map(|_| {
                        is_fast ^= draws.share() < 1.0 / duration_s;
                        let share = if is_fast { 0.8 } else { 0.2 };
                        if draws.share() < share { 50_000.0 } else { 2_000.0 }
                    })
                    .collect();
                fall_of_uneven(&iops, window_s(iops.len())).is_some()
            });
            let found = found.count();
            assert!(found <= 2, "{found} of 100 with {duration_s} s in {seconds} s");
        }
    }

    /// What the rate falls to once more, after it came back, is no part of the first fall.
    #[test]
    fn the_first_fall_of_an_uneven_part_counts() {
        let first = (0..20).filter(|seed| {
            let mut draws = Draws(seed * 13 + 1);
            let mut rate = |second: usize| match second {
                0..400 if draws.share() < 0.8 => 25_000.0,
                3_600..4_200 if draws.share() < 0.9 => 25_000.0,
                0..400 | 3_600..4_200 => 8_000.0,
                _ => 2_000.0,
            };
            let iops: Vec<f64> = (0..7_200).map(&mut rate).collect();
            cliff(&iops).is_some_and(|at| (375..=400).contains(&at))
        });
        assert!(first.count() >= 15);
    }

    #[test]
    fn stalls_are_no_cliff() {
        let stalling = |second: usize| if second % 20 >= 18 { 0.0 } else { 8_000.0 };
        assert_eq!(found(20, |seed| series(400, seed, 0.04, stalling)), 0);
        assert_eq!(cliff(&[]), None);
        assert_eq!(cliff(&[0.0; 100]), None);
    }
}
