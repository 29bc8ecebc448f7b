//! From arguments to a settled matrix.

use drivelab_block::{ByteCount, Caching, FileSystem, Geometry, Work};
use drivelab_plain::{STEP, least_size, maker_of};
use drivelab_program::find;
use drivelab_runner::Failure;

use super::settled::{PLAN_SCHEMA, Settled};
use crate::args::MatrixArgs;

/// The size of a file system where nothing else is asked and the target is large enough: quickly made on any drive.
const FS_BYTES: ByteCount = ByteCount::new(8 << 30);
/// What the large files of a cell hold together where nothing else is asked and there is room.
const CELL_BYTES: ByteCount = ByteCount::new(1 << 30);
/// Small files of a cell, as far as there is room: one for each of these many bytes of its file system, at most.
const FILES: u64 = 16_384;
const BYTES_A_FILE: u64 = 32 << 10;

/// The matrix of a simulated drive: threads and work alone.
pub fn of_simulated(args: &MatrixArgs, geometry: &Geometry) -> Result<Settled, Failure> {
    let axes = [
        ("--fs", args.fs.is_empty()),
        ("--schedulers", args.schedulers.is_empty()),
        ("--caching", args.caching.is_empty()),
        ("--fs-size", args.fs_size.is_none()),
    ];
    if let Some((flag, _)) = axes.into_iter().find(|(_, is_empty)| !is_empty) {
        let text = format!("{flag}: a simulated drive has threads and work alone; leave it out");
        return Err(Failure::Usage(text));
    }
    let (works, others): (Vec<Work>, Vec<Work>) =
        args.work.iter().partition(|work| !work.is_metadata() && **work != Work::Rewrite);
    let why = "a simulated drive has no files";
    let left_out = others.iter().map(|work| (work.word().to_owned(), why.to_owned())).collect();
    let bytes = args.working_set.unwrap_or(CELL_BYTES.min(quarter(geometry.capacity)));
    let settled = Settled {
        fs: Vec::new(),
        caching: Vec::new(),
        fs_bytes: None,
        left_out,
        ..base(args, &works, bytes)
    };
    check_bytes(&settled, geometry.capacity, geometry.logical_block)?;
    settled.plan()?;
    Ok(settled)
}

/// The matrix of a drive that has these I/O schedulers to choose from.
pub fn of_drive(args: &MatrixArgs, geometry: &Geometry, offered: &[String]) -> Result<Settled, Failure> {
    let capacity = geometry.capacity;
    let fs_bytes = args.fs_size.unwrap_or(FS_BYTES.min(capacity));
    if fs_bytes > capacity {
        let text = format!("--fs-size {}: the target has {} bytes", fs_bytes.get(), capacity.get());
        return Err(Failure::Usage(text));
    }
    let mut left_out = Vec::new();
    let mut leave_out = |what: &str, why: String| left_out.push((what.to_owned(), why));
    let asked = if args.fs.is_empty() { FileSystem::ALL.to_vec() } else { args.fs.clone() };
    let mut fs = Vec::new();
    for kind in asked {
        match unfit(kind, fs_bytes) {
            Some(why) => leave_out(kind.word(), why),
            None => fs.push(kind.word().to_owned()),
        }
    }
    let (schedulers, others): (Vec<String>, Vec<String>) =
        args.schedulers.iter().cloned().partition(|name| offered.contains(name));
    for name in others {
        leave_out(&format!("scheduler {name}"), format!("the drive has {}", list(offered)));
    }
    if fs.is_empty() || (schedulers.is_empty() && !args.schedulers.is_empty()) {
        let all: Vec<String> = left_out.iter().map(|(what, why)| format!("{what}: {why}")).collect();
        return Err(Failure::Environment(format!("nothing is left to be measured ({})", all.join("; "))));
    }
    let bytes = args.working_set.unwrap_or(CELL_BYTES.min(quarter(fs_bytes)));
    let caching = if args.caching.is_empty() { Caching::ALL.to_vec() } else { args.caching.clone() };
    let settled = Settled {
        fs,
        schedulers,
        caching: caching.into_iter().map(|one| one.word().to_owned()).collect(),
        fs_bytes: Some(fs_bytes.get()),
        files: FILES.min(fs_bytes.get() / BYTES_A_FILE),
        left_out,
        ..base(args, &args.work, bytes)
    };
    check_bytes(&settled, ByteCount::new(fs_bytes.get() / 2), geometry.logical_block)?;
    settled.plan()?;
    Ok(settled)
}

fn base(args: &MatrixArgs, works: &[Work], bytes: ByteCount) -> Settled {
    Settled {
        schema: PLAN_SCHEMA.to_owned(),
        target: args.target.clone().unwrap_or_default(),
        identity: None,
        fs: Vec::new(),
        schedulers: Vec::new(),
        caching: Vec::new(),
        threads: args.threads.iter().flat_map(|threads| threads.0.clone()).collect(),
        work: works.iter().map(|work| work.word().to_owned()).collect(),
        runs: args.runs,
        cell_duration_ns: args.cell_duration.get(),
        seed: args.seed.number(),
        fs_bytes: None,
        bytes: bytes.get(),
        request_bytes: args.block_size.size().get(),
        files: 0,
        left_out: Vec::new(),
        serial: args.safety.serial.clone(),
        destroy_data: args.safety.destroy_data,
        file_bytes: args.safety.file_size.map(ByteCount::get),
        temperature_limit: args.safety.temperature_limit,
        ignore_health: args.safety.ignore_health,
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

/// Checks that every thread has at least one step, and that all have room.
fn check_bytes(settled: &Settled, room: ByteCount, logical_block: u32) -> Result<(), Failure> {
    let (bytes, request) = (settled.bytes, settled.request_bytes);
    let block = u64::from(logical_block).max(STEP.get());
    if request == 0 || !request.is_multiple_of(block) || request > 1 << 30 {
        return Err(Failure::Usage(format!(
            "--block-size {request} is not a multiple of {block} bytes up to 1 GiB"
        )));
    }
    let most = u64::from(settled.threads.iter().copied().max().unwrap_or(1));
    if bytes / most < request {
        return Err(Failure::Usage(format!(
            "--working-set {bytes}: {most} threads need at least {} for a request each; give more, or use fewer threads",
            most * request
        )));
    }
    if bytes > room.get() {
        let text = format!(
            "--working-set {bytes}: there is room for {} bytes; give less, or a larger file system",
            room.get()
        );
        return Err(Failure::Usage(text));
    }
    Ok(())
}

fn quarter(size: ByteCount) -> ByteCount {
    ByteCount::new(size.get() / 4)
}

fn list(names: &[String]) -> String {
    if names.is_empty() { "no choice".to_owned() } else { names.join(", ") }
}
