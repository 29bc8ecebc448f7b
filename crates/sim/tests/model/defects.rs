//! Drives that fail, hang, go away, or have not the capacity that they announce, against what the profile asked for.

use std::sync::{Arc, Mutex};

use crate::rig::{SECOND, UNIT_SECTORS, request};
use drivelab_block::{Batch, ByteCount, Completion, Engine, Instant, Limits, Op, OpSet, Request, Status};
use drivelab_sim::{ReadObserver, SimDrive, Spec, Stored};

const MIB_SECTORS: u64 = 2048;
const EIO: Status = Status::from_code(5);
const ENODEV: Status = Status::from_code(19);

/// What the units of each read showed.
#[derive(Clone, Debug, Default)]
struct Shown(Arc<Mutex<Vec<Vec<Stored>>>>);

impl ReadObserver for Shown {
    fn read(&mut self, _: &Request, units: &[Stored]) {
        self.0.lock().unwrap().push(units.to_vec());
    }
}

/// A drive with contents, and one request after another.
struct Asked {
    drive: SimDrive,
    shown: Shown,
}

impl Asked {
    fn new(spec: &str) -> Asked {
        let profile = Spec::parse(spec).unwrap_or_else(|error| panic!("{spec}: {error}"));
        let mut drive = SimDrive::with_contents(&profile, 1);
        let shown = Shown::default();
        drive.show_to(Box::new(shown.clone()));
        let mut ops = OpSet::EMPTY.with(Op::Read).with(Op::Write).with(Op::Flush);
        if profile.takes_discards() {
            ops = ops.with(Op::Discard);
        }
        drive.prepare(Limits { queue_depth: 4, max_transfer: ByteCount::new(4 << 20), ops }).unwrap();
        Asked { drive, shown }
    }

    /// Waits until a time, then asks; returns what is answered within an hour.
    fn ask_at(&mut self, nanos: u64, request: Request) -> Option<Completion> {
        let mut batch = Batch::with_capacity(8);
        while self.drive.now().as_nanos() < nanos {
            self.drive.reap(Instant::from_nanos(nanos), &mut batch).unwrap();
        }
        assert_eq!(batch.as_slice(), []);
        self.drive.submit(request).unwrap();
        self.drive.reap(Instant::from_nanos(nanos + 3_600 * SECOND), &mut batch).unwrap();
        batch.as_slice().first().copied()
    }

    fn ask(&mut self, op: Op, start: u64, sectors: u64) -> Status {
        let now = self.drive.now().as_nanos();
        self.ask_at(now, request(op, start, sectors)).expect("an answer").status
    }

    /// What each unit of an extent shows.
    fn shows(&mut self, start: u64, sectors: u64) -> Vec<Stored> {
        assert_eq!(self.ask(Op::Read, start, sectors), Status::OK);
        self.shown.0.lock().unwrap().pop().expect("it was shown")
    }
}

#[test]
fn what_reaches_behind_an_address_fails_and_nothing_else_does() {
    for drive in ["consistent?size=1GiB", "hdd-7200?size=1GiB"] {
        let mut asked = Asked::new(&format!("{drive}&fail_from=64MiB"));
        let at = 64 * MIB_SECTORS;
        assert_eq!(asked.ask(Op::Write, at - 8, 8), Status::OK);
        assert_eq!(asked.ask(Op::Write, at - 8, 16), EIO, "a part of it lies behind");
        assert_eq!(asked.ask(Op::Read, at, 8), EIO);
        assert_eq!(asked.ask(Op::Read, 0, at), Status::OK);
        assert_eq!(asked.ask(Op::Flush, 0, 0), Status::OK);
        assert_eq!(asked.drive.ground_truth().failed_ios, 2);
        assert_eq!(asked.shows(at - 8, 8), [Stored::Write(1)], "a write that failed is not stored");
    }
}

#[test]
fn each_hundredth_fails_exactly() {
    let mut asked = Asked::new("consistent?size=1GiB&fail_every=100");
    for number in 1..=1_000_u64 {
        let op = if number % 3 == 0 { Op::Read } else { Op::Write };
        let expected = if number % 100 == 0 { EIO } else { Status::OK };
        assert_eq!(asked.ask(op, number * 8, 8), expected, "{number}");
    }
    assert_eq!(asked.drive.ground_truth().failed_ios, 10);
}

