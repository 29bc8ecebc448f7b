//! What a recording says of itself when it has ended: why, what it wrote, and what it told its drive meanwhile.

use std::cell::RefCell;
use std::fs;
use std::path::Path;
use std::rc::Rc;
use std::time::Duration;

use crate::support::told::{Counting, FLUSH, SUPERBLOCK, Told};
use crate::support::{
    BLOCK, PLACE, Silent, folder, plan, proved_frames, run, run_through, synthetic, try_run_through,
};
use drivelab_block::Nanos;
use drivelab_stream::layout::{BlockHeader, HEADER_BYTES, Index, StreamMode, Superblock};
use drivelab_stream::plan::Plan;
use drivelab_stream::reader::{Chart, FrameReader, Recording, Wanted};
use drivelab_stream::source::SourceKind;
use drivelab_stream::writer::Figures;
use drivelab_stream::{End, Observer, RecordingNow};

/// Blocks of frames and of indexes on a target, and how many bytes of each are written.
fn written(target: &Path) -> (u64, u64) {
    let image = fs::read(target).expect("the target");
    let bytes = |block: &[u8]| match BlockHeader::parse(block) {
        Ok(header) => Some(HEADER_BYTES + (header.used as usize).next_multiple_of(HEADER_BYTES)),
        Err(_) => Index::is_one(block).then(|| Index::bytes(&block[..HEADER_BYTES])),
    };
    let lengths: Vec<usize> = image.chunks_exact(PLACE).filter_map(bytes).collect();
    (lengths.len() as u64, lengths.iter().sum::<usize>() as u64)
}

#[test]
fn a_recording_ends_with_the_bytes_that_were_asked_for_and_tells_what_it_wrote() {
    let folder = folder();
    let path = folder.path().join("target");
    let asked = Plan {
        index_interval: Some(64),
        ..plan(synthetic(&[(10_000, 10_000)]), StreamMode::Linear, 2_000_000)
    };
    let outcome = run(&path, 200 * BLOCK, &asked, &mut Silent);
    assert!(matches!(outcome.end, End::Asked), "{:?}", outcome.end);
    let channel = &outcome.channels[0];
    let tally = channel.tally;
    assert_eq!((tally.produced, tally.placed_bytes, channel.at_end.dropped), (200, 2_000_000, 0));
    assert_eq!((channel.at_end.kept.frames, channel.at_end.kept.bytes), (200, 2_000_000));
    let (ring, used) = (channel.at_end.ring_bytes, channel.at_end.most_used_bytes);
    assert_eq!((ring, used % BLOCK), (16 * BLOCK, 0));
    assert!((BLOCK..=ring).contains(&used), "{used}");
    let (blocks, bytes) = written(&path);
    let Figures { blocks: told_blocks, written_bytes, payload_bytes, longest_write, busy, .. } =
        outcome.figures;
    assert_eq!((told_blocks, written_bytes, payload_bytes), (blocks, bytes, 2_000_000));
    assert_eq!(outcome.log_length, blocks);
    assert!(Nanos::ZERO < longest_write && longest_write <= busy, "{longest_write:?} of {busy:?}");
    // Four times as many numbers as blocks in flight, since that is less than from one index to the next.
    assert_eq!((outcome.superblock.window, outcome.superblock.index_interval), (16, 64));
    // Each of the two superblocks says that nothing is missing.
    let image = fs::read(&path).expect("the target");
    let [first, second] = [0, image.len() - HEADER_BYTES]
        .map(|at| Superblock::decode(&image[at..at + HEADER_BYTES]).expect("a whole superblock"));
    assert_eq!(first.generation.abs_diff(second.generation), 1);
    // The next recording goes on counting, and begins in the place of the older one.
    assert_eq!((first.generation % 2, second.generation % 2), (0, 1));
    assert!(first.generation.min(second.generation) > outcome.superblock.generation, "each is a new one");
    for superblock in [first, second] {
        assert_eq!((superblock.is_closed, superblock.last_index), (true, Some(blocks - 1)));
    }
}

/// Tells when to end, and what was kept by then.
#[derive(Default)]
struct Reports {
    kept: Vec<Option<u64>>,
    ends_with: Option<u64>,
}

