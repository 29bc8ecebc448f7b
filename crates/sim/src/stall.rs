//! Delays after so many bytes written, and freezes at fixed times.

use drivelab_block::{ByteCount, Instant, Nanos};

use crate::profile::StallParameters;
use crate::random::{Generator, Part};
use crate::truth::InjectedDelay;

/// Numbers with a given deviation around 0, balanced: any four in a row, counted from the first, have mean
/// 0 and exactly that deviation, so that a run with few delays still shows the profile's figures.
#[derive(Debug)]
struct Balanced {
    generator: Generator,
    deviation: u64,
    queue: [i64; 4],
    next: usize,
}

impl Balanced {
    fn new(generator: Generator, deviation: u64) -> Balanced {
        Balanced { generator, deviation, queue: [0; 4], next: 4 }
    }

    fn draw(&mut self) -> i64 {
        if self.deviation == 0 {
            return 0;
        }
        if self.next == self.queue.len() {
            self.refill();
        }
        self.next += 1;
        self.queue[self.next - 1]
    }

    /// +a, -a, +b, -b in some order of the pairs, with a^2 + b^2 = 2 deviations^2.
    fn refill(&mut self) {
        let square = 2 * u128::from(self.deviation) * u128::from(self.deviation);
        let part = (square * u128::from(self.generator.draw() >> 32)) >> 32;
        let root = |square: u128| i64::try_from(square.isqrt()).unwrap_or(0);
        let signed = |amount: i64, coin: u64| if coin == 0 { amount } else { -amount };
        let a = signed(root(part), self.generator.below(2));
        let b = signed(root(square - part), self.generator.below(2));
        self.queue = [a, -a, b, -b];
        self.next = 0;
    }
}

/// Delays by host bytes written.
#[derive(Debug)]
pub(crate) struct Delays {
    every: u64,
    duration: u64,
    spacings: Balanced,
    durations: Balanced,
    written: u64,
    /// Bytes written at which the next one comes; `u64::MAX` where there are none.
    due_at: u64,
    previous_at: u64,
    /// Those so far, oldest first.
    pub(crate) happened: Vec<InjectedDelay>,
}

impl Delays {
    pub(crate) fn new(stalls: &StallParameters, seed: u64) -> Delays {
        let mut delays = Delays {
            every: stalls.delay_every,
            duration: stalls.delay,
            spacings: Balanced::new(
                Generator::of_part(seed, Part::DelaySpacing),
                stalls.delay_every_deviation,
            ),
            durations: Balanced::new(Generator::of_part(seed, Part::DelayDuration), stalls.delay_deviation),
            written: 0,
            due_at: u64::MAX,
            previous_at: 0,
            happened: Vec::new(),
        };
        if delays.every > 0 && delays.duration > 0 {
            delays.due_at = delays.spacing();
        }
        delays
    }

    fn spacing(&mut self) -> u64 {
        let deviation = self.spacings.draw();
        self.every.saturating_add_signed(deviation).max(1)
    }

    /// Notes a write; returns how long it takes, where the bytes have come together.
    #[inline]
    pub(crate) fn due(&mut self, bytes: u64) -> Option<u64> {
        self.written += bytes;
        (self.written >= self.due_at).then(|| self.duration.saturating_add_signed(self.durations.draw()))
    }

    /// Keeps the delay that was due, and plans the next.
    pub(crate) fn happened(&mut self, at: u64, duration: u64, host_write: u64) {
        self.happened.push(InjectedDelay {
            at: Instant::from_nanos(at),
            duration: Nanos::new(duration),
            host_write,
            written_since_previous: ByteCount::new(self.written - self.previous_at),
        });
        self.previous_at = self.written;
        // From where it was due, not from where the write ended: the mean spacing stays exact.
        while self.due_at <= self.written {
            self.due_at = self.due_at.saturating_add(self.spacing());
        }
    }
}

