//! A phase in which nothing is asked: time passes for a simulated drive only in a phase.

use drivelab_block::{ByteCount, Extent, Nanos, Op, OpSet, Sector, SectorCount};
use drivelab_workload::{Ask, Next, Workload};

use crate::{PhasePlan, StopRule};

/// A workload that lets time pass.
#[derive(Clone, Copy, Debug)]
pub struct Pause {
    time: Nanos,
}

impl Pause {
    /// So much time, and the phase in which it passes.
    pub fn phase(name: &str, time: Nanos) -> (PhasePlan, Pause) {
        let phase = PhasePlan::closed(name, 1, ByteCount::new(4096), OpSet::EMPTY.with(Op::Read));
        let stop = StopRule { duration: Some(time), bytes: None };
        (PhasePlan { stop, ..phase }, Pause { time })
    }
}

impl Workload for Pause {
    fn next_ask(&mut self) -> Next {
        // Due when the phase has ended, so it is never sent.
        let extent = Extent { start: Sector::new(0), length: SectorCount::new(8) };
        Next::Ask(Ask { due: Some(self.time), op: Op::Read, extent })
    }
}
