//! Cells on simulated drives: threads and work, through the loop that all tests go through.

use drivelab_block::{ByteCount, Nanos};
use drivelab_kinds::matrix::{PlannedCell, ThreadAsks, cell_name};
use drivelab_method::{ConductError, Interrupt, RunRecorder, Workers, conduct};
use drivelab_record::OnFull;
use drivelab_runner::{Failure, Quiet, Served};
use drivelab_sim::{Profile, SimDrive};
use drivelab_stats::{MatrixRun, PhaseAnalysis};
use drivelab_workload::Seed;

use super::cell::latency_of;
use super::cells::CellOutcome;
use super::planned::PlannedMatrix;

/// Measures a cell on a drive of its own, written once before; `None` where the user ended it. What the drive did of what it was
/// asked is added to `served`: a cell in which it did not do everything has failed.
pub fn measure(
    profile: &Profile,
    planned: &PlannedMatrix,
    step: &PlannedCell,
    (interrupt, served): (&Interrupt, &Served),
) -> Result<Option<CellOutcome>, Failure> {
    let seed = Seed::new(planned.seed).child("cell").numbered(step.place);
    let drive = SimDrive::new(profile, seed.child("drive").get());
    let mut stage =
        Workers { engines: vec![drive], queues: 1, on_full: OnFull::Wait, interrupt: interrupt.clone() };
    let mut recorder = RunRecorder::new(None, None);
    let ended = run_phases(planned, step, &mut stage, (seed, &mut recorder));
    let kept = recorder.finish();
    served.add(&cell_name(&step.cell), &kept.analysis);
    match ended {
        Err(error @ ConductError::AllFailed(_)) => {
            return Ok(Some(Err(error.to_string())));
        }
        ended => ended.map_err(|error| Failure::of_phase(&error, false))?,
    }
    if interrupt.is_raised() {
        return Ok(None);
    }
    let failed: u64 = kept.analysis.phases().iter().map(PhaseAnalysis::failed).sum();
    if failed > 0 {
        return Ok(Some(Err(format!("{failed} I/Os failed"))));
    }
    let measured = kept.analysis.phases().last().filter(|_| kept.analysis.phases().len() == 2);
    Ok(Some(Ok(run_of(step, measured))))
}

/// Writes the files of a cell, and does its work.
fn run_phases(
    planned: &PlannedMatrix,
    step: &PlannedCell,
    stage: &mut Workers<SimDrive>,
    (seed, recorder): (Seed, &mut RunRecorder),
) -> Result<(), ConductError> {
    let settings = &planned.settings;
    let (bytes, request) =
        (ByteCount::new(settings.working_set_bytes), ByteCount::new(settings.block_size_bytes));
    let fill = ThreadAsks::fill(bytes);
    conduct(&fill.phase("fill", None), stage, vec![fill], recorder, &mut Quiet::default())?;
    let cell = &step.cell;
    let asks = ThreadAsks::new(cell.work, cell.threads, bytes, request, seed);
    let phase = asks.phase(cell.work.word(), Some(settings.cell_duration()));
    conduct(&phase, stage, vec![asks], recorder, &mut Quiet::default()).map(drop)
}

fn run_of(step: &PlannedCell, measured: Option<&PhaseAnalysis>) -> MatrixRun {
    MatrixRun {
        cell: step.cell.clone(),
        run: step.run,
        position: step.position,
        place: step.place,
        operations: measured.map_or(0, PhaseAnalysis::completed),
        bytes: measured.map_or(0, |phase| phase.moved().get()),
        elapsed: measured.map_or(Nanos::ZERO, PhaseAnalysis::span),
        latency: measured.and_then(|phase| latency_of(&phase.service())),
    }
}
