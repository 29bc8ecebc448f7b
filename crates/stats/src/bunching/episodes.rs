//! Slow I/Os that a person meets as one wait.

use crate::Moments;
use crate::draws::mixed;

/// Slow I/Os nearer than this belong together, whatever the threshold.
const LEAST_GAP: u64 = 50_000_000;
/// Episodes that are kept one by one; all are counted.
const KEPT: usize = 10_000;
/// The worst episodes, which are kept wherever they lie.
const WORST: usize = 20;
/// Rotations by which the chance of a regular distance is found.
const ROTATIONS: u64 = 999;
/// Where the offsets' sequence begins, behind that of the dealing.
const OFFSETS: u64 = 1 << 63;
/// Distances that must be there before they can be called regular.
const LEAST_DISTANCES: u64 = 4;
/// Deviation / mean of the distances below which a cause inside the drive is likely.
const REGULAR: f64 = 0.3;

/// Slow I/Os whose intervals overlap, or nearly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Episode {
    /// When the first of them began, in nanoseconds.
    pub start: u64,
    /// When the last of them ended.
    pub end: u64,
    /// How many.
    pub count: u64,
    /// The sum of their latencies above the median of the time, in nanoseconds.
    pub excess: u64,
    /// The longest of them.
    pub worst: u64,
    /// Bytes written since the beginning of the episode before; for the first, since the start.
    pub bytes_before: u64,
    /// Nanoseconds since the end of the episode before; `None` for the first.
    pub quiet_before: Option<u64>,
}

/// What comes back regularly.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Period {
    /// So many bytes written from one episode to the next: a cause inside the drive.
    Bytes(f64),
    /// So many nanoseconds from one to the next: something that runs by the clock.
    Nanos(f64),
}

/// Joins slow I/Os into episodes, in one pass over I/Os in the order of their beginning.
#[derive(Clone, Debug, Default)]
pub struct Episodes {
    gap: u64,
    open: Option<Episode>,
    kept: Vec<Episode>,
    worst: Vec<Episode>,
    /// How many there were.
    pub count: u64,
    /// Bytes written when the last episode began.
    written_at_start: u64,
    /// Distances between the beginnings of successive episodes.
    byte_distances: Moments,
    time_distances: Moments,
}

impl Episodes {
    /// Joins I/Os slower than `threshold` nanoseconds where the gap between them is at most
    /// max(50 ms, threshold).
    pub fn new(threshold: u64) -> Episodes {
        Episodes { gap: threshold.max(LEAST_GAP), ..Episodes::default() }
    }

    /// Takes a slow I/O, with the bytes written by all I/Os before it.
    pub fn slow(&mut self, start: u64, latency: u64, median: u64, written: u64) {
        let end = start.saturating_add(latency);
        if let Some(open) = &mut self.open
            && start <= open.end.saturating_add(self.gap)
        {
            open.end = open.end.max(end);
            open.count += 1;
            open.excess = open.excess.saturating_add(latency.saturating_sub(median));
            open.worst = open.worst.max(latency);
            return;
        }
        let before = self.open.take();
        if let Some(before) = &before {
            self.byte_distances.add(written - self.written_at_start);
            self.time_distances.add(start - before.start);
        }
        let bytes_before = written - self.written_at_start;
        let quiet_before = before.map(|before| start.saturating_sub(before.end));
        self.keep(before);
        self.written_at_start = written;
        self.open = Some(Episode {
            start,
            end,
            count: 1,
            excess: latency.saturating_sub(median),
            worst: latency,
            bytes_before,
            quiet_before,
        });
        self.count += 1;
    }

    fn keep(&mut self, episode: Option<Episode>) {
        if self.kept.len() < KEPT {
            self.kept.extend(episode);
        }
        if let Some(episode) = episode {
            rank(&mut self.worst, episode);
        }
    }

    /// The first ten thousand of them.
    pub fn list(&self) -> Vec<Episode> {
        let mut list = self.kept.clone();
        if list.len() < KEPT {
            list.extend(self.open);
        }
        list
    }