impl Observer for Reports {
    fn kept(&mut self, channel: usize, sequence: u64) {
        self.kept.resize(self.kept.len().max(channel + 1), None);
        self.kept[channel] = Some(sequence);
    }

    fn is_to_end(&mut self, _: &RecordingNow<'_>) -> bool {
        self.ends_with.is_some() && self.kept.first().copied().flatten() >= self.ends_with
    }
}

#[test]
fn after_a_write_that_failed_nothing_more_is_written_or_reported() {
    let folder = folder();
    let path = folder.path().join("target");
    let told = Rc::default();
    let disk = Counting::around(&told, Some(5), |_| false);
    let mut reports = Reports::default();
    let plan = plan(synthetic(&[(10_000, 10_000)]), StreamMode::Linear, 4_000_000);
    let outcome = run_through(disk, &path, 200 * BLOCK, &plan, &mut reports);
    let End::Failed(error) = outcome.end else { panic!("{:?}", outcome.end) };
    assert_eq!(error.raw_os_error(), Some(28));
    assert_eq!(told.borrow().after_failure, Vec::<u64>::new());
    let image = fs::read(&path).expect("the target");
    let image = &image[..];
    let recording = Recording::open(&image).expect("a recording");
    assert!(!recording.superblock.is_closed, "it was not ended as it should");
    let chart = Chart::read(&recording);
    let failed =
        chart.places.iter().find(|place| place.sequence == 5).expect("the drive had written it nevertheless");
    let kept = outcome.channels[0].at_end.kept.last;
    assert!(kept < Some(failed.entry.frame_sequences.last), "{kept:?} of {failed:?}");
    assert_eq!(reports.kept, [kept]);
}

#[test]
fn a_drive_that_takes_no_superblock_takes_no_recording() {
    let folder = folder();
    let told = Rc::default();
    let disk = Counting::around(&told, Some(SUPERBLOCK), |_| false);
    let plan = plan(synthetic(&[(10_000, 10_000)]), StreamMode::Linear, 4_000_000);
    let refused = try_run_through(disk, &folder.path().join("target"), 200 * BLOCK, &plan, &mut Silent);
    let refused = refused.expect_err("nothing can be recorded").to_string();
    assert!(refused.contains("the superblocks cannot be written"), "{refused}");
    assert!(told.borrow().begun.iter().all(|token| *token == SUPERBLOCK));
}

/// Never are more blocks under way than were asked for, with an index among them or not, and each index tells of as many blocks
/// as any other. The last log is full: of its 46 places the last but one is an index's, and so is the last.
#[test]
fn an_index_waits_for_its_turn_as_any_block() {
    for (in_flight, bytes, blocks) in
        [(1, 5_000_000, 200), (2, 5_000_000, 200), (4, 5_000_000, 200), (1, 1 << 40, 48)]
    {
        let folder = folder();
        let path = folder.path().join("target");
        let told = Rc::default();
        let disk = Counting::around(&told, None, |_| false);
        let asked = Plan { in_flight, ..plan(synthetic(&[(30_000, 60_000)]), StreamMode::Linear, bytes) };
        let outcome = run_through(disk, &path, blocks * BLOCK, &asked, &mut Silent);
        let told: std::cell::Ref<'_, Told> = told.borrow();
        assert!(told.blocks_at_a_time <= in_flight as usize, "{} of {in_flight}", told.blocks_at_a_time);
        let image = fs::read(&path).expect("the target");
        let indexes: Vec<u64> = image
            .chunks_exact(PLACE)
            .enumerate()
            .filter(|(_, block)| Index::is_one(block))
            .map(|(place, _)| place as u64 - 1)
            .collect();
        let regular =
            indexes.iter().zip(0..).take_while(|(index, number)| **index == 8 + 9 * *number).count();
        assert!(regular >= indexes.len() - 1, "but for the last one: {indexes:?}");
        assert_eq!(indexes.last().copied(), Some(outcome.log_length - 1), "the log ends with an index");
        let flushes = told.begun.iter().filter(|token| **token == FLUSH).count();
        assert!(flushes <= indexes.len() + 1, "{flushes} flushes for {} indexes", indexes.len());
    }
}

