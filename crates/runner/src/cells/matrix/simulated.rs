//! Cells on simulated drives: threads and work, through the loop that all tests go through.

use drivelab_block::ByteCount;
use drivelab_kinds::matrix::{CellOutcome, MatrixSettings, PlannedCell, ThreadAsks, cell_name};
use drivelab_method::{ConductError, Interrupt, RunRecorder, Workers, conduct};
use drivelab_record::OnFull;
use drivelab_sim::{Profile, SimDrive};
use drivelab_stats::{MatrixRun, PhaseAnalysis};
use drivelab_workload::Seed;

use super::drive::latency_of;
use crate::served::Served;
use crate::{Failure, Quiet};

/// Measures cells, each on a simulated drive of its own.
pub struct SimulatedCells {
    pub profile: Profile,
    pub settings: MatrixSettings,
    /// The seed of drives, addresses and data.
    pub seed: Seed,
}

impl SimulatedCells {
    /// Measures a cell on a new drive, written once before; none where the user ended it. A cell in which the drive did not do
    /// everything has failed. What it did of what it was asked is added to `served`.
    pub fn measure(
        &self,
        step: &PlannedCell,
        interrupt: &Interrupt,
        served: &mut Served,
    ) -> Result<Option<CellOutcome>, Failure> {
        let seed = self.seed.child("cell").numbered(step.place);
        let drive = SimDrive::new(&self.profile, seed.child("drive").get());
        let interrupt = interrupt.clone();
        let mut stage = Workers { engines: vec![drive], queues: 1, on_full: OnFull::Wait, interrupt };
        let mut recorder = RunRecorder::new(None, None);
        let ended = self.run_phases(step, seed, &mut stage, &mut recorder);
        let kept = recorder.finish();
        served.add(&cell_name(&step.cell), &kept.analysis);
        match ended {
            Err(error @ ConductError::AllFailed(_)) => return Ok(Some(Err(error.to_string()))),
            ended => ended.map_err(|error| Failure::of_phase(&error, false))?,
        }
        if stage.interrupt.is_raised() {
            return Ok(None);
        }
        let failed: u64 = kept.analysis.phases().iter().map(PhaseAnalysis::failed).sum();
        if failed > 0 {
            return Ok(Some(Err(format!("{failed} I/Os failed"))));
        }
        Ok(Some(Ok(match kept.analysis.phases() {
            [_, measured] => MatrixRun {
                operations: measured.completed(),
                bytes: measured.moved().get(),
                elapsed: measured.span(),
                latency: latency_of(&measured.service()),
                ..step.unmeasured()
            },
            _ => step.unmeasured(),
        })))
    }

    /// Writes the files of a cell, and does its work.
    fn run_phases(
        &self,
        step: &PlannedCell,
        seed: Seed,
        stage: &mut Workers<SimDrive>,
        recorder: &mut RunRecorder,
    ) -> Result<(), ConductError> {
        let settings = &self.settings;
        let bytes = ByteCount::new(settings.working_set_bytes);
        let request = ByteCount::new(settings.block_size_bytes);
        let fill = ThreadAsks::fill(bytes);
        conduct(&fill.phase("fill", None), stage, vec![fill], recorder, &mut Quiet::default())?;
        let cell = &step.cell;
        let asks = ThreadAsks::new(cell.work, cell.threads, bytes, request, seed);
        let phase = asks.phase(cell.work.word(), Some(settings.cell_duration()));
        conduct(&phase, stage, vec![asks], recorder, &mut Quiet::default()).map(drop)
    }
}
