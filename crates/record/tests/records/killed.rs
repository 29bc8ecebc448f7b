//! What is left of records whose process is killed, or whose disk takes no segment for a while.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use drivelab_block::{Completion, Extent, Instant, Op, PhaseId, QueueId, Sector, SectorCount, Status};
use drivelab_record::{RecordWriter, RunReader, RunWriter};
use drivelab_testbed::Mount;

/// Rows of a row group, as docs/reference/files.md has them.
const ROW_GROUP: usize = 131_072;

fn completions(numbers: std::ops::Range<u64>) -> Vec<Completion> {
    let completion = |number: u64| Completion {
        intended_at: Instant::from_nanos(number * 1_000),
        submitted_at: Instant::from_nanos(number * 1_000),
        issued_at: None,
        completed_at: Instant::from_nanos(number * 1_000 + 500),
        extent: Extent { start: Sector::new(number * 8), length: SectorCount::new(8) },
        status: Status::OK,
        queue: QueueId(0),
        op: Op::Write,
        phase: PhaseId(0),
    };
    numbers.map(completion).collect()
}

/// Everything that can be read, and how often something is missing.
fn read(segments: &Path) -> (Vec<Completion>, Vec<String>) {
    let mut reader = RunReader::open(segments).expect("a folder of segments");
    let mut all = Vec::new();
    while let Some(batch) = reader.next_batch() {
        all.extend(batch);
    }
    (all, reader.faults().to_vec())
}

/// Waits until the records that were given to the writer are in its tail, which is due by the clock.
fn wait_for_tail(writer: &mut RunWriter, tail: &Path) {
    let before = fs::metadata(tail).map_or(0, |file| file.len());
    let has_grown = || {
        writer.keep_safe();
        fs::metadata(tail).is_ok_and(|file| file.len() > before)
    };
    assert!(drivelab_testbed::eventually(has_grown), "nothing comes into the tail");
}

#[expect(clippy::disallowed_methods, reason = "a tail is due by the clock")]
fn pause(time: Duration) {
    std::thread::sleep(time);
}

fn segments(folder: &Path) -> PathBuf {
    let path = folder.join("segments");
    fs::create_dir(&path).expect("room on disk");
    path
}

#[test]
fn a_kill_costs_only_what_came_after_the_last_tail_and_an_ended_run_leaves_none() {
    for prepare in [|_: &mut RunWriter| {}, RunWriter::sync_in_background, RunWriter::survive_power_cuts] {
        let folder = tempfile::tempdir().expect("a folder");
        let segments = segments(folder.path());
        let tail = segments.join("000000.tail");
        let mut writer = RunWriter::new(segments.clone());
        prepare(&mut writer);
        let all = completions(0..300);
        writer.append(&all[..100]);
        wait_for_tail(&mut writer, &tail);
        writer.append(&all[100..200]);
        wait_for_tail(&mut writer, &tail);
        let (left, faults) = read(&segments);
        assert!(left == all[..200] && faults.is_empty(), "{} records, {faults:?}", left.len());
        // The writer goes on after what was looked at.
        writer.append(&all[200..]);
        let written = writer.finish();
        assert_eq!((written.records, written.lost), (300, 0));
        assert!(read(&segments).0 == all && !tail.exists(), "the tail went when its segment was whole");
    }
}

/// What a recorder leaves that is killed when a row group is in its segment and more records are in its tail.
fn killed_behind_a_row_group(all: &[Completion]) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let segments = segments(folder.path());
    let mut writer = RunWriter::new(segments.clone());
    writer.append(all);
    wait_for_tail(&mut writer, &segments.join("000000.tail"));
    let left = folder.path().join("left");
    fs::create_dir(&left).expect("room on disk");
    for name in ["000000.tail", "000000.parquet.partial"] {
        fs::copy(segments.join(name), left.join(name)).expect("room on disk");
    }
    (folder, left)
}

#[test]
fn a_row_group_of_a_killed_recorder_is_read_from_its_segment() {
    let all = completions(0..ROW_GROUP as u64 + 500);
    let (_folder, left) = killed_behind_a_row_group(&all);
    let (read, faults) = read(&left);
    assert!(read == all && faults.is_empty(), "{} records, {faults:?}", read.len());
    // A power cut can take the end of a segment that has its last name already.
    fs::rename(left.join("000000.parquet.partial"), left.join("000000.parquet")).expect("the segment");
    let (read, faults) = self::read(&left);
    assert!(read == all && faults.is_empty(), "{} records, {faults:?}", read.len());
}

