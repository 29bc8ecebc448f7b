//! From arguments to a matrix with nothing left open.

use drivelab_block::{ByteCount, FileSystem, Geometry};
use drivelab_plain::{least_size, maker_of};
use drivelab_program::find;
use drivelab_runner::Failure;
use drivelab_tests::matrix::{DemandError, MatrixDemand, MatrixOffer, Settled};

use super::planned::{CONFIRMED_SCHEMA, Confirmed, PlannedMatrix};
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
    let confirmed = Confirmed {
        schema: CONFIRMED_SCHEMA.to_owned(),
        identity: identity.to_owned(),
        left_out,
        serial: args.safety.serial.clone(),
        destroy_data: args.safety.destroy_data,
        file_bytes: args.safety.file_size.map(ByteCount::get),
        temperature_limit: args.safety.temperature_limit,
        ignore_health: args.safety.ignore_health,
    };
    let planned = PlannedMatrix { target, seed: args.result.seed(), settings, confirmed };
    planned.plan().map(|_| planned)
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
