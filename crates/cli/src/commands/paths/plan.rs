//! From arguments to the plan of a comparison.

use drivelab_analysis::DataPath;
use drivelab_block::{ByteCount, Geometry};
use drivelab_method::paths::{CELL_BYTES, PathsPlan, whole_blocks};
use drivelab_runner::Failure;
use drivelab_workload::Seed;

use crate::args::PathsArgs;

/// The plan, checked against a target of this geometry.
pub fn of(args: &PathsArgs, geometry: &Geometry, paths: Vec<DataPath>) -> Result<PathsPlan, Failure> {
    let range = args.range.on(geometry);
    let room = ByteCount::new(range.1.get().saturating_sub(range.0.get()));
    let sizes: Vec<ByteCount> =
        args.sizes.iter().map(|size| whole_blocks(*size, geometry.logical_block)).collect();
    let plan = PathsPlan {
        paths,
        sizes,
        bytes: args.cell_bytes.unwrap_or(CELL_BYTES.min(room_for(args, room))),
        runs: args.runs,
        range,
        queue_depth: args.queue_depth.depth(),
        seed: Seed::new(args.seed.number()),
    };
    plan.check(geometry).map_err(|error| Failure::Usage(error.to_string()))?;
    Ok(plan)
}

/// What a cell can have of the range.
fn room_for(args: &PathsArgs, room: ByteCount) -> ByteCount {
    if args.fs.is_some() { ByteCount::new(room.get() / 4 * 3) } else { room }
}

/// Checks that the range can hold a file system that holds the largest cell: an ext4 needs at most an eighth and 8 MiB for
/// itself.
pub fn check_scratch(plan: &PathsPlan) -> Result<(), Failure> {
    let (start, end) = (plan.range.0.get(), plan.range.1.get());
    if start != 0 {
        let text = "--fs makes its file system at the beginning of the drive: begin --range at 0".to_owned();
        return Err(Failure::Usage(text));
    }
    let room = (end - end / 8).saturating_sub(8 << 20);
    let largest = plan.sizes.iter().map(|file| plan.cell_bytes(*file)).max().unwrap_or_default();
    if largest.get() > room {
        return Err(Failure::Usage(format!(
            "a cell comes to {largest}, and a file system in the range has room for {}: use less of --cell-bytes or --sizes",
            ByteCount::new(room)
        )));
    }
    Ok(())
}

/// Checks that a file system has room for the largest cell.
pub fn check_room(plan: &PathsPlan, geometry: &Geometry) -> Result<(), Failure> {
    let range = (ByteCount::new(0), geometry.capacity);
    let there = PathsPlan { range, ..plan.clone() };
    there.check(geometry).map_err(|error| Failure::Usage(format!("--directory: {error}")))
}
