//! Cells on a simulated drive, which only the ring's own loop reaches.

use drivelab_kinds::paths::{Cell, PathRun, Paths, PathsPlan, REQUEST, WrittenCell};
use drivelab_method::Workers;
use drivelab_record::OnFull;
use drivelab_sim::{Profile, SimDrive};
use drivelab_workload::Seed;

use super::raw;
use crate::cells::{CellContext, MeasureCells};
use crate::{Failure, Served};

/// A simulated drive, new from a seed, that cells are written on.
pub struct OnSimulated {
    plan: PathsPlan,
    stage: Workers<SimDrive>,
    served: Served,
}

impl OnSimulated {
    /// The new drive.
    pub fn new(plan: PathsPlan, profile: &Profile, context: &CellContext<'_, '_, Paths>) -> OnSimulated {
        let drive = SimDrive::new(profile, Seed::new(context.request.seed).child("drive").get());
        let interrupt = context.interrupt.clone();
        let stage = Workers { engines: vec![drive], queues: 1, on_full: OnFull::Wait, interrupt };
        OnSimulated { plan, stage, served: context.served.clone() }
    }
}

impl MeasureCells<Paths> for OnSimulated {
    fn check_target(&mut self) -> Result<(), Failure> {
        Ok(())
    }

    fn measure(&mut self, cell: &Cell) -> Result<Option<WrittenCell>, Failure> {
        let spent = raw::write(&self.plan, (cell.file, REQUEST), (&mut self.stage, &self.served), || None)?;
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