/// Freezes by virtual time: the last part of each period, in which the drive answers nothing; and a hang, which comes once.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Freezes {
    every: u64,
    lasts: u64,
    /// When the drive begins to hang; `u64::MAX` where it never does.
    hangs_from: u64,
    /// When it answers again; `u64::MAX` where it never does.
    hangs_until: u64,
    /// Whether there are neither freezes nor a hang.
    is_lively: bool,
}

impl Freezes {
    pub(crate) fn new(stalls: &StallParameters) -> Freezes {
        let lasts = if stalls.freeze_every == 0 { 0 } else { stalls.freeze_for };
        let hangs_from = if stalls.hang_at == 0 { u64::MAX } else { stalls.hang_at };
        let hangs_until =
            if stalls.hang_for == 0 { u64::MAX } else { hangs_from.saturating_add(stalls.hang_for) };
        let is_lively = lasts == 0 && hangs_from == u64::MAX;
        Freezes { every: stalls.freeze_every.max(1), lasts, hangs_from, hangs_until, is_lively }
    }

    /// `at`, or the end of the freeze or of the hang that it falls in: `u64::MAX` where the drive hangs for ever.
    #[inline]
    pub(crate) fn thawed(&self, at: u64) -> u64 {
        if self.is_lively {
            return at;
        }
        let thawed = self.thawed_of_period(at);
        if (self.hangs_from..self.hangs_until).contains(&thawed) {
            return if self.hangs_until == u64::MAX {
                u64::MAX
            } else {
                self.thawed_of_period(self.hangs_until)
            };
        }
        thawed
    }

    fn thawed_of_period(&self, at: u64) -> u64 {
        if self.lasts == 0 {
            return at;
        }
        let into = at % self.every;
        if into >= self.every - self.lasts { at - into + self.every } else { at }
    }

    /// Freezes that began up to `now`.
    pub(crate) fn begun(&self, now: u64) -> u64 {
        if self.lasts == 0 { 0 } else { (now + self.lasts) / self.every }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_draws_have_the_mean_and_deviation_asked_for() {
        let mut draws = Balanced::new(Generator::of_part(3, Part::DelayDuration), 12_700_000);
        for _ in 0..10 {
            let four: Vec<i64> = (0..4).map(|_| draws.draw()).collect();
            assert_eq!(four.iter().sum::<i64>(), 0);
            let variance = four.iter().map(|x| i128::from(*x) * i128::from(*x)).sum::<i128>() / 4;
            assert!((variance.isqrt() - 12_700_000).abs() <= 2, "{four:?}");
        }
    }

    #[test]
    fn a_freeze_is_the_end_of_its_period() {
        let freezes = Freezes::new(&StallParameters {
            freeze_every: 6_000,
            freeze_for: 1_000,
            ..StallParameters::default()
        });
        assert_eq!(freezes.thawed(4_999), 4_999);
        assert_eq!(freezes.thawed(5_000), 6_000);
        assert_eq!(freezes.thawed(6_000), 6_000);
        assert_eq!(freezes.begun(4_999), 0);
        assert_eq!(freezes.begun(11_000), 2);
    }

    #[test]
    fn a_hang_comes_once_and_may_have_no_end() {
        let freezes =
            Freezes::new(&StallParameters { hang_at: 5_000, hang_for: 2_000, ..StallParameters::default() });
        assert_eq!(
            [4_999, 5_000, 6_999, 7_000, 12_500].map(|at| freezes.thawed(at)),
            [4_999, 7_000, 7_000, 7_000, 12_500]
        );
        let freezes = Freezes::new(&StallParameters { hang_at: 5_000, ..StallParameters::default() });
        assert_eq!([4_999, 5_000, 1 << 50].map(|at| freezes.thawed(at)), [4_999, u64::MAX, u64::MAX]);
        let both = StallParameters {
            freeze_every: 6_000,
            freeze_for: 1_000,
            hang_at: 7_000,
            hang_for: 4_500,
            ..StallParameters::default()
        };
        assert_eq!(Freezes::new(&both).thawed(8_000), 12_000, "the hang ends in a freeze");
    }
}
