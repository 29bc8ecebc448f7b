//! The real engine on a real file: what it writes is there, what it reads is right, what it may not do it
//! does not do.

use std::path::Path;
use std::sync::Arc;

use drivelab_block::{
    Batch, ByteCount, Completion, Engine, Extent, Instant, Limits, Nanos, Op, OpSet, PhaseId, QueueId,
    Request, Sector, SectorCount, Status,
};
use drivelab_safety::{ClaimOptions, Confirmation, System, Target, claim_for_writing, open_for_reading};
use drivelab_testbed::Loop;
use drivelab_uring::{Access, Clock, EngineOptions, UringEngine};
use drivelab_workload::{Compressibility, Incompressible, Seed};

const SIZE: u64 = 1 << 20;

fn for_writing(path: &Path) -> Access {
    let system = System::live();
    let target = Target::resolve(&system, path).expect("a new file");
    let options = ClaimOptions { create_size: Some(ByteCount::new(SIZE)), ..ClaimOptions::default() };
    let confirmation = Confirmation { serial: None, destroy_data: true };
    let grant = claim_for_writing(&system, &target, &confirmation, &options).expect("a file of our own");
    Access::Write(Arc::new(grant))
}

/// A device that the test has made.
fn claimed(node: &Path, name: String) -> Access {
    let system = System::live();
    let target = Target::resolve(&system, node).expect("the device");
    let confirmation = Confirmation { serial: Some(name), destroy_data: true };
    let grant = claim_for_writing(&system, &target, &confirmation, &ClaimOptions::default());
    Access::Write(Arc::new(grant.expect("a device of our own")))
}

fn for_reading(path: &Path) -> Access {
    let system = System::live();
    let target = Target::resolve(&system, path).expect("the file");
    Access::Read(Arc::new(open_for_reading(&system, &target).expect("readable")))
}

fn engine(access: Access) -> UringEngine {
    engine_with(access, EngineOptions::default())
}

fn engine_with(access: Access, options: EngineOptions) -> UringEngine {
    let payload = Incompressible::new(Seed::new(1), Compressibility::default());
    UringEngine::new(access, Clock::start(), Box::new(payload), options)
}

fn limits(ops: &[Op]) -> Limits {
    let ops = ops.iter().fold(OpSet::EMPTY, |set, op| set.with(*op));
    Limits { queue_depth: 8, max_transfer: ByteCount::new(8192), ops }
}

fn request(op: Op, start: u64, sectors: u32) -> Request {
    let extent = Extent { start: Sector::new(start), length: SectorCount::new(sectors) };
    Request { intended_at: Instant::ORIGIN, extent, op, phase: PhaseId(0), queue: QueueId(0) }
}

/// Submits all, then reaps until all are back.
fn ask(engine: &mut UringEngine, requests: &[Request]) -> Vec<Completion> {
    let mut batch = Batch::with_capacity(requests.len());
    let mut completions = Vec::new();
    for request in requests {
        engine.submit(*request).expect("room for all");
    }
    while completions.len() < requests.len() {
        engine.reap(engine.now() + Nanos::from_secs(1), &mut batch).expect("the ring works");
        completions.extend_from_slice(batch.as_slice());
        batch.clear();
    }
    completions
}

/// Both ways to make a request: through the ring, and by system calls where a file in memory has one processor.
fn either_way(test: impl Fn(&Path, EngineOptions)) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    test(&folder.path().join("drive"), EngineOptions::default());
    let shared = Path::new("/dev/shm");
    if !shared.is_dir() {
        return drivelab_testbed::skipped("there is no /dev/shm");
    }
    let folder = tempfile::tempdir_in(shared).expect("a temporary folder in memory");
    let options = EngineOptions { cpus: vec![0], ..EngineOptions::default() };
    let path = folder.path().join("drive");
    let mut engine = engine_with(for_writing(&path), options.clone());
    if has_rings(&mut engine, &[Op::Read]) {
        assert!(submission(&engine).contains("system calls"), "{}", submission(&engine));
    }
    drop(engine);
    std::fs::remove_file(&path).expect("ours");
    test(&path, options);
}

/// How requests are made, as the engine tells it.
fn submission(engine: &UringEngine) -> String {
    let features = engine.obtained.features();
    features.iter().find(|(name, _)| *name == "submission").expect("told").1.clone()
}

