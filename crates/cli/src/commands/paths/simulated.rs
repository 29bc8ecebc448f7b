//! Cells on a simulated drive, which only the ring's own loop reaches.

use drivelab_kinds::paths::{Cell, PathRun, PathsPlan, REQUEST, WrittenCell};
use drivelab_method::{Interrupt, Workers};
use drivelab_record::OnFull;
use drivelab_runner::{Failure, Served};
use drivelab_sim::{Profile, SimDrive};
use drivelab_workload::Seed;

use super::bench::WriteCells;
use super::raw;

/// A simulated drive, new from a seed, that cells are written on.
pub struct OnSimulated<'a> {
    plan: &'a PathsPlan,
    stage: Workers<SimDrive>,
    served: Served,
}

impl<'a> OnSimulated<'a> {
    /// The new drive.
    pub fn new(
        plan: &'a PathsPlan,
        profile: &Profile,
        seed: u64,
        (interrupt, served): (&Interrupt, &Served),
    ) -> OnSimulated<'a> {
        let drive = SimDrive::new(profile, Seed::new(seed).child("drive").get());
        let interrupt = interrupt.clone();
        OnSimulated {
            plan,
            stage: Workers { engines: vec![drive], queues: 1, on_full: OnFull::Wait, interrupt },
            served: served.clone(),
        }
    }
}

impl WriteCells for OnSimulated<'_> {
    fn write(&mut self, cell: &Cell, _: u64) -> Result<Option<WrittenCell>, Failure> {
        let spent = raw::write(self.plan, (cell.file, REQUEST), (&mut self.stage, &self.served), || None)?;
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