/// The bytes that were asked for are all in the ring before the drive, which is slow, has taken as many as it has room for.
#[test]
fn a_log_that_gets_full_behind_its_last_byte_says_so() {
    let folder = folder();
    let mut left = 30;
    let holds = move |token| {
        let is_held = (32..FLUSH).contains(&token) && left > 0;
        if is_held {
            left -= 1;
            std::thread::park_timeout(Duration::from_millis(5));
        }
        is_held
    };
    // 41 of 46 places are blocks of frames, each with 60 KiB of them.
    let asked = plan(synthetic(&[(10_000, 10_000)]), StreamMode::Linear, 43 * 61_440);
    let disk = Counting::around(&Rc::default(), None, holds);
    let outcome = run_through(disk, &folder.path().join("target"), 48 * BLOCK, &asked, &mut Silent);
    assert!(matches!(outcome.end, End::Full), "{:?}", outcome.end);
    assert!(outcome.channels[0].at_end.kept.bytes < 42 * 61_440, "not all of it is kept");
}

/// A recording that need not be on the medium at once does not make the drive flush when nothing is due.
#[test]
fn a_silent_recording_is_flushed_once_at_its_end() {
    let folder = folder();
    let path = folder.path().join("pipe");
    let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
    rustix::fs::mknodat(rustix::fs::CWD, &path, rustix::fs::FileType::Fifo, mode, 0).expect("a pipe");
    let _end = fs::File::options().read(true).write(true).open(&path).expect("a pipe");
    let mut asked = plan(synthetic(&[(1_000, 1_000)]), StreamMode::Linear, u64::MAX);
    asked.channels[0].source = SourceKind::Pipe(path);
    asked.duration = Some(Nanos::from_millis(350));
    let told = Rc::default();
    let disk = Counting::around(&told, None, |_| false);
    let outcome = run_through(disk, &folder.path().join("target"), 200 * BLOCK, &asked, &mut Silent);
    assert!(matches!(outcome.end, End::Asked), "{:?}", outcome.end);
    assert_eq!(outcome.log_length, 0, "not even an index");
    let superblocks = [SUPERBLOCK, SUPERBLOCK];
    assert_eq!(told.borrow().begun, [&superblocks[..], &[FLUSH], &superblocks].concat());
}

/// Frames at a rate carry the times at which they were due, and one is kept long before the next is.
#[test]
fn frames_at_a_rate_come_when_they_are_due_and_do_not_wait_for_the_next() {
    let folder = folder();
    let path = folder.path().join("target");
    let at_rate = |rate: f64, bytes: u64, durable: bool| {
        let mut channels = synthetic(&[(1_000, 1_000)]);
        if let SourceKind::Synthetic(made) = &mut channels[0].source {
            made.rate = Some(rate);
        }
        Plan {
            durable,
            duration: Some(Nanos::from_millis(60_000)),
            ..plan(channels, StreamMode::Linear, bytes)
        }
    };
    let outcome = run(&path, 200 * BLOCK, &at_rate(100.0, 12_000, false), &mut Silent);
    assert!(outcome.duration >= Nanos::from_millis(110), "the twelfth is due then: {:?}", outcome.duration);
    let image = fs::read(&path).expect("the target");
    let image = &image[..];
    let recording = Recording::open(&image).expect("a recording");
    let times = RefCell::new(Vec::new());
    let chart = Chart::read(&recording);
    let mut found = |spot: drivelab_stream::reader::FrameSpot| {
        times.borrow_mut().push(spot.entry.time_unix_ns);
        Ok(())
    };
    FrameReader::new(&recording, &chart, 0).spots(Wanted::ALL, &mut found).expect("an image in memory");
    let times = times.into_inner();
    assert_eq!(times.len(), 12);
    assert!(times.windows(2).all(|pair| pair[1] - pair[0] == 10_000_000), "{times:?}");
    assert!(times[0] >= 1_000_000_000, "{times:?}");
    // Durable or not: the second one is due in fifty seconds.
    for durable in [false, true] {
        let path = folder.path().join(format!("durable-{durable}"));
        let mut reports = Reports { ends_with: Some(0), ..Reports::default() };
        let outcome = run(&path, 200 * BLOCK, &at_rate(0.02, u64::MAX, durable), &mut reports);
        assert!(matches!(outcome.end, End::Told), "{:?}", outcome.end);
        assert_eq!(outcome.channels[0].tally.produced, 1);
        let image = fs::read(&path).expect("the target");
        assert_eq!(proved_frames(&Recording::open(&&image[..]).expect("a recording")).0, [(0, 0)]);
    }
}

