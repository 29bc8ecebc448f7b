//! What only a simulated drive knows.

use drivelab_block::{EnergyAccount, Engine as _, Instant};
use drivelab_documents::{DelayAccount, FaultAccount, SimulationAccount};
use drivelab_sim::{Counts, SimDrive};

use crate::RunSession;
use crate::tested_engine::TestedEngine;

/// A drive's own account of what it did, from a moment on.
pub struct Account {
    before: Counts,
    energy: EnergyAccount,
    started_at: Instant,
}

impl Account {
    /// Opens the account: what the drive did before is not part of it.
    pub fn open(drive: &mut SimDrive) -> Account {
        let truth = drive.ground_truth();
        Account { before: truth.lifetime, energy: truth.energy, started_at: drive.now() }
    }

    /// Closes the account, as the manifest keeps it; none where the drive is gone with a worker that could not be started.
    pub fn close<E: TestedEngine>(self, session: &mut RunSession<E>) -> Option<SimulationAccount> {
        let truth = session.simulated_mut()?.ground_truth();
        let drive = session.stage.engines.first().and_then(E::simulated);
        if let (Some(power), Some(drive)) = (&mut session.power, drive) {
            power.take(drive, (self.energy, truth.energy), self.started_at);
        }
        let counts = truth.lifetime.since(&self.before);
        let delays = truth.delays.iter().filter(|delay| delay.at >= self.started_at);
        Some(SimulationAccount {
            // A mechanical disk has no flash, and a load that only reads writes none.
            write_amplification: (counts.flash_units > 0 && counts.host_bytes > 0)
                .then(|| counts.write_amplification()),
            collections: counts.erased_blocks,
            injected_delays: delays
                .enumerate()
                .map(|(index, delay)| DelayAccount {
                    at_ns: delay.at.as_nanos(),
                    duration_ns: delay.duration.get(),
                    bytes_since_previous: (index > 0).then(|| delay.written_since_previous.get()),
                })
                .collect(),
            injected_faults: truth
                .faults
                .iter()
                .map(|fault| FaultAccount {
                    kind: fault.kind.word().to_owned(),
                    host_write: fault.host_write,
                    sector: fault.at.get(),
                    landed: fault.landed.map(drivelab_block::Sector::get),
                })
                .collect(),
            keeps_bytes: truth.keeps.map(drivelab_block::ByteCount::get),
        })
    }
}
