//! The host link and the controller's one core, in the order in which commands come.

use crate::profile::Parameters;
use crate::random::{BELL_DEVIATION, Generator, Part};

/// Bits behind the point of [`ControllerPace::link`] and of a command's [`Cost`].
const POINT: u32 = 16;

/// What a command costs the core, noise included.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cost {
    pub(crate) command: u64,
    pub(crate) unit: u64,
}

/// The pace of the link, and what commands cost.
#[derive(Clone, Copy, Debug)]
struct ControllerPace {
    /// Nanoseconds a sector of 512 bytes.
    link: u64,
    write: Cost,
    read: Cost,
}

/// When the link and the core are next free.
#[derive(Debug)]
pub(crate) struct LinkAndCore {
    pub(crate) core_free_at: u64,
    link_free_at: u64,
    pace: ControllerPace,
    /// The pace of a controller that is not throttled.
    rated: ControllerPace,
    /// Deviation of a command's time, in 2^-[`POINT`] of it.
    noise: i64,
    generator: Generator,
}

impl LinkAndCore {
    pub(crate) fn new(parameters: &Parameters, seed: u64) -> LinkAndCore {
        let unit = parameters.unit_time;
        let noise = (parameters.controller_noise << POINT) / 1_000_000;
        let rated = ControllerPace {
            link: ((512 * 1_000_000_000) << POINT) / parameters.link,
            write: Cost { command: parameters.command_time, unit },
            read: Cost { command: parameters.read_command_time, unit },
        };
        LinkAndCore {
            core_free_at: 0,
            link_free_at: 0,
            pace: rated,
            rated,
            noise: i64::try_from(noise).unwrap_or(0),
            generator: Generator::of_part(seed, Part::Controller),
        }
    }

    /// Slows link and core by this many millionths, less than all.
    pub(crate) fn slow_by(&mut self, share: u64) {
        let slowed = |time: u64| time * 1_000_000 / (1_000_000 - share);
        let cost = |cost: Cost| Cost { command: slowed(cost.command), unit: slowed(cost.unit) };
        let ControllerPace { link, write, read } = self.rated;
        self.pace = ControllerPace { link: slowed(link), write: cost(write), read: cost(read) };
    }

    /// Power fails at `now`: link and core have nothing to do any more.
    pub(crate) fn cut_power(&mut self, now: u64) {
        self.core_free_at = self.core_free_at.min(now);
        self.link_free_at = self.link_free_at.min(now);
    }

    #[inline]
    pub(crate) fn write_cost(&mut self) -> Cost {
        self.noisy(self.pace.write)
    }

    #[inline]
    pub(crate) fn read_cost(&mut self) -> Cost {
        self.noisy(self.pace.read)
    }

    #[inline]
    fn noisy(&mut self, cost: Cost) -> Cost {
        if self.noise == 0 {
            return cost;
        }
        let deviation = self.generator.bell() * self.noise / BELL_DEVIATION;
        let factor = u64::try_from((1 << POINT) + deviation).unwrap_or(0);
        Cost { command: (cost.command * factor) >> POINT, unit: (cost.unit * factor) >> POINT }
    }

    /// Takes `sectors` over the link from `at` on; returns when the first unit is there, and when all is.
    #[inline]
    pub(crate) fn receive(&mut self, at: u64, sectors: u32) -> (u64, u64) {
        let start = self.link_free_at.max(at);
        let done = start + self.link_time(sectors);
        self.link_free_at = done;
        (start + self.link_time(sectors.min(8)), done)
    }

    /// Sends `sectors` that are ready at `ready`, for a command that was taken at `at`; returns when they
    /// are with the host. The link counts its work from `at`: what becomes ready late holds up nobody.
    #[inline]
    pub(crate) fn send(&mut self, at: u64, ready: u64, sectors: u32) -> u64 {
        let time = self.link_time(sectors);
        self.link_free_at = self.link_free_at.max(at) + time;
        self.link_free_at.max(ready + time)
    }

    #[inline]
    fn link_time(&self, sectors: u32) -> u64 {
        (u64::from(sectors) * self.pace.link) >> POINT
    }

    /// When the core can begin what is there at `at`.
    #[inline]
    pub(crate) fn begin(&self, at: u64) -> u64 {
        self.core_free_at.max(at)
    }

    /// The core works for `time` on what is there at `at`; returns until when.
    #[inline]
    pub(crate) fn work(&mut self, at: u64, time: u64) -> u64 {
        self.core_free_at = self.begin(at) + time;
        self.core_free_at
    }

    /// The core begins nothing before `until`.
    pub(crate) fn hold_until(&mut self, until: u64) {
        self.core_free_at = self.core_free_at.max(until);
    }
}