    /// The twenty with the greatest sum of latencies above the median, the worst first.
    pub fn worst(&self) -> Vec<Episode> {
        let mut worst = self.worst.clone();
        if let Some(open) = self.open {
            rank(&mut worst, open);
        }
        worst
    }

    /// What they come back with, where their distances are regular: a deviation below 0.3 of the mean over at
    /// least four. Bytes are looked at first, since a drive counts what it writes.
    pub fn period(&self) -> Option<Period> {
        let bytes = regular(&self.byte_distances).map(Period::Bytes);
        bytes.or_else(|| regular(&self.time_distances).map(Period::Nanos))
    }

    /// How likely distances as regular as those of the period are by chance; `None` without a period.
    ///
    /// The first ten thousand episodes lie on a circle of bytes written, or of time. A coin deals them to two
    /// strands, anew for each rotation, and one of them is rotated against the other by a random distance:
    /// `(1 + rotations that are as regular) / (1 + rotations)`. Episodes that happen by chance are as likely to
    /// lie one way as the other.
    pub fn period_by_chance(&self) -> Option<f64> {
        let list = self.list();
        let mut written = 0;
        let bytes = list.iter().map(|episode| {
            written += episode.bytes_before;
            written
        });
        let places: Vec<u64> = match self.period()? {
            Period::Bytes(_) => bytes.collect(),
            Period::Nanos(_) => list.iter().map(|episode| episode.start).collect(),
        };
        Some(regular_by_chance(&places))
    }
}

/// Puts an episode into its place among the worst.
fn rank(worst: &mut Vec<Episode>, episode: Episode) {
    let place = worst.partition_point(|other| other.excess >= episode.excess);
    worst.insert(place, episode);
    worst.truncate(WORST);
}

/// The share of rotations of one half of these places, in rising order, against the other whose distances are as
/// regular as those that were seen.
fn regular_by_chance(places: &[u64]) -> f64 {
    let (Some(first), Some(last)) = (places.first(), places.last()) else { return 1.0 };
    let round = (last - first) + (last - first) / (places.len() as u64 - 1).max(1) + 1;
    let seen = scatter(places);
    let mut as_regular = 0;
    for draw in 0..ROTATIONS {
        let offset = mixed(OFFSETS + draw) % round;
        let shifted = (0..).zip(places).map(|(number, place)| {
            let place = place - first;
            let stays = mixed(draw * places.len() as u64 + number) & 1 == 0;
            if stays { place } else { (place + offset) % round }
        });
        let mut shifted: Vec<u64> = shifted.collect();
        shifted.sort_unstable();
        as_regular += u64::from(scatter(&shifted) <= seen);
    }
    (1 + as_regular) as f64 / (1 + ROTATIONS) as f64
}

/// Deviation / mean of the distances of places in rising order.
fn scatter(places: &[u64]) -> f64 {
    let mut distances = Moments::default();
    places.windows(2).for_each(|pair| distances.add(pair[1] - pair[0]));
    let (mean, deviation) = (distances.mean().unwrap_or(0.0), distances.stddev().unwrap_or(0.0));
    if mean > 0.0 { deviation / mean } else { 0.0 }
}

