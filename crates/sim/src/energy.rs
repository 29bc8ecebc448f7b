//! What the drive draws: its own account, and a meter that is read in virtual time.

use drivelab_block::{EnergyAccount, Instant};

use crate::profile::EnergyParameters;
use crate::truth::Counts;

/// How far apart a meter's readings are at first, in nanoseconds.
const INTERVAL: u64 = 100_000_000;
/// The most readings that are kept: beyond, every second one goes and they are twice as far apart.
const MOST: usize = 1 << 15;

/// The energy of that work in the nanoseconds since the drive was made, less the picojoules that power states saved.
/// Work counts where it was given to the flash: programs that wait in the write buffer are in it.
pub(crate) fn joules(parameters: &EnergyParameters, counts: &Counts, now: u64, saved: u128) -> EnergyAccount {
    let of = |count: u64, nanojoules: u64| count as f64 * nanojoules as f64 / 1e9;
    let account = EnergyAccount {
        joules: 0.0,
        idle: now as f64 / 1e9 * parameters.idle_power as f64 / 1e6 - saved as f64 / 1e12,
        read: of(counts.page_reads, parameters.read),
        program: of(counts.programs, parameters.program) + of(counts.slc_programs, parameters.slc_program),
        erase: of(counts.erased_blocks, parameters.erase),
        seek: of(counts.seeks, parameters.seek),
        transfer: of(counts.host_bytes + counts.host_read_bytes, parameters.transfer) / 4096.0,
    };
    account.summed()
}

/// The same in whole nanojoules.
pub(crate) fn nanojoules(parameters: &EnergyParameters, counts: &Counts, now: u64, saved: u128) -> u128 {
    let of = |count: u64, nanojoules: u64| u128::from(count) * u128::from(nanojoules);
    // Microwatts x nanoseconds are femtojoules.
    (u128::from(now) * u128::from(parameters.idle_power) / 1_000_000).saturating_sub(saved / 1_000)
        + of(counts.page_reads, parameters.read)
        + of(counts.programs, parameters.program)
        + of(counts.slc_programs, parameters.slc_program)
        + of(counts.erased_blocks, parameters.erase)
        + of(counts.seeks, parameters.seek)
        + of(counts.host_bytes + counts.host_read_bytes, parameters.transfer) / 4096
}

/// A counter of energy that is read on a schedule of virtual time.
#[derive(Debug)]
pub(crate) struct EnergyMeter {
    interval: u64,
    /// When the next reading is due, in nanoseconds.
    pub(crate) due: u64,
    /// The readings, oldest first: when, and the joules since the drive was made.
    pub(crate) readings: Vec<(Instant, f64)>,
}

impl EnergyMeter {
    /// A meter whose first reading is taken at `now`.
    pub(crate) fn new(now: u64) -> EnergyMeter {
        EnergyMeter { interval: INTERVAL, due: now, readings: Vec::new() }
    }

    /// Takes every reading that is due until `next`, of a drive that did nothing since its counts were these, and whose power
    /// states saved this much.
    pub(crate) fn read(&mut self, parameters: &EnergyParameters, counts: &Counts, next: u64, saved: u128) {
        while self.due <= next {
            let joules = joules(parameters, counts, self.due, saved).joules;
            self.readings.push((Instant::from_nanos(self.due), joules));
            self.due += self.interval;
            if self.readings.len() >= MOST {
                let mut is_kept = false;
                self.readings.retain(|_| {
                    is_kept = !is_kept;
                    is_kept
                });
                self.interval *= 2;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::Spec;

    #[test]
    fn a_long_run_is_read_less_often_and_evenly() {
        let profile = Spec::parse("hdd-7200").expect("a shipped profile");
        let parameters = profile.parameters.energy;
        let mut meter = EnergyMeter::new(0);
        meter.read(&parameters, &Counts::default(), 3 * MOST as u64 * INTERVAL, 0);
        let readings = &meter.readings;
        assert!((MOST / 2..MOST).contains(&readings.len()), "{}", readings.len());
        for pair in readings.windows(2) {
            assert_eq!(pair[1].0.as_nanos() - pair[0].0.as_nanos(), 4 * INTERVAL);
            // 5 W for 0.4 s.
            assert!((pair[1].1 - pair[0].1 - 2.0).abs() < 1e-6);
        }
    }
}
