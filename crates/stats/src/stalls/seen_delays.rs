//! What a few delays show of those that come later.

use crate::interval::student_t;
use crate::{BufferCurve, whole};

/// The 95 % quantile of the normal distribution.
const Z_95: f64 = 1.644_854;
/// Fewer delays do not say how often such come.
const LEAST: u64 = 3;
/// How many times as long as the longest that was seen a later delay is taken to be at most.
const LONGER: f64 = 2.0;
/// How far a run is thought to go on, in its own lengths, when it is asked how long one would have to be.
const LENGTHS_MAX: f64 = 1_000.0;

/// The delays of a run, or of a part of it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SeenDelays {
    /// How many there were.
    pub count: u64,
    /// How long they were on average, in nanoseconds.
    pub mean_ns: f64,
    /// The sample standard deviation of that; 0 of a single one.
    pub stddev_ns: f64,
    /// How long the longest was, in nanoseconds.
    pub longest_ns: u64,
}

/// What a run shows of how long writes take.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SeenWrites {
    /// Its delays.
    pub delays: SeenDelays,
    /// Those of its late writes.
    pub late_delays: SeenDelays,
    /// The sample standard deviation of the times of all other writes, in nanoseconds.
    pub stddev_ns: f64,
}

/// Whether a drive keeps up with a stream for long, as far as a run shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeepsUp {
    /// It does, also with as many delays as are likely.
    Yes,
    /// It does not: its writes are too slow without any delay, or with as few as are likely.
    No,
    /// The run was too short to show either.
    NotShown,
}

impl SeenDelays {
    /// The fewest and the most delays that have to be expected of such a run, between which the true mean lies, each with 95 %
    /// confidence: the bounds of a Poisson count (Garwood, Biometrika 28, 1936) by the cube root of Wilson and Hilferty (PNAS
    /// 17, 1931), which is within 1 % of them.
    pub fn expected(&self) -> (f64, f64) {
        let count = self.count as f64;
        let bound = |n: f64, z: f64| n * (1.0 - 1.0 / (9.0 * n) + z / (3.0 * n.sqrt())).powi(3);
        let fewest = if self.count == 0 { 0.0 } else { bound(count, -Z_95).max(0.0) };
        (fewest, bound(count + 1.0, Z_95))
    }

    /// How long the next delay has to be expected to be at most, in nanoseconds: at least as long as the longest. It is the
    /// prediction bound of a normal distribution, `mean + t(0.975, n - 1) s sqrt(1 + 1 / n)` (Hahn and Meeker, Statistical
    /// Intervals, 1991), and at most twice the longest; of a single delay, whose deviation is not known, that.
    pub fn likely_longest(&self) -> f64 {
        let (longest, count) = (self.longest_ns as f64, self.count as f64);
        if self.count < 2 {
            return longest * LONGER;
        }
        let freedom = usize::try_from(self.count - 1).unwrap_or(usize::MAX);
        let bound = self.mean_ns + student_t(freedom) * self.stddev_ns * (1.0 + 1.0 / count).sqrt();
        bound.clamp(longest, longest * LONGER)
    }

    /// The same delays in a run of so many times the length, were it like this one.
    fn over(self, lengths: f64) -> SeenDelays {
        let count = whole((self.count as f64 * lengths).round()) as u64;
        SeenDelays { count, ..self }
    }
}

/// A run of writes, or a part of one.
#[derive(Clone, Copy)]
struct WritesPart {
    writes: f64,
    busy_ns: f64,
    delays: SeenDelays,
    stddev_ns: f64,
}

impl WritesPart {
    /// How long the writes keep the drive busy without the delays, and with as many as these, in nanoseconds.
    fn busy_with(&self, delays: f64) -> f64 {
        let own = self.delays.count as f64 * self.delays.mean_ns;
        (self.busy_ns - own).max(0.0) + delays * self.delays.mean_ns
    }

    /// How much longer or shorter other writes like these may keep it busy, with 95 % confidence each, in nanoseconds.
    fn by_chance(&self) -> f64 {
        Z_95 * self.stddev_ns * self.writes.sqrt()
    }

    /// Whether the drive is too slow for blocks that come every `block_ns`.
    fn is_too_slow(&self, block_ns: f64) -> bool {
        let there = self.writes * block_ns + self.by_chance();
        let (fewest, _) = self.delays.expected();
        self.busy_with(0.0) > there || self.delays.count >= LEAST && self.busy_with(fewest) > there
    }

    /// Whether it keeps up with them, also with as many delays as have to be expected. Of none it is not known how long they are.
    fn is_fast_enough(&self, block_ns: f64) -> bool {
        let most = if self.delays.count == 0 { 0.0 } else { self.delays.expected().1 };
        self.busy_with(most) + self.by_chance() <= self.writes * block_ns
    }
}

impl BufferCurve {
    /// Whether the drive keeps up with a stream of `rate` bytes a second for long, over all writes and over the late ones. A
    /// single delay near the end of a short run makes it slow for that long, and for no longer: a drive is too slow only if it
    /// is without its delays, or has had three at least and is with the fewest that are likely.
    pub fn keeps_up(&self, rate: f64, seen: SeenWrites) -> KeepsUp {
        self.keeps_up_over(rate, seen, 1.0)
    }

    /// How many times as long a run would have to be to show whether the drive keeps up, were it like this one; none if even a
    /// thousand times is too short.
    pub fn lengths_to_show(&self, rate: f64, seen: SeenWrites) -> Option<f64> {
        let mut lengths = 1.0;
        while lengths <= LENGTHS_MAX {
            if self.keeps_up_over(rate, seen, lengths) != KeepsUp::NotShown {
                return Some(lengths);
            }
            lengths *= 1.25;
        }
        None
    }

