//! A load as a phase of a test.

use drivelab_block::{ByteCount, ByteRange, Geometry, Op};
use drivelab_method::{LoadPlan, LoadWorkload, Pace, PhaseEnd, StopRule};
use drivelab_record::Severity;
use drivelab_workload::{Mix, Order, Seed, Workload};

use crate::{DriveResult, DriveUnderTest, PlanError};

/// What is said of a simulated drive that is filled although that was not asked for.
const FILLED: &str = "The simulated drive was new and empty: it was written to before, since a read of what was never \
                      written costs it no read of flash.";

/// Bytes of a write of [`fill_of`].
const FILL_BLOCK: u64 = 1 << 20;

/// I/Os of one kind anywhere in a range, one at a time, without an end.
pub(crate) fn random_load(name: &str, op: Op, block: u64, range: ByteRange, seed: Seed) -> LoadPlan {
    LoadPlan {
        name: name.to_owned(),
        order: Order::Uniform,
        mix: Mix::Only(op),
        block_size: ByteCount::new(block),
        range,
        queue_depth: 1,
        workers: 1,
        pace: Pace::Closed,
        stop: StopRule::default(),
        seed,
    }
}

/// Writes of a whole range, in sequence, before it is read.
pub(crate) fn fill_of(range: ByteRange, geometry: &Geometry, seed: Seed) -> LoadPlan {
    let length = range.length();
    let block = FILL_BLOCK.max(u64::from(geometry.logical_block)).min(length.get());
    LoadPlan {
        order: Order::Sequential,
        queue_depth: 8,
        stop: StopRule { duration: None, bytes: Some(length) },
        ..random_load("fill", Op::Write, block, range, seed)
    }
}

/// Fills a drive that begins empty, and says so.
///
/// # Errors
/// Those of [`run_load`].
pub(crate) fn fill_new<S: DriveUnderTest>(
    session: &mut S,
    geometry: &Geometry,
    fill: &LoadPlan,
) -> DriveResult<S> {
    session.notice(Severity::Note, FILLED.to_owned());
    run_load(session, geometry, fill).map(drop)
}

/// Runs a load of one thread as a phase.
///
/// # Errors
/// Where the load makes no sense on a drive of this geometry, and those of the session.
pub(crate) fn run_load<S: DriveUnderTest>(
    session: &mut S,
    geometry: &Geometry,
    load: &LoadPlan,
) -> DriveResult<S, PhaseEnd> {
    run_load_in(session, geometry, load, None, |workload| workload)
}

/// The same of a load that ends when its addresses do.
///
/// # Errors
/// Those of [`run_load`].
pub(crate) fn run_to_end<S: DriveUnderTest>(
    session: &mut S,
    geometry: &Geometry,
    load: &LoadPlan,
) -> DriveResult<S, PhaseEnd> {
    let ends_after = load.ends_after().map_err(PlanError::new)?;
    run_load_in(session, geometry, load, Some(ends_after), |workload| workload)
}

/// The same inside another workload, which ends by itself after this many bytes.
///
/// # Errors
/// Those of [`run_load`].
pub(crate) fn run_load_in<S: DriveUnderTest, W: Workload + 'static>(
    session: &mut S,
    geometry: &Geometry,
    load: &LoadPlan,
    ends_after: Option<ByteCount>,
    inside: impl Fn(LoadWorkload) -> W,
) -> DriveResult<S, PhaseEnd> {
    let phase = load.phase(geometry, true).map_err(PlanError::new)?;
    let workloads = load.workloads(1).map_err(PlanError::new)?;
    session.phase(&phase, workloads.into_iter().map(inside).collect(), ends_after)
}
