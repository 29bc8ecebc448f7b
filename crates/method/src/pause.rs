//! A phase in which nothing is asked: time passes for a simulated drive only in a phase.

use drivelab_block::{ByteCount, Extent, Limits, Nanos, Op, OpSet, Sector, SectorCount};
use drivelab_stats::LoopKind;
use drivelab_workload::{Ask, Next, Workload};

use crate::{PhasePlan, StopRule};

/// A workload that lets time pass.
#[derive(Clone, Copy, Debug)]
pub struct Pause {
    time: Nanos,
}

impl Pause {
    /// So much time, and the phase in which it passes.
    #[must_use]
    pub fn phase(name: &str, time: Nanos) -> (PhasePlan, Pause) {
        let phase = PhasePlan {
            name: name.to_owned(),
            loop_kind: LoopKind::Closed,
            limits: Limits {
                queue_depth: 1,
                max_transfer: ByteCount::new(4096),
                ops: OpSet::EMPTY.with(Op::Read),
            },
            stop: StopRule { duration: Some(time), bytes: None },
        };
        (phase, Pause { time })
    }
}

impl Workload for Pause {
    fn next_ask(&mut self) -> Next {
        // Due when the phase has ended, so it is never sent.
        let extent = Extent { start: Sector::new(0), length: SectorCount::new(8) };
        Next::Ask(Ask { due: Some(self.time), op: Op::Read, extent })
    }
}
