//! When records are brought to the disk.

use std::fs;
use std::time::Duration;

use drivelab_block::{Completion, Extent, Instant, Op, PhaseId, QueueId, Sector, SectorCount, Status};
use drivelab_record::{RunReader, RunWriter};

const COMPLETION: Completion = Completion {
    intended_at: Instant::from_nanos(1),
    submitted_at: Instant::from_nanos(1),
    issued_at: None,
    completed_at: Instant::from_nanos(2),
    extent: Extent { start: Sector::new(0), length: SectorCount::new(8) },
    status: Status::OK,
    queue: QueueId(0),
    op: Op::Write,
    phase: PhaseId(0),
};

#[test]
#[expect(clippy::disallowed_methods, reason = "a tail is due by the clock")]
fn records_that_are_to_survive_a_power_cut_are_in_a_tail_after_twenty_milliseconds() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut writer = RunWriter::new(folder.path().to_owned());
    writer.survive_power_cuts();
    writer.append(&[COMPLETION]);
    std::thread::sleep(Duration::from_millis(30));
    writer.keep_safe();
    let mut reader = RunReader::open(folder.path()).expect("the folder");
    assert_eq!(reader.next_batch(), Some(&[COMPLETION][..]));
}

/// No other test of this program may have such a thread.
#[test]
fn a_thread_of_its_own_brings_records_to_the_disk_where_nothing_is_to_wait() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut writer = RunWriter::new(folder.path().to_owned());
    writer.sync_in_background();
    let is_there = || {
        let tasks = fs::read_dir("/proc/self/task").expect("the threads of this program");
        let names = tasks.flatten().map(|task| fs::read_to_string(task.path().join("comm")));
        names.flatten().any(|name| name.trim_end() == "sync-records")
    };
    assert!(drivelab_testbed::eventually(is_there), "there is no such thread");
    writer.append(&[COMPLETION]);
    assert_eq!(writer.finish().records, 1);
}