/// Whether this machine lets anybody have a ring.
fn has_rings(engine: &mut UringEngine, ops: &[Op]) -> bool {
    match engine.prepare(limits(ops)) {
        Ok(()) => true,
        Err(error) => {
            let why = std::error::Error::source(&error).and_then(|why| why.downcast_ref::<std::io::Error>());
            let number = why.and_then(std::io::Error::raw_os_error);
            assert!(matches!(number, Some(libc::EPERM | libc::ENOSYS)), "{error} ({number:?})");
            drivelab_testbed::skipped(&error.to_string());
            false
        }
    }
}

#[test]
fn a_write_is_there_a_discard_takes_it_away_and_nothing_else_changes() {
    either_way(|path, options| {
        let mut engine = engine_with(for_writing(path), options);
        if !has_rings(&mut engine, &[Op::Read, Op::Write, Op::Discard, Op::Flush]) {
            return;
        }
        let writes = [request(Op::Write, 8, 8), request(Op::Write, 32, 16), request(Op::Flush, 0, 0)];
        for completion in ask(&mut engine, &writes) {
            assert_eq!(completion.status, Status::OK, "{completion:?}");
            assert!(completion.completed_at >= completion.submitted_at);
            assert_eq!(completion.intended_at, completion.submitted_at);
        }
        let contents = std::fs::read(path).expect("the file");
        let is_written = |sector: usize| contents[sector * 512..][..512].iter().any(|byte| *byte != 0);
        let written: Vec<usize> = (0..2048).filter(|sector| is_written(*sector)).collect();
        assert_eq!(written, (8..16).chain(32..48).collect::<Vec<_>>());
        let completions = ask(&mut engine, &[request(Op::Discard, 8, 8), request(Op::Read, 32, 16)]);
        assert!(completions.iter().all(|completion| completion.status.is_ok()), "{completions:?}");
        let after = std::fs::read(path).expect("the file");
        assert!(after[8 * 512..16 * 512].iter().all(|byte| *byte == 0), "discarded sectors read as zeros");
        assert_eq!(after[16 * 512..], contents[16 * 512..]);
    });
}

#[test]
fn a_device_is_discarded_through_the_ring_or_by_the_older_call() {
    if !drivelab_testbed::loops_can_be_made() {
        return;
    }
    for discard_by_system_call in [false, true] {
        let device = Loop::with(1, &[], |image| std::fs::write(image, vec![7; 1 << 20]).expect("room"));
        let access = claimed(&device.node, device.name());
        let options = EngineOptions { discard_by_system_call, ..EngineOptions::default() };
        let mut engine = engine_with(access, options);
        if !has_rings(&mut engine, &[Op::Read, Op::Discard]) {
            return;
        }
        let told = engine.obtained.features();
        let told =
            told.iter().find(|(name, _)| *name == "discards").map(|(_, how)| how.contains("system call"));
        // An older kernel has only the call.
        assert!(!discard_by_system_call || told == Some(true));
        let asked = [request(Op::Discard, 0, 64), request(Op::Read, 1024, 8), request(Op::Discard, 128, 64)];
        let mut batch = Batch::with_capacity(8);
        let mut done = Vec::new();
        asked.iter().for_each(|request| engine.submit(*request).expect("room"));
        let mut reaps = 0;
        while done.len() < asked.len() {
            engine.reap(engine.now() + Nanos::from_secs(600), &mut batch).expect("the ring works");
            assert!(!batch.as_slice().is_empty(), "an answer at hand waits for no other");
            done.extend_from_slice(batch.as_slice());
            batch.clear();
            reaps += 1;
        }
        assert!(reaps <= asked.len());
        for completion in &done {
            assert_eq!(completion.status, Status::OK, "{completion:?}");
            assert!(completion.completed_at >= completion.submitted_at);
        }
        let outside = ask(&mut engine, &[request(Op::Discard, 2040, 64)]);
        assert!(!outside[0].status.is_ok());
        drop(engine);
        let bytes = std::fs::read(&device.image).expect("the image");
        let zeros = |sector: usize| bytes[sector * 512..][..512].iter().all(|byte| *byte == 0);
        let discarded: Vec<usize> = (0..2048).filter(|sector| zeros(*sector)).collect();
        assert_eq!(discarded, (0..64).chain(128..192).collect::<Vec<_>>());
    }
}