    fn keeps_up_over(&self, rate: f64, seen: SeenWrites, lengths: f64) -> KeepsUp {
        let block_ns = self.block_bytes as f64 / rate * 1e9;
        let part = |writes: u64, busy_ns: u64, delays: SeenDelays| WritesPart {
            writes: writes as f64 * lengths,
            busy_ns: busy_ns as f64 * lengths,
            delays: delays.over(lengths),
            stddev_ns: seen.stddev_ns,
        };
        let all = part(self.writes, self.busy_ns, seen.delays);
        let late = part(self.late_writes, self.late_busy_ns, seen.late_delays);
        if all.is_too_slow(block_ns) || late.is_too_slow(block_ns) {
            return KeepsUp::No;
        }
        // The late writes are too few for a bound of their own.
        let is_late_enough = late.busy_ns <= late.writes * block_ns;
        if all.is_fast_enough(block_ns) && is_late_enough { KeepsUp::Yes } else { KeepsUp::NotShown }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn delays(count: u64) -> SeenDelays {
        SeenDelays { count, mean_ns: 2e9, stddev_ns: 0.0, longest_ns: 2_000_000_000 }
    }

    /// Tables of the Poisson distribution: the sums of exp(-m) m^i / i! that are 5 % and 95 %.
    #[test]
    fn the_bounds_of_a_count_are_those_of_a_poisson_distribution() {
        for (count, fewest, most) in [(0, 0.0, 2.996), (3, 0.818, 7.754), (10, 5.425, 16.962)] {
            let found = delays(count).expected();
            assert!((found.0 - fewest).abs() <= 0.01 * fewest, "{count}: {found:?}");
            assert!((found.1 - most).abs() <= 0.01 * most, "{count}: {found:?}");
        }
    }

    #[test]
    fn a_later_delay_may_be_longer_than_those_that_were_seen() {
        assert!((delays(1).likely_longest() - 4e9).abs() < 1.0, "nothing is known of its deviation");
        assert!((delays(5).likely_longest() - 2e9).abs() < 1.0, "all were equal");
        let uneven = SeenDelays { count: 10, mean_ns: 2e9, stddev_ns: 0.2e9, longest_ns: 2_300_000_000 };
        // 2 + 2.262157 x 0.2 x sqrt(1.1)
        assert!((uneven.likely_longest() - 2.474_521e9).abs() < 1e4, "{}", uneven.likely_longest());
    }

    /// A run of 100 blocks, each of which comes within 10 ms at the rate of the stream.
    fn curve(busy_ns: u64, late_busy_ns: u64) -> BufferCurve {
        let (block_bytes, writes, late_writes) = (1_000_000, 100, 25);
        BufferCurve { block_bytes, writes, busy_ns, late_writes, late_busy_ns, windows: Vec::new() }
    }

    #[test]
    fn a_delay_near_the_end_is_no_drive_that_is_too_slow() {
        let of = |curve: BufferCurve, all, late| {
            let (delays, late_delays) = (delays(all), delays(late));
            curve.keeps_up(100e6, SeenWrites { delays, late_delays, stddev_ns: 0.0 })
        };
        let (quick, ms) = (500_000_000, 1_000_000);
        assert_eq!(of(curve(quick, quick / 4), 0, 0), KeepsUp::Yes);
        assert_eq!(of(curve(1_001 * ms, 250 * ms), 0, 0), KeepsUp::No, "slow without any delay");
        assert_eq!(of(curve(800 * ms, 251 * ms), 0, 0), KeepsUp::No, "slow at its end without any delay");
        let with = |count: u64| quick + count * 2_000 * ms;
        assert_eq!(
            of(curve(with(1), 2_125 * ms), 1, 1),
            KeepsUp::NotShown,
            "one delay of 2 s in 1 s of data"
        );
        assert_eq!(of(curve(with(2), 4_125 * ms), 2, 2), KeepsUp::NotShown);
        assert_eq!(of(curve(with(3), 2_125 * ms), 3, 1), KeepsUp::No);
    }

    #[test]
    fn delays_that_just_fit_need_a_longer_run() {
        // Nearly half of the time is that of five delays, whose number is known to a factor of two.
        let few = SeenDelays { count: 5, mean_ns: 0.09e9, stddev_ns: 0.0, longest_ns: 90_000_000 };
        let curve = curve(950_000_000, 230_000_000);
        let seen = SeenWrites { delays: few, ..SeenWrites::default() };
        assert_eq!(curve.keeps_up(100e6, seen), KeepsUp::NotShown);
        let lengths = curve.lengths_to_show(100e6, seen).expect("a longer run");
        assert!((10.0..100.0).contains(&lengths), "{lengths}");
        let just = curve.lengths_to_show(100e6 / 0.95, seen);
        assert_eq!(just, None, "the drive takes as much as the stream brings");
    }

    /// The late writes of a short run may be slow by chance, where many writes take long that are no delays.
    #[test]
    fn what_chance_does_is_no_drive_that_is_too_slow() {
        let (curve, stddev_ns) = (curve(960_000_000, 255_000_000), 5e6);
        let uneven = SeenWrites { stddev_ns, ..SeenWrites::default() };
        assert_eq!(curve.keeps_up(100e6, SeenWrites::default()), KeepsUp::No);
        assert_eq!(curve.keeps_up(100e6, uneven), KeepsUp::NotShown);
    }
}
