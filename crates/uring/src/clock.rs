//! The clock of real runs: the time-stamp counter where it can be trusted, else the kernel's clock.

use std::time::Duration;

use drivelab_block::{Instant, Nanos};
use rustix::time::{ClockId, clock_gettime};

/// A clock whose origin is the moment of its making. Copies tell the same time, on every processor.
///
/// The counter is read in about 10 ns, `clock_gettime` in about 30: at a million I/Os a second that is
/// the difference between 1 % and 8 %.
#[derive(Clone, Copy, Debug)]
pub enum Clock {
    /// The processor's invariant counter.
    Counter {
        /// Its value at the origin.
        origin: u64,
        /// Nanoseconds a tick, in units of 2^-32.
        scale: u64,
    },
    /// `CLOCK_MONOTONIC`.
    Kernel {
        /// Its value at the origin, in nanoseconds.
        origin: u64,
    },
}

/// How long the counter is compared with the kernel's clock. Each end is known to about 20 ns, so the rate
/// is right to about one part in a million: 2 ms in a run of 2000 s.
const CALIBRATION: Duration = Duration::from_millis(50);

impl Clock {
    /// Starts a clock. Where the kernel itself keeps time by the counter, the counter is compared with it
    /// for 50 ms; elsewhere the kernel's clock is used.
    pub fn start() -> Clock {
        if counter::is_trusted() { Clock::calibrated() } else { Clock::Kernel { origin: kernel_nanos() } }
    }

    fn calibrated() -> Clock {
        let (ticks_first, nanos_first) = closest(counter::read);
        #[expect(clippy::disallowed_methods, reason = "the counter ticks while nothing is done")]
        std::thread::sleep(CALIBRATION);
        let (ticks_last, nanos_last) = closest(counter::read);
        let ticks = u128::from((ticks_last - ticks_first).max(1));
        let scale = (u128::from(nanos_last - nanos_first) << 32) / ticks;
        match u64::try_from(scale) {
            Ok(scale) if scale > 0 => Clock::Counter { origin: counter::read(), scale },
            _ => Clock::Kernel { origin: kernel_nanos() },
        }
    }

    /// The time since the origin.
    #[inline]
    pub fn now(&self) -> Instant {
        match *self {
            Clock::Counter { origin, scale } => {
                let ticks = counter::read().wrapping_sub(origin);
                #[expect(clippy::cast_possible_truncation, reason = "584 years of nanoseconds fit")]
                let nanos = ((u128::from(ticks) * u128::from(scale)) >> 32) as u64;
                Instant::from_nanos(nanos)
            }
            Clock::Kernel { origin } => Instant::from_nanos(kernel_nanos() - origin),
        }
    }

    /// Its origin on `CLOCK_MONOTONIC`, the clock of the kernel's events, in nanoseconds.
    ///
    /// Two clocks that are read one after the other are apart by as long as the thread was kept from its processor between them:
    /// the closest of several readings counts.
    pub fn origin(&self) -> Nanos {
        match *self {
            Clock::Kernel { origin } => Nanos::new(origin),
            Clock::Counter { .. } => {
                let (own, kernel) = closest(|| self.now().as_nanos());
                Nanos::new(kernel.saturating_sub(own))
            }
        }
    }

    /// What the clock is, for the conditions of a run.
    pub fn describe(&self) -> String {
        match *self {
            Clock::Counter { scale, .. } => {
                let megahertz = (1u64 << 32) as f64 / scale as f64 * 1e3;
                format!("time-stamp counter, {megahertz:.3} MHz against CLOCK_MONOTONIC")
            }
            Clock::Kernel { .. } => "CLOCK_MONOTONIC".to_owned(),
        }
    }
}

/// A reading of `own` and of the kernel's clock at the same moment: the closest of several tries.
fn closest(own: impl Fn() -> u64) -> (u64, u64) {
    let attempts = (0..32).map(|_| {
        let before = own();
        let nanos = kernel_nanos();
        let after = own();
        (after.wrapping_sub(before), before.wrapping_add(after.wrapping_sub(before) / 2), nanos)
    });
    let (_, ticks, nanos) = attempts.min().unwrap_or_default();
    (ticks, nanos)
}

fn kernel_nanos() -> u64 {
    let time = clock_gettime(ClockId::Monotonic);
    u64::try_from(time.tv_sec).unwrap_or(0) * 1_000_000_000 + u64::try_from(time.tv_nsec).unwrap_or(0)
}

#[cfg(target_arch = "x86_64")]
mod counter {
    /// The kernel only keeps time by the counter where it ticks at one rate on every processor.
    pub fn is_trusted() -> bool {
        let path = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
        std::fs::read_to_string(path).is_ok_and(|source| source.trim() == "tsc")
    }

    #[inline]
    pub fn read() -> u64 {
        // SAFETY: every x86-64 processor has the instruction, and it touches no memory.
        unsafe { core::arch::x86_64::_rdtsc() }
    }
}

#[cfg(not(target_arch = "x86_64"))]
mod counter {
    pub fn is_trusted() -> bool {
        false
    }

    pub fn read() -> u64 {
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_keeps_the_kernels_pace() {
        let clock = Clock::start();
        let error = || {
            let (kernel_first, first) = (kernel_nanos(), clock.now());
            while kernel_nanos() - kernel_first < 20_000_000 {}
            let (kernel_last, last) = (kernel_nanos(), clock.now());
            (last.since(first).get() as f64 / (kernel_last - kernel_first) as f64 - 1.0).abs()
        };
        // A preemption between two readings spoils a try, and hardly all of twenty.
        let least = (0..20).map(|_| error()).fold(f64::INFINITY, f64::min);
        assert!(least < 0.0001, "{least}");
    }

    #[test]
    fn the_origin_is_the_moment_of_its_making_on_the_kernels_clock() {
        let before = kernel_nanos();
        let clock = Clock::start();
        let after = kernel_nanos();
        let slack = 1_000_000;
        assert!((before..=after + slack).contains(&clock.origin().get()), "{:?}", clock.origin());
        let (own, kernel) = closest(|| clock.now().as_nanos());
        assert!((clock.origin().get() + own).abs_diff(kernel) < slack);
    }

    #[test]
    fn the_clock_never_runs_backwards() {
        let clock = Clock::start();
        let mut last = clock.now();
        for _ in 0..100_000 {
            let now = clock.now();
            assert!(now >= last);
            last = now;
        }
    }
}