#[test]
fn a_device_without_discards_says_so_either_way() {
    if !drivelab_testbed::loops_can_be_made() {
        return;
    }
    let device = Loop::without_discards(1);
    let mut engine = engine_with(claimed(&device.node, device.name()), EngineOptions::default());
    if has_rings(&mut engine, &[Op::Discard]) {
        let completions = ask(&mut engine, &[request(Op::Discard, 0, 64)]);
        assert!(!completions[0].status.is_ok(), "{completions:?}");
    }
}

#[test]
fn a_request_beyond_the_end_fails_and_does_not_extend_the_file() {
    either_way(|path, options| {
        let mut engine = engine_with(for_writing(path), options);
        if !has_rings(&mut engine, &[Op::Write]) {
            return;
        }
        let completions = ask(&mut engine, &[request(Op::Write, 2040, 16), request(Op::Write, 0, 8)]);
        let failed: Vec<&Completion> =
            completions.iter().filter(|completion| !completion.status.is_ok()).collect();
        assert_eq!(failed.len(), 1);
        assert_eq!(failed[0].extent.start, Sector::new(2040));
        assert_eq!(std::fs::metadata(path).expect("the file").len(), SIZE);
    });
}

#[test]
fn more_requests_than_one_call_takes_are_all_made() {
    either_way(|path, options| {
        let mut engine = engine_with(for_writing(path), options);
        if !has_rings(&mut engine, &[Op::Write]) {
            return;
        }
        let is_pinned = submission(&engine).contains("system calls");
        let deep = Limits { queue_depth: 100, ..limits(&[Op::Write, Op::Flush]) };
        engine.prepare(deep).expect("as before");
        if is_pinned && !submission(&engine).contains("io_setup") {
            assert!(submission(&engine).contains("share a call"), "{}", submission(&engine));
        }
        let writes =
            (0..100).map(|page| request(if page == 50 { Op::Flush } else { Op::Write }, page * 16, 8));
        let completions = ask(&mut engine, &writes.collect::<Vec<_>>());
        assert!(completions.iter().all(|completion| completion.status.is_ok()), "{completions:?}");
        let every_other = (0..100).filter(|page| *page != 50).map(|page| page * 2);
        assert_eq!(pages_written(path), every_other.collect::<Vec<_>>());
    });
}

#[test]
fn a_file_that_is_cut_short_reads_short_and_fails_nothing_else() {
    either_way(|path, options| {
        let mut engine = engine_with(for_writing(path), options);
        if !has_rings(&mut engine, &[Op::Read]) {
            return;
        }
        std::fs::File::options().write(true).open(path).and_then(|file| file.set_len(4096)).expect("ours");
        let statuses: Vec<Status> = ask(&mut engine, &[request(Op::Read, 0, 8), request(Op::Read, 64, 8)])
            .iter()
            .map(|done| done.status)
            .collect();
        assert!(statuses.contains(&Status::OK) && statuses.contains(&Status::SHORT), "{statuses:?}");
    });
}

/// Writes two pages of a drive in memory and discards one, on processor 0.
fn on_one_processor(access: Access) {
    let mut engine = engine_with(access, EngineOptions { cpus: vec![0], ..EngineOptions::default() });
    engine.prepare(limits(&[Op::Read, Op::Write, Op::Discard, Op::Flush])).expect("as before");
    assert!(submission(&engine).contains("system calls"), "{}", submission(&engine));
    let asked = [
        request(Op::Write, 8, 8),
        request(Op::Write, 16, 8),
        request(Op::Flush, 0, 0),
        request(Op::Discard, 8, 8),
        request(Op::Read, 0, 16),
    ];
    let completions = ask(&mut engine, &asked);
    assert!(completions.iter().all(|completion| completion.status.is_ok()), "{completions:?}");
}

/// Writes one page on a schedule, and two beside others of none.
fn on_several_processors(access: Access) {
    let mut engine = engine_with(access, EngineOptions::default());
    engine.prepare(limits(&[Op::Read, Op::Write])).expect("as before");
    assert!(
        submission(&engine).contains("short requests of a schedule by system calls"),
        "{}",
        submission(&engine)
    );
    let due = |sector| Request { intended_at: Instant::from_nanos(1), ..request(Op::Write, sector, 8) };
    let mut completions = ask(&mut engine, &[due(24)]);
    completions.extend(ask(&mut engine, &[due(32), request(Op::Write, 40, 8), request(Op::Read, 24, 8)]));
    assert!(completions.iter().all(|completion| completion.status.is_ok()), "{completions:?}");
}

