//! Cells on a simulated drive, which only the ring's own loop reaches.

use drivelab_kinds::paths::{Cell, PathRun, Paths, PathsPlan, REQUEST, WrittenCell};
use drivelab_method::{Interrupt, Workers};
use drivelab_record::OnFull;
use drivelab_sim::{Profile, SimDrive};
use drivelab_workload::Seed;

use super::raw;
use crate::cells::MeasureCells;
use crate::{Failure, UnrecordedRun};

/// A simulated drive, new from a seed, that cells are written on.
pub struct OnSimulated {
    plan: PathsPlan,
    stage: Workers<SimDrive>,
}

impl OnSimulated {
    pub fn new(plan: PathsPlan, profile: &Profile, seed: u64, interrupt: &Interrupt) -> OnSimulated {
        let drive = SimDrive::new(profile, Seed::new(seed).child("drive").get());
        let interrupt = interrupt.clone();
        let stage = Workers { engines: vec![drive], queues: 1, on_full: OnFull::Wait, interrupt };
        OnSimulated { plan, stage }
    }
}

impl MeasureCells<Paths> for OnSimulated {
    fn measure(
        &mut self,
        cell: &Cell,
        run: &mut UnrecordedRun<'_, Paths>,
    ) -> Result<Option<WrittenCell>, Failure> {
        let through = (&mut self.stage, &mut run.served);
        let spent = raw::write(&self.plan, (cell.file, REQUEST), through, || None)?;
        if spent.bytes != self.plan.cell_bytes(cell.file) {
            return Ok(None);
        }
        let run = PathRun {
            files: self.plan.files(cell.file),
            elapsed_ns: spent.elapsed.get(),
            ..PathRun::default()
        };
        Ok(Some(WrittenCell { request_bytes: REQUEST.min(cell.file).get(), run }))
    }
}