/// Records to a drive that keeps one operation under way for many waits; what it was told by the time that it let go.
fn told_while_held(is_held: impl Fn(u64, usize) -> bool, interval: u32, durable: bool) -> Told {
    let folder = folder();
    let told: Rc<RefCell<Told>> = Rc::default();
    let (by_then, seen, mut waits) = (Rc::new(RefCell::new(Told::default())), Rc::clone(&told), 0);
    let noted = Rc::clone(&by_then);
    let holds = move |token: u64| {
        let begun = seen.borrow().begun.clone();
        let superblocks = begun.iter().filter(|token| **token == SUPERBLOCK).count();
        let holds = waits < 40 && is_held(token, superblocks);
        if holds {
            waits += 1;
            let ahead = seen.borrow().ahead;
            *noted.borrow_mut() = Told { begun, ahead, ..Told::default() };
        }
        holds
    };
    let asked = Plan {
        durable,
        index_interval: Some(interval),
        ..plan(synthetic(&[(30_000, 60_000)]), StreamMode::Linear, 5_000_000)
    };
    let disk = Counting::around(&told, None, holds);
    let outcome = run_through(disk, &folder.path().join("target"), 200 * BLOCK, &asked, &mut Silent);
    assert!(matches!(outcome.end, End::Asked), "{:?}", outcome.end);
    by_then.take()
}

/// Superblocks in what a drive was told, but for the two that a recording begins with.
fn later_superblocks(told: &Told) -> usize {
    told.begun.iter().filter(|token| **token == SUPERBLOCK).count() - 2
}

#[test]
fn a_write_that_takes_long_holds_up_the_log_at_its_window_and_every_superblock() {
    let told = told_while_held(|token, _| token == 0, 64, false);
    assert!((4..=15).contains(&told.ahead), "within a window of 16: {}", told.ahead);
    assert_eq!(later_superblocks(&told), 0, "no index is named before all blocks before it are written");
}

#[test]
fn an_index_is_named_by_a_superblock_when_it_is_written_and_not_before() {
    let told = told_while_held(|token, _| token == 8, 16, false);
    assert!(told.begun.contains(&8) && later_superblocks(&told) == 0, "{:?}", told.begun);
}

/// What a recovery is promised to read at most holds while a superblock is on its way.
#[test]
fn the_log_waits_for_the_superblock_that_names_its_index() {
    let told = told_while_held(|token, superblocks| token == SUPERBLOCK && superblocks == 3, 16, false);
    let blocks = told.begun.iter().filter(|token| **token < FLUSH);
    let newest = blocks.max().copied();
    assert!(Some(8) < newest && newest <= Some(14), "an interval of 16, less the index itself: {newest:?}");
}

#[test]
fn one_flush_is_under_way_at_a_time() {
    let told = told_while_held(|token, _| token == FLUSH, 16, true);
    assert_eq!(told.begun.iter().filter(|token| **token == FLUSH).count(), 1);
}

/// A source that never pauses fills blocks, unless a frame has waited for long enough.
#[test]
fn frames_that_have_waited_are_handed_on_with_the_next_one() {
    let folder = folder();
    let asked =
        Plan { flush_after: Nanos::ZERO, ..plan(synthetic(&[(1_000, 1_000)]), StreamMode::Linear, 100_000) };
    let outcome = run(&folder.path().join("target"), 200 * BLOCK, &asked, &mut Silent);
    assert!(outcome.log_length >= 50, "two frames in a block: {} blocks", outcome.log_length);
}