/// The pages of a drive of 1 MiB that hold anything but zeros.
fn pages_written(drive: &Path) -> Vec<usize> {
    let bytes = std::fs::read(drive).expect("the device");
    (0..256).filter(|page| bytes[page * 4096..][..4096].iter().any(|byte| *byte != 0)).collect()
}

#[test]
fn what_was_read_is_not_what_the_next_write_takes_along() {
    either_way(|path, options| {
        let mut engine = engine_with(for_writing(path), options);
        if !has_rings(&mut engine, &[Op::Read, Op::Write]) {
            return;
        }
        // Every slot reads zeros, then writes.
        let reads: Vec<Request> = (0..8).map(|slot| request(Op::Read, 1024 + slot * 8, 8)).collect();
        let writes: Vec<Request> = (0..8).map(|slot| request(Op::Write, slot * 8, 8)).collect();
        for completion in ask(&mut engine, &reads).iter().chain(&ask(&mut engine, &writes)) {
            assert_eq!(completion.status, Status::OK);
        }
        drop(engine);
        let bytes = std::fs::read(path).expect("the file");
        let zeros = bytes[..8 * 4096].iter().filter(|byte| **byte == 0).count();
        assert!(zeros < 8 * 4096 / 16, "one byte in 256 is zero, and some of each sector's stamp: {zeros}");
    });
}

#[test]
fn a_drive_in_memory_is_asked_by_calls_where_workers_could_win_nothing() {
    if !drivelab_testbed::zram_can_be_made() {
        return;
    }
    let device = drivelab_testbed::Zram::new(1, None);
    let access = claimed(&device.node, device.name());
    let ops = [Op::Read, Op::Write, Op::Discard, Op::Flush];
    if !has_rings(&mut engine_with(access.clone(), EngineOptions::default()), &ops) {
        return;
    }
    // On a thread of its own: it goes to the processor that is named.
    let pinned_access = access.clone();
    let pinned = std::thread::spawn(move || on_one_processor(pinned_access));
    pinned.join().expect("the thread's own assertions hold");
    assert_eq!(pages_written(&device.node), [2], "one page of eight sectors was written and not discarded");
    if std::thread::available_parallelism().is_ok_and(|processors| processors.get() > 1) {
        on_several_processors(access);
        assert_eq!(pages_written(&device.node), [2, 3, 4, 5], "alone and beside others");
    }
}

#[test]
fn what_was_opened_for_reading_takes_no_write() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("drive");
    std::fs::write(&path, vec![7; 1 << 16]).expect("room on disk");
    let mut engine = engine(for_reading(&path));
    let refused = engine.prepare(limits(&[Op::Write])).expect_err("not cleared for writing");
    assert!(refused.to_string().contains("reading only"), "{refused}");
    let refused = engine.prepare(limits(&[Op::Discard])).expect_err("not cleared for discards");
    assert!(refused.to_string().contains("reading only"), "{refused}");
}

#[test]
fn a_full_engine_hands_the_request_back() {
    either_way(|path, options| {
        let mut engine = engine_with(for_writing(path), options);
        if !has_rings(&mut engine, &[Op::Read]) {
            return;
        }
        for slot in 0..8 {
            engine.submit(request(Op::Read, slot * 8, 8)).expect("eight slots");
        }
        let ninth = request(Op::Read, 64, 8);
        assert_eq!(engine.submit(ninth).expect_err("no slot left").0, ninth);
    });
}

#[test]
fn with_nothing_in_flight_time_passes_to_the_deadline() {
    either_way(|path, options| {
        let mut engine = engine_with(for_writing(path), options);
        if !has_rings(&mut engine, &[Op::Read]) {
            return;
        }
        let mut batch = Batch::with_capacity(8);
        let until = engine.now() + Nanos::from_millis(3);
        let mut asked = 0;
        while engine.now() < until {
            engine.reap(until, &mut batch).expect("the ring works");
            asked += 1;
        }
        assert!(batch.as_slice().is_empty());
        assert!(asked < 10, "it came back {asked} times in 3 ms");
    });
}
