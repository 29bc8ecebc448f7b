//! How warm the drive is: one heat capacity, one thermal resistance to the air around it.
//!
//! C dT/dt = P - (T - ambient) / R. With the mean power of a second, a second's step is exact:
//! T(t + 1 s) = T∞ + (T(t) - T∞) e^(-1 s / RC), T∞ = ambient + R P. All state is in whole numbers: temperatures above
//! ambient in nanokelvin, energies in nanojoules.

use drivelab_block::{Instant, Nanos};

use crate::profile::ThermalParameters;

/// The step, in nanoseconds.
const STEP: u64 = 1_000_000_000;
/// Bits behind the point of the factor of a step.
const POINT: u32 = 62;
const ONE: u128 = 1 << POINT;

/// What a drive reports of its temperature.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HeatLog {
    /// Of the last whole virtual second, in thousandths of a degree Celsius.
    pub milli_celsius: u64,
    /// How often the drive began to throttle.
    pub transitions: u64,
    /// For how long it throttled, in whole seconds.
    pub throttled: Nanos,
}

/// What was noted at the end of a virtual second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeatReading {
    /// The end of the second.
    pub at: Instant,
    /// The temperature then, in thousandths of a degree Celsius.
    pub milli_celsius: u64,
    /// Bytes that the host read and wrote since the drive was made.
    pub host_bytes: u64,
    /// For how many seconds the drive has throttled since it was made.
    pub throttled_seconds: u64,
}

/// The temperature of a drive, worked out once a virtual second, and whether it throttles.
#[derive(Debug)]
pub(crate) struct DriveHeat {
    parameters: ThermalParameters,
    /// e^(-1 s / RC), in 2^-[`POINT`].
    decay: u128,
    /// Nanokelvin above ambient.
    excess: u128,
    /// When the next step is due, in nanoseconds.
    pub(crate) due: u64,
    /// Energy since the drive was made, at the last step.
    energy: u128,
    is_throttled: bool,
    /// How often throttling began.
    pub(crate) transitions: u64,
    /// For how long it lasted.
    pub(crate) throttled_seconds: u64,
}

impl DriveHeat {
    /// A drive that has rested until its temperature no longer changed, at this idle power in microwatts; `None` where the
    /// profile has no thermal model.
    pub(crate) fn new(parameters: &ThermalParameters, idle_power: u64) -> Option<DriveHeat> {
        if parameters.resistance == 0 {
            return None;
        }
        let mut heat = DriveHeat {
            parameters: *parameters,
            decay: decay(parameters),
            excess: 0,
            due: STEP,
            energy: 0,
            is_throttled: false,
            transitions: 0,
            throttled_seconds: 0,
        };
        heat.excess = heat.final_excess(u128::from(idle_power) * 1_000);
        Some(heat)
    }

    /// A step to the second that is due; `energy` is what the drive took until then, in nanojoules since it was made. Returns
    /// whether throttling began or ended.
    pub(crate) fn step(&mut self, energy: u128) -> bool {
        // Nanojoules in a second are nanowatts.
        let target = self.final_excess(energy - self.energy);
        self.energy = energy;
        self.due += STEP;
        self.excess = if self.excess >= target {
            target + (((self.excess - target) * self.decay) >> POINT)
        } else {
            target - (((target - self.excess) * self.decay) >> POINT)
        };
        self.throttled_seconds += u64::from(self.is_throttled);
        let (limit, now) = (self.parameters.limit, self.milli_celsius());
        let was_throttled = self.is_throttled;
        if limit > 0 {
            let cooled = now + self.parameters.hysteresis <= limit;
            self.is_throttled = now >= limit || (was_throttled && !cooled);
        }
        self.transitions += u64::from(self.is_throttled && !was_throttled);
        self.is_throttled != was_throttled
    }

    pub(crate) fn milli_celsius(&self) -> u64 {
        self.parameters.ambient + u64::try_from(self.excess / 1_000_000).unwrap_or(u64::MAX / 2)
    }

    /// By how much the drive is slowed now, in millionths.
    pub(crate) fn slowed_by(&self) -> u64 {
        if self.is_throttled { self.parameters.throttle } else { 0 }
    }

    /// Thousandths of a degree Celsius at which the drive throttles; `None` where it never does.
    pub(crate) fn limit(&self) -> Option<u64> {
        Some(self.parameters.limit).filter(|limit| *limit > 0)
    }

    /// How far above ambient a constant power in nanowatts brings the drive: nW x mK/W is 10^-3 nK.
    fn final_excess(&self, nanowatts: u128) -> u128 {
        nanowatts * u128::from(self.parameters.resistance) / 1_000
    }
}

/// e^(-1 s / RC): e^-(x / 2^20) by its series, whose fourth term is below the last bit where RC is at least a second, squared 20
/// times.
fn decay(parameters: &ThermalParameters) -> u128 {
    // mK/W x mJ/K is 10^-6 s.
    let micros = (u128::from(parameters.resistance) * u128::from(parameters.capacity)).max(1);
    let x = (1_000_000 * ONE / micros) >> 20;
    let square = (x * x) >> POINT;
    let mut power = ONE - x + square / 2 - ((square * x) >> POINT) / 6;
    for _ in 0..20 {
        power = (power * power) >> POINT;
    }
    power
}