#[test]
fn records_of_a_row_group_that_cannot_be_read_are_named_and_those_behind_it_are_read() {
    let all = completions(0..ROW_GROUP as u64 + 500);
    let (_folder, left) = killed_behind_a_row_group(&all);
    let partial = left.join("000000.parquet.partial");
    let bytes = fs::read(&partial).expect("the segment");
    let mut changed = bytes.clone();
    changed[bytes.len() / 2] ^= 4;
    fs::write(&partial, changed).expect("room on disk");
    let (_, faults) = read(&left);
    assert!(faults.len() == 1 && faults[0].contains("are not those that were written"), "{faults:?}");
    let zeros = vec![0; bytes.len() - bytes.len() / 2];
    for end in [zeros.as_slice(), &[]] {
        fs::write(&partial, [&bytes[..bytes.len() / 2], end].concat()).expect("room on disk");
        let (records, faults) = read(&left);
        // The tail may have become due before the row group was whole, and have its records then.
        let begin = records.len() - 500;
        assert!(records == [&all[..begin], &all[ROW_GROUP..]].concat(), "{} records", records.len());
        let is_said = faults.len() == 1 && faults[0].contains("are not there");
        assert!(is_said || begin == ROW_GROUP, "{begin} records, {faults:?}");
    }
}

#[test]
fn without_a_tail_a_kill_costs_the_open_segment() {
    let folder = tempfile::tempdir().expect("a folder");
    let segments = segments(folder.path());
    let mut writer = RunWriter::new(segments.clone()).unguarded();
    writer.append(&completions(0..100));
    pause(Duration::from_millis(450));
    writer.keep_safe();
    assert_eq!(fs::read_dir(&segments).expect("the folder").count(), 0);
    assert_eq!(writer.finish().records, 100);
}

/// Fills a file system but for so many bytes; what was written goes when the file does.
fn fill(mount: &Path, but: u64) -> PathBuf {
    let path = mount.join("filler");
    let mut file = fs::File::create(&path).expect("a name");
    while file.write_all(&[1; 4096]).is_ok() {}
    let filled = file.metadata().expect("a file").len();
    file.set_len(filled.saturating_sub(but)).expect("a shorter file");
    path
}

#[test]
fn a_tail_that_finds_the_disk_full_keeps_what_it_had_and_takes_the_rest_when_there_is_room() {
    if !drivelab_testbed::mounts_can_be_made() {
        return;
    }
    let mount = Mount::tmpfs("8M");
    let segments = segments(&mount.point);
    let tail = segments.join("000000.tail");
    let mut writer = RunWriter::new(segments.clone());
    let all = completions(0..10_000);
    let try_to_keep = |writer: &mut RunWriter, records: &[Completion]| {
        writer.append(records);
        pause(Duration::from_millis(450));
        writer.keep_safe();
    };
    // Room for a tail, and for none of its records.
    let filler = fill(&mount.point, 8192);
    try_to_keep(&mut writer, &all[..5_000]);
    assert!(!tail.exists(), "an empty tail takes room and says nothing");
    fs::remove_file(&filler).expect("the filler");
    wait_for_tail(&mut writer, &tail);
    let filler = fill(&mount.point, 8192);
    try_to_keep(&mut writer, &all[5_000..]);
    let (left, faults) = read(&segments);
    assert!(left == all[..5_000] && faults.is_empty(), "{} records, {faults:?}", left.len());
    fs::remove_file(&filler).expect("the filler");
    wait_for_tail(&mut writer, &tail);
    let (left, faults) = read(&segments);
    assert!(left == all && faults.is_empty(), "{} records, {faults:?}", left.len());
    assert_eq!(writer.finish().records, 10_000);
}

#[test]
fn segments_that_cannot_be_written_lose_what_is_in_no_tail_and_the_next_ones_are_kept() {
    let folder = tempfile::tempdir().expect("a folder");
    let (segments, away) = (segments(folder.path()), folder.path().join("away"));
    let mut writer = RecordWriter::new(segments.clone());
    let rows = ROW_GROUP as u64;
    let all = completions(0..3 * rows + 500);
    writer.append(&all[..100]);
    wait_for_tail(&mut writer, &segments.join("000000.tail"));
    // The folder is gone until two row groups have come: no segment can be made, the open tail is still there.
    fs::rename(&segments, &away).expect("the folder");
    writer.append(&all[100..ROW_GROUP]);
    let after_one = writer.written.clone();
    writer.append(&all[ROW_GROUP..2 * ROW_GROUP]);
    let after_two = writer.written.clone();
    fs::rename(&away, &segments).expect("the folder");
    writer.append(&all[2 * ROW_GROUP..]);
    let written = writer.finish();
    // The tail may have become due once more before the row group was full.
    assert!(after_one.records >= 100 && after_one.records + after_one.lost == rows, "{after_one:?}");
    assert!(after_two.lost > after_one.lost, "{after_two:?}");
    assert_eq!(after_two.records + after_two.lost, 2 * rows, "{after_two:?}");
    assert_eq!((written.lost, written.records), (after_two.lost, after_two.records + rows + 500));
    assert!(
        written.first_error.as_deref().is_some_and(|error| error.contains("000000.parquet")),
        "{written:?}"
    );
    let (left, _) = read(&segments);
    assert!(left[..100] == all[..100], "the tail of the segment that was given up stays");
    assert!(left[left.len() - ROW_GROUP - 500..] == all[2 * ROW_GROUP..], "what came later is whole");
}