/// The mean, where the deviation is small beside it.
fn regular(distances: &Moments) -> Option<f64> {
    if distances.count() < LEAST_DISTANCES {
        return None;
    }
    let (mean, deviation) = distances.mean().zip(distances.stddev())?;
    (deviation < REGULAR * mean).then_some(mean)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    #[test]
    fn slow_ios_belong_together_where_fifty_milliseconds_or_less_lie_between_them() {
        let mut episodes = Episodes::new(10 * MS);
        // Each with the median of the time, and the bytes written before it.
        episodes.slow(100 * MS, 20 * MS, MS, 5);
        episodes.slow(170 * MS, 10 * MS, MS, 8);
        episodes.slow(172 * MS, 30 * MS, 50 * MS, 9);
        let first = Episode {
            start: 100 * MS,
            end: 202 * MS,
            count: 3,
            excess: 28 * MS,
            worst: 30 * MS,
            bytes_before: 5,
            quiet_before: None,
        };
        assert_eq!((episodes.list(), episodes.worst(), episodes.count), (vec![first], vec![first], 1));
        episodes.slow(252 * MS + 1, 12 * MS, MS, 20);
        let second = Episode {
            start: 252 * MS + 1,
            end: 264 * MS + 1,
            count: 1,
            excess: 11 * MS,
            worst: 12 * MS,
            bytes_before: 15,
            quiet_before: Some(50 * MS + 1),
        };
        assert_eq!((episodes.list(), episodes.count), (vec![first, second], 2));
    }

    #[test]
    fn what_takes_a_second_belongs_to_what_ended_a_second_before() {
        let mut episodes = Episodes::new(1_000 * MS);
        [0, 2_000, 4_001].iter().for_each(|at| episodes.slow(at * MS, 1_000 * MS, MS, 0));
        assert_eq!(episodes.list().iter().map(|episode| episode.count).collect::<Vec<_>>(), [2, 1]);
    }

    /// Episodes a second apart, of so long an I/O each.
    fn seconds_apart(latencies: impl Iterator<Item = u64>) -> Episodes {
        let mut episodes = Episodes::new(10 * MS);
        (0..).zip(latencies).for_each(|(second, latency)| episodes.slow(second * 1_000 * MS, latency, 0, 0));
        episodes
    }

    #[test]
    fn the_twenty_worst_are_ranked_and_of_equals_the_earlier_comes_first() {
        let episodes = seconds_apart((0..60).map(|number| 20 * MS + number * 7 % 30 * MS));
        let found: Vec<(u64, u64)> =
            episodes.worst().iter().map(|one| (one.worst / MS, one.start / (1_000 * MS))).collect();
        let mut expected: Vec<(u64, u64)> = (0..60).map(|number| (20 + number * 7 % 30, number)).collect();
        expected.sort_by_key(|(worst, number)| (u64::MAX - worst, *number));
        assert_eq!(found, expected[..20]);
    }

    #[test]
    fn ten_thousand_episodes_are_listed_and_all_are_counted() {
        for count in [9_999, 10_000, 10_001, 10_002u64] {
            let episodes = seconds_apart((0..count).map(|_| 20 * MS));
            assert_eq!((episodes.count, episodes.list().len() as u64), (count, count.min(10_000)));
        }
    }

    /// A cause inside the drive is suspected where a person would see a period: not of four episodes, and not where the
    /// distances differ by as much as a third.
    #[test]
    fn distances_are_regular_where_there_are_four_and_they_deviate_by_less_than_three_tenths() {
        let period = |distances: &[u64], bytes: u64| {
            let mut episodes = Episodes::new(10 * MS);
            let (mut at, mut written) = (0, 7);
            episodes.slow(at, 20 * MS, MS, written);
            for distance in distances {
                (at, written) = (at + distance * MS, written + distance * bytes);
                episodes.slow(at, 20 * MS, MS, written);
            }
            episodes.period()
        };
        // The deviation is 2 d / sqrt(3) around a mean of 1,000 ms.
        assert_eq!(
            period(&[750, 1_250, 750, 1_250], 512),
            Some(Period::Bytes(512_000.0)),
            "0.289 of the mean"
        );
        assert_eq!(period(&[740, 1_260, 740, 1_260], 512), None, "0.3002 of the mean");
        // sqrt(4 times 300^2 / 4) around 1,000.
        assert_eq!(period(&[700, 1_300, 700, 1_300, 1_000], 512), None, "three tenths of the mean");
        assert_eq!(period(&[1_000, 1_000, 1_000], 512), None, "three distances");
        // Nothing was written between reads, so it is the clock.
        assert_eq!(period(&[1_000; 4], 0), Some(Period::Nanos(1e9)));
    }

    /// Places that lie anywhere must seldom be called regular: at most 5 % of them with a probability of 5 %.
    #[test]
    fn of_places_by_chance_at_most_one_in_twenty_is_regular_at_five_per_cent() {
        let found: Vec<f64> = (0..400u64)
            .map(|seed| {
                let mut places: Vec<u64> = (0..24).map(|number| mixed(seed << 8 | number) >> 30).collect();
                places.sort_unstable();
                regular_by_chance(&places)
            })
            .collect();
        for level in [0.05, 0.2, 0.5] {
            let share = found.iter().filter(|p| **p <= level).count() as f64 / 400.0;
            let deviation = (level * (1.0 - level) / 400.0f64).sqrt();
            assert!(share < level + 3.0 * deviation, "{share} at {level}");
        }
    }

    #[test]
    fn scatter_is_the_deviation_of_distances_over_their_mean() {
        assert!(scatter(&[5, 15, 25, 35]).abs() < 1e-12);
        // Distances of 10 and 30: a mean of 20 and a deviation of 14.14.
        assert!((scatter(&[0, 10, 40]) - 200.0_f64.sqrt() / 20.0).abs() < 1e-12);
        assert!(scatter(&[7, 7, 7]).abs() < 1e-12 && scatter(&[7]).abs() < 1e-12);
    }

    #[test]
    fn even_distances_are_no_chance_and_of_random_ones_one_in_ten_is_as_regular_as_one_in_ten() {
        let even: Vec<u64> = (0..30).map(|number| 1_000 + number * 500).collect();
        assert!((regular_by_chance(&even) - 0.001).abs() < 1e-12);
        let mut draws = 0_u64;
        let mut draw = |bound: u64| {
            draws += 1;
            mixed(draws) % bound
        };
        let mut found = Vec::new();
        for _ in 0..300 {
            let mut places: Vec<u64> = (0..12).map(|_| draw(1_000_000)).collect();
            places.sort_unstable();
            let chance = regular_by_chance(&places);
            assert!((0.001..=1.0).contains(&chance));
            // Where the first one lies is of no importance.
            let moved: Vec<u64> = places.iter().map(|place| place + 123_456_789).collect();
            assert!((regular_by_chance(&moved) - chance).abs() < 1e-12);
            found.push(chance);
        }
        for share in [0.1, 0.5] {
            let below = found.iter().filter(|chance| **chance <= share).count() as f64 / 300.0;
            assert!((below - share).abs() < 0.08, "{below} of chances are at most {share}");
        }
    }

    /// The share of all rotations by all dealings of three places that leave even distances, by trying each of them: on a
    /// circle of the two distances, their mean once more, and the place itself.
    #[test]
    fn the_chance_of_even_distances_is_that_of_all_rotations_and_dealings() {
        let (places, round) = ([70_u64, 80, 90], 20 + 10 + 1);
        let is_even = |offset: u64, deal: u32| {
            let moved = (0..).zip(places).map(|(number, place)| {
                if deal >> number & 1 == 0 { place - 70 } else { (place - 70 + offset) % round }
            });
            let mut moved: Vec<u64> = moved.collect();
            moved.sort_unstable();
            moved[1] - moved[0] == moved[2] - moved[1]
        };
        let all = (0..round).flat_map(|offset| (0..8).map(move |deal| (offset, deal)));
        let even = all.filter(|(offset, deal)| is_even(*offset, *deal)).count() as f64;
        let expected = even / (8 * round) as f64;
        let deviation = (expected * (1.0 - expected) / ROTATIONS as f64).sqrt();
        let found = regular_by_chance(&places);
        assert!((found - expected).abs() < 3.0 * deviation, "{found} is not {expected}");
        // The same completions give identical results: which rotations are tried is no accident either.
        let uneven = [9, 21, 30, 44].map(|place| format!("{:.3}", regular_by_chance(&[0, 6, place, 60, 71])));
        assert_eq!(uneven, ["0.834", "0.607", "0.416", "0.589"]);
        let far = [0, 6, 30, 60, 71].map(|place| place << 56);
        assert!((regular_by_chance(&far) - 0.416).abs() < 0.05, "places as far apart as numbers go");
    }

    #[test]
    fn a_period_has_the_chance_of_its_own_distances() {
        let regular = seconds_apart((0..30).map(|_| 20 * MS));
        assert_eq!((regular.period(), regular.period_by_chance()), (Some(Period::Nanos(1e9)), Some(0.001)));
        assert_eq!(seconds_apart((0..4).map(|_| 20 * MS)).period_by_chance(), None);
    }
}
