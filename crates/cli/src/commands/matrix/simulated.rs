//! Cells on simulated drives: threads and work, through the loop that all tests go through.

use drivelab_analysis::{MatrixRun, PhaseAnalysis};
use drivelab_block::{ByteCount, Nanos};
use drivelab_method::{Interrupt, RunRecorder, Stage, conduct};
use drivelab_record::OnFull;
use drivelab_runner::{Failure, Quiet};
use drivelab_sim::{Profile, SimDrive};
use drivelab_tests::matrix::{PlannedCell, ThreadAsks};
use drivelab_workload::Seed;

use super::cell::latency_of;
use super::planned::PlannedMatrix;

/// Measures a cell on a drive of its own, written once before; `None` where the user ended it.
pub fn measure(
    profile: &Profile,
    planned: &PlannedMatrix,
    step: &PlannedCell,
    interrupt: &Interrupt,
) -> Result<Option<MatrixRun>, Failure> {
    let seed = Seed::new(planned.seed).child("cell").numbered(step.place);
    let drive = SimDrive::new(profile, seed.child("drive").get());
    let settings = &planned.settings;
    let (bytes, request) =
        (ByteCount::new(settings.working_set_bytes), ByteCount::new(settings.block_size_bytes));
    let mut stage =
        Stage { engines: vec![drive], queues: 1, on_full: OnFull::Wait, interrupt: interrupt.clone() };
    let mut recorder = RunRecorder::new(None, None);
    let fill = ThreadAsks::fill(bytes);
    conduct(&fill.phase("fill", None), &mut stage, vec![fill], &mut recorder, &mut Quiet::default())?;
    let cell = &step.cell;
    let asks = ThreadAsks::new(cell.work, cell.threads, bytes, request, seed);
    let phase = asks.phase(cell.work.word(), Some(settings.cell_duration()));
    conduct(&phase, &mut stage, vec![asks], &mut recorder, &mut Quiet::default())?;
    if interrupt.is_raised() {
        return Ok(None);
    }
    let kept = recorder.finish();
    let measured = kept.analysis.phases().last().filter(|_| kept.analysis.phases().len() == 2);
    Ok(Some(run_of(step, measured)))
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
