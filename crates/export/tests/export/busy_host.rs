//! A busy host, made up.

use std::sync::Arc;

use drivelab_block::{ByteCount, Nanos, Op};
use drivelab_export::rollup::{IoOutcome, Rollup, RollupInterval, RollupRow};
use rand_core::{Rng as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;

/// I/Os of the host in each second.
pub const IOS_PER_SECOND: u64 = 10_000;
const SECONDS_OF_INTERVAL: u64 = 300;

/// Service times of one kind: a share of the I/Os, the median in microseconds, and the standard deviation of the logarithm.
type Mode = (f64, f64, f64);

/// Reads of an SSD under a mixed load: from flash, behind a program or an erase of the same die, behind a garbage collection.
const READS: [Mode; 3] = [(0.95, 90.0, 0.25), (0.045, 700.0, 0.5), (0.005, 4_000.0, 0.6)];
/// Writes: into the cache, behind a full one, behind a garbage collection.
const WRITES: [Mode; 3] = [(0.96, 25.0, 0.3), (0.035, 400.0, 0.5), (0.005, 9_000.0, 0.6)];
/// Sizes of I/Os in bytes, each with its share.
const SIZES: [(f64, u64); 5] = [(0.6, 4_096), (0.15, 8_192), (0.1, 16_384), (0.1, 65_536), (0.05, 131_072)];

/// Makes I/Os of one device at a steady rate, seven of ten of them reads, slower in the hours of work than at night.
pub struct BusyHost {
    random: Xoshiro256PlusPlus,
    device: Arc<str>,
}

impl BusyHost {
    pub fn new() -> BusyHost {
        BusyHost { random: Xoshiro256PlusPlus::seed_from_u64(1), device: Arc::from("A drive") }
    }

    /// From 0 to less than 1.
    fn uniform(&mut self) -> f64 {
        (self.random.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// One of these, by its share.
    fn pick<const N: usize, T: Copy>(&mut self, of: &[T; N], share: impl Fn(&T) -> f64) -> T {
        let mut at = self.uniform();
        for one in of {
            at -= share(one);
            if at < 0.0 {
                return *one;
            }
        }
        of[N - 1]
    }

    /// The I/Os of an interval, by its number in the day.
    pub fn interval(&mut self, number: u64) -> Rollup {
        let mut rollup = Rollup::default();
        let interval =
            RollupInterval::of_unix_nanos((1_795_478_400 + number * SECONDS_OF_INTERVAL) * 1_000_000_000);
        let load = 1.0 + 0.3 * (number as f64 / 288.0 * std::f64::consts::TAU).sin();
        let device = Arc::clone(&self.device);
        for _ in 0..IOS_PER_SECOND * SECONDS_OF_INTERVAL {
            let is_read = self.uniform() < 0.7;
            let (op, modes) = if is_read { (Op::Read, READS) } else { (Op::Write, WRITES) };
            let (_, median, spread) = self.pick(&modes, |mode| mode.0);
            let (_, bytes) = self.pick(&SIZES, |size| size.0);
            // Box and Muller, "A Note on the Generation of Random Normal Deviates" (1958).
            let radius = (-2.0 * (1.0 - self.uniform()).ln()).sqrt();
            let normal = radius * (self.uniform() * std::f64::consts::TAU).cos();
            // Larger I/Os take the time of their transfer, at 500 MB/s.
            let nanos = load * median * 1_000.0 * (spread * normal).exp() + bytes as f64 * 2.0;
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "seconds at most")]
            let outcome = IoOutcome::Served(Nanos::new(nanos as u64));
            let (bucket, sums) = outcome.counted(ByteCount::new(bytes));
            let device = Arc::clone(&device);
            rollup.add(RollupRow { interval, device, is_measured: true, op, bucket, sums });
        }
        rollup
    }
}
