//! From arguments to a matrix with nothing left open.

use drivelab_block::{ByteCount, FileSystem, Geometry};
use drivelab_kinds::matrix::{DemandError, MatrixDemand, MatrixOffer, Settled};
use drivelab_program::find;
use drivelab_record::Drive;
use drivelab_runner::{BegunMatrix, Failure};
use drivelab_system_calls::{least_size, maker_of};

use super::planned::PlannedMatrix;
use crate::args::MatrixArgs;

/// The matrix of a simulated drive: threads and work alone.
pub fn on_simulated(
    args: &MatrixArgs,
    geometry: &Geometry,
    identity: &str,
) -> Result<PlannedMatrix, Failure> {
    let settled = demand(args).on_simulated(geometry).map_err(failure)?;
    planned(args, args.target.clone().unwrap_or_default(), settled, identity)
}

/// The matrix of a drive that has these I/O schedulers to choose from.
pub fn on_drive(
    args: &MatrixArgs,
    (geometry, offered): (Geometry, &[String]),
    (target, identity): (String, &str),
) -> Result<PlannedMatrix, Failure> {
    let offer = MatrixOffer { geometry, schedulers: offered, unfit: &unfit };
    let settled = demand(args).on_drive(&offer).map_err(failure)?;
    planned(args, target, settled, identity)
}

/// Checks the settings of a run that goes on as those of a new one on the same simulated drive.
pub fn check_on_simulated(planned: &PlannedMatrix, geometry: &Geometry) -> Result<(), Failure> {
    planned.check()?;
    let settled = MatrixDemand::from_settings(&planned.settings).on_simulated(geometry).map_err(failure)?;
    check_unchanged(planned, settled)
}

/// Checks the settings of a run that goes on as those of a new one on the same drive.
pub fn check_on_drive(
    planned: &PlannedMatrix,
    (geometry, offered): (Geometry, &[String]),
) -> Result<(), Failure> {
    planned.check()?;
    let offer = MatrixOffer { geometry, schedulers: offered, unfit: &unfit };
    let settled = MatrixDemand::from_settings(&planned.settings).on_drive(&offer).map_err(failure)?;
    check_unchanged(planned, settled)
}

/// Refuses settings that no command line gives: whoever wrote them into the file was not this program.
fn check_unchanged(planned: &PlannedMatrix, (settings, left_out): Settled) -> Result<(), Failure> {
    if let Some(lost) = left_out.first() {
        let text = format!("--resume: {} cannot be had any more ({}): begin a new run", lost.what, lost.why);
        return Err(Failure::Environment(text));
    }
    if settings != planned.settings {
        let text =
            "--resume: the settings in run.json are none that a matrix on this target has: begin a new run";
        return Err(Failure::Usage(text.to_owned()));
    }
    Ok(())
}

fn demand(args: &MatrixArgs) -> MatrixDemand {
    MatrixDemand {
        file_systems: args.fs.clone(),
        schedulers: args.schedulers.clone(),
        caching: args.caching.clone(),
        threads: args.threads.iter().flat_map(|threads| threads.0.clone()).collect(),
        work: args.work.clone(),
        runs: args.runs,
        cell_duration: args.cell_duration,
        working_set: args.working_set,
        file_system_size: args.fs_size,
        block_size: args.block_size.size(),
    }
}

fn planned(
    args: &MatrixArgs,
    target: String,
    (settings, left_out): Settled,
    identity: &str,
) -> Result<PlannedMatrix, Failure> {
    let begun = BegunMatrix::new(identity.to_owned(), left_out);
    let planned =
        PlannedMatrix { target, seed: args.result.seed(), settings, drive: Drive::default(), begun };
    planned.check().map(|()| planned)
}

fn failure(error: DemandError) -> Failure {
    match error {
        DemandError::Asked(error) => error.into(),
        DemandError::NothingLeft(_) => Failure::Environment(error.to_string()),
    }
}

/// Why this file system cannot be made here.
fn unfit(kind: FileSystem, size: ByteCount) -> Option<String> {
    let (program, package) = maker_of(kind);
    if find(&program).is_none() {
        return Some(format!("{program} is not installed (it comes with {package})"));
    }
    let least = least_size(kind);
    (size < least).then(|| format!("it needs {} MiB, and has {} MiB", least.get() >> 20, size.get() >> 20))
}