#[test]
fn a_drive_that_wraps_stores_what_lies_behind_over_what_lies_before() {
    for drive in ["consistent?size=1GiB", "hdd-7200?size=1GiB"] {
        let mut asked = Asked::new(&format!("{drive}&wrap_at=64MiB"));
        let at = 64 * MIB_SECTORS;
        assert_eq!(asked.ask(Op::Write, 0, 16), Status::OK);
        assert_eq!(asked.ask(Op::Write, 3 * at - 8, 16), Status::OK, "over the true end");
        assert_eq!(asked.shows(0, 16), [Stored::Write(2), Stored::Write(1)]);
        assert_eq!(asked.shows(at - 8, 24), [2, 2, 1].map(Stored::Write));
        assert_eq!(asked.drive.ground_truth().keeps, Some(ByteCount::new(64 << 20)));
        if !drive.starts_with("hdd") {
            assert_eq!(asked.ask(Op::Discard, 5 * at, UNIT_SECTORS), Status::OK);
            assert_eq!(asked.shows(0, 16), [Stored::Nothing, Stored::Write(1)]);
        }
    }
}

#[test]
fn a_drive_of_zeros_answers_writes_and_shows_nothing_of_them() {
    let mut asked = Asked::new("consistent?size=1GiB&zeros_from=64MiB");
    let at = 64 * MIB_SECTORS;
    assert_eq!(asked.ask(Op::Write, at - 8, 16), Status::OK);
    assert_eq!(asked.shows(at - 8, 16), [Stored::Write(1), Stored::Nothing]);
}

#[test]
fn a_drive_that_turns_read_only_reads_on() {
    let mut asked = Asked::new("consistent?size=1GiB&read_only_at=5s");
    assert_eq!(asked.ask(Op::Write, 0, 8), Status::OK);
    assert_eq!(asked.ask_at(5 * SECOND, request(Op::Write, 0, 8)).unwrap().status, EIO);
    assert_eq!(asked.ask(Op::Discard, 0, 8), EIO);
    assert_eq!(asked.ask(Op::Flush, 0, 0), Status::OK);
    assert_eq!(asked.shows(0, 8), [Stored::Write(1)]);
}

#[test]
fn a_drive_that_is_gone_fails_what_was_in_flight_too() {
    let mut asked = Asked::new("consistent?size=1GiB&delay_every=1MB&delay=3s&gone_at=5s");
    let last = asked.ask_at(4 * SECOND, request(Op::Write, 0, 2 * MIB_SECTORS)).unwrap();
    assert_eq!((last.status, last.completed_at), (ENODEV, Instant::from_nanos(5 * SECOND)));
    let after = asked.ask_at(6 * SECOND, request(Op::Read, 0, 8)).unwrap();
    assert_eq!(after.status, ENODEV);
    assert!(after.service().get() < SECOND / 1_000, "{after:?}");
    assert_eq!(asked.drive.ground_truth().failed_ios, 2);
}

#[test]
fn a_hang_holds_up_what_comes_in_it_and_one_without_end_is_never_answered() {
    let mut asked = Asked::new("consistent?size=1GiB&hang_at=5s&hang_for=20s");
    let before = asked.ask_at(SECOND, request(Op::Write, 0, 8)).unwrap();
    assert!(before.service().get() < SECOND, "{before:?}");
    let met = asked.ask_at(6 * SECOND, request(Op::Write, 0, 8)).unwrap();
    assert!((25 * SECOND..25 * SECOND + SECOND / 100).contains(&met.completed_at.as_nanos()), "{met:?}");
    assert_eq!(met.status, Status::OK);
    let after = asked.ask_at(30 * SECOND, request(Op::Read, 0, 8)).unwrap();
    assert!(after.service().get() < SECOND, "{after:?}");

    let mut asked = Asked::new("hdd-7200?size=1GiB&hang_at=5s");
    assert_eq!(asked.ask_at(6 * SECOND, request(Op::Read, 0, 8)), None);
    let mut batch = Batch::with_capacity(8);
    let error = asked.drive.reap(Instant::NEVER, &mut batch).unwrap_err().to_string();
    assert!(error.contains("hangs"), "{error}");
    // What is not answered is no more in flight once the phase is over, and the next phase can begin.
    asked.drive.release();
    asked
        .drive
        .prepare(Limits { queue_depth: 1, max_transfer: ByteCount::new(4096), ops: OpSet::EMPTY })
        .unwrap();

    let mut both = Asked::new("consistent?size=1GiB&hang_at=5s&gone_at=9s");
    let lost = both.ask_at(6 * SECOND, request(Op::Read, 0, 8)).unwrap();
    assert_eq!((lost.status, lost.completed_at), (ENODEV, Instant::from_nanos(9 * SECOND)));
}
