//! Recordings on files of small blocks, and what is left of them.

#![allow(dead_code, reason = "each test file uses its own part of these")]

pub mod hanging;
pub mod left;
pub mod told;
pub mod watched;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use drivelab_block::{ByteCount, Instant, Nanos};
use drivelab_safety::{ClaimOptions, Confirmation, System, Target, claim_for_writing};
use drivelab_stream::layout::{RunId, StreamFraming, StreamMode};
use drivelab_stream::plan::{ChannelPlan, OnFull, Plan};
use drivelab_stream::reader::{Chart, FrameReader, FrameSpot, Problem, Recording, Wanted, check};
use drivelab_stream::source::{FrameArrivals, Source, SourceKind, SyntheticFrames, key, verify};
use drivelab_stream::writer::TargetDisk;
use drivelab_stream::{
    Observer, ProgramWatch, RecordingNow, RecordingOutcome, RecordingStart, StreamError, record,
};
use drivelab_uring::{Access, BlockWriter, Clock};
use tempfile::TempDir;

/// The frames of a recording's first channel by their numbers, after a check that finds nothing wrong.
pub fn whole_frames(target: &Path) -> Vec<(u64, Vec<u8>)> {
    let image = std::fs::read(target).expect("the target");
    let image = &image[..];
    let recording = Recording::open(&image).expect("a recording");
    let chart = Chart::read(&recording);
    assert_eq!(check(&recording, &chart).expect("an image in memory").problems, []);
    let mut frames = Vec::new();
    let mut found = |frame: drivelab_stream::reader::Frame<'_>| {
        frames.push((frame.spot.entry.sequence, frame.bytes.to_vec()));
        Ok(())
    };
    let mut reader = FrameReader::new(&recording, &chart, 0);
    reader.frames(Wanted::ALL, &mut found, &mut |broken| panic!("{broken:?}")).expect("an image in memory");
    frames
}

/// The length of a block: the shortest there is, so that many make a small image.
pub const BLOCK: u64 = 64 << 10;
/// The same as a length in memory.
pub const PLACE: usize = 64 << 10;

/// A folder in memory where there is one.
pub fn folder() -> TempDir {
    let memory = Path::new("/dev/shm");
    if memory.is_dir() { tempfile::tempdir_in(memory) } else { TempDir::new() }.expect("a folder")
}

/// Numbers of a fixed sequence.
pub struct Draws(pub u64);

impl Draws {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    pub fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next()).expect("31 bits") % end.max(1)
    }
}

/// The key of a synthetic channel.
pub fn channel_key(number: usize) -> u64 {
    key(7, u16::try_from(number).expect("few channels"))
}

/// Synthetic channels of frames between these lengths.
pub fn synthetic(lengths: &[(u32, u32)]) -> Vec<ChannelPlan> {
    let channel = |(number, bytes): (usize, &(u32, u32))| ChannelPlan {
        name: format!("channel-{number}"),
        source: SourceKind::Synthetic(SyntheticFrames {
            least_bytes: bytes.0,
            most_bytes: bytes.1,
            rate: None,
            arrivals: FrameArrivals::Regular,
            seed: number as u64,
            key: channel_key(number),
        }),
        framing: StreamFraming::Length,
        ring: ByteCount::new(16 * BLOCK),
        on_full: OnFull::Wait,
    };
    lengths.iter().enumerate().map(channel).collect()
}

/// A plan for these channels that ends after `bytes`.
pub fn plan(channels: Vec<ChannelPlan>, shape: StreamMode, bytes: u64) -> Plan {
    Plan {
        channels,
        shape,
        block: ByteCount::new(BLOCK),
        in_flight: 4,
        index_interval: Some(16),
        durable: false,
        flush_after: Nanos::from_millis(20),
        duration: None,
        bytes: Some(ByteCount::new(bytes)),
    }
}

/// Records on a file of `size` bytes that is made for it.
pub fn run(path: &Path, size: u64, plan: &Plan, observer: &mut dyn Observer) -> RecordingOutcome {
    run_through(|ring| ring, path, size, plan, observer)
}

/// The same through a disk that is made around the file's ring.
pub fn run_through<D: TargetDisk>(
    around: impl FnOnce(BlockWriter) -> D,
    path: &Path,
    size: u64,
    plan: &Plan,
    observer: &mut dyn Observer,
) -> RecordingOutcome {
    try_run_through(around, path, size, plan, observer).expect("a recording")
}

/// The same where it may be that nothing can be recorded.
pub fn try_run_through<D: TargetDisk>(
    around: impl FnOnce(BlockWriter) -> D,
    path: &Path,
    size: u64,
    plan: &Plan,
    observer: &mut dyn Observer,
) -> Result<RecordingOutcome, StreamError> {
    let system = System::live();
    let target = Target::resolve(&system, path).expect("a file");
    // An ordinary user does not see what others have open.
    let options = ClaimOptions {
        create_size: Some(ByteCount::new(size)),
        assume_unused: true,
        ..ClaimOptions::default()
    };
    let confirmation = Confirmation { serial: None, destroy_data: true };
    let grant = claim_for_writing(&system, &target, &confirmation, &options).expect("a file of our own");
    let places =
        plan.places(grant.geometry().capacity.get(), grant.geometry().logical_block).expect("a plan");
    let sources: Vec<Source> =
        plan.channels.iter().map(|channel| channel.source.open().expect("a source")).collect();
    let clock = Clock::start();
    let begin = RecordingStart {
        run: RunId([5; 16]),
        generation: 40,
        clock,
        started_unix_ns: 1_000_000_000,
        program: &AlwaysRuns,
    };
    let access = Access::Write(Arc::new(grant));
    record(around, &access, plan, &places, begin, sources, observer)
}

/// A program that is taken to run all the time.
#[derive(Debug)]
struct AlwaysRuns;

impl ProgramWatch for AlwaysRuns {
    fn known_until(&self) -> Instant {
        Instant::NEVER
    }

    fn stood_still(&self, _: Instant, _: Instant) -> Nanos {
        Nanos::ZERO
    }

    fn look_now(&self) {}
}

/// Hears what is kept and does nothing.
pub struct Silent;

impl Observer for Silent {
    fn kept(&mut self, _: usize, _: u64) {}

    fn is_to_end(&mut self, _: &RecordingNow<'_>) -> bool {
        false
    }
}

/// What a target held at a moment, and what had been reported as kept by then.
pub struct Snapshot {
    pub image: Vec<u8>,
    pub kept: Vec<Option<u64>>,
}

/// Looks at the target in the middle of a recording: as little is written then as if the program were killed.
pub struct Snapshots {
    pub path: PathBuf,
    pub kept: Vec<Option<u64>>,
    pub taken: Vec<Snapshot>,
    pub draws: Draws,
    /// One of so many reports is followed by a look.
    pub one_of: usize,
}

impl Observer for Snapshots {
    fn kept(&mut self, channel: usize, sequence: u64) {
        assert!(self.kept[channel].is_none_or(|before| before < sequence), "a frontier only moves on");
        self.kept[channel] = Some(sequence);
        if self.draws.below(self.one_of) == 0 {
            let image = std::fs::read(&self.path).expect("the target");
            self.taken.push(Snapshot { image, kept: self.kept.clone() });
        }
    }

    fn is_to_end(&mut self, _: &RecordingNow<'_>) -> bool {
        false
    }
}

/// A frame that came out of an image: its channel and number.
pub type Name = (usize, u64);

/// Every frame that an image gives, each of which has to be as it was made.
pub fn proved_frames(recording: &Recording<'_>) -> (Vec<Name>, Vec<Problem>) {
    let (spots, breaks) = proved_spots(recording);
    (spots.iter().map(|spot| (usize::from(spot.channel), spot.entry.sequence)).collect(), breaks)
}

/// The same, and where each of them begins.
pub fn proved_spots(recording: &Recording<'_>) -> (Vec<FrameSpot>, Vec<Problem>) {
    let chart = Chart::read(recording);
    let (mut spots, mut breaks) = (Vec::new(), Vec::new());
    for channel in 0..recording.superblock.channels.len() {
        let number = u16::try_from(channel).expect("few channels");
        let mut found = |frame: drivelab_stream::reader::Frame<'_>| {
            let sequence = frame.spot.entry.sequence;
            assert_eq!(verify(frame.bytes, channel_key(channel), sequence), Ok(()), "{channel} {sequence}");
            spots.push(frame.spot);
            Ok(())
        };
        let mut reader = FrameReader::new(recording, &chart, number);
        reader.frames(Wanted::ALL, &mut found, &mut |one| breaks.push(one)).expect("an image in memory");
    }
    (spots, breaks)
}

/// Expects of an image that was left in the middle of a recording what a killed recording promises: all of the log that is
/// there, and nothing wrong with it.
#[track_caller]
pub fn assert_recovers(image: &[u8], kept: &[Option<u64>], begins: &BTreeMap<Name, u64>, shape: StreamMode) {
    let recording = Recording::open(&image).expect("a recording");
    assert_gives_kept(&recording, kept, begins, shape);
    let chart = Chart::read(&recording);
    let checked = check(&recording, &chart).expect("an image in memory");
    assert_eq!(checked.problems, [], "{:?}", recording.recovery);
}

/// Expects that what was reported as kept is found without a gap, as far as nothing may have overwritten the block that it
/// begins in, and with no more reads than are promised. A channel that the machine gives no time for a while has nothing
/// left in a cyclic log.
#[track_caller]
pub fn assert_gives_kept(
    recording: &Recording<'_>,
    kept: &[Option<u64>],
    begins: &BTreeMap<Name, u64>,
    shape: StreamMode,
) {
    let (interval, recovery) = (recording.superblock.index_interval, recording.recovery);
    assert!(recovery.blocks_read <= u64::from(interval), "{recovery:?}");
    let (spots, _) = proved_spots(recording);
    let first_block = recording.settled_start();
    for (channel, last_kept) in kept.iter().enumerate() {
        let own = spots.iter().filter(|spot| usize::from(spot.channel) == channel);
        let own: Vec<u64> =
            own.filter(|spot| spot.block >= first_block).map(|spot| spot.entry.sequence).collect();
        // Behind what was reported there may be holes: blocks in flight end in any order.
        let reported: Vec<u64> =
            own.iter().copied().filter(|sequence| Some(*sequence) <= *last_kept).collect();
        assert!(reported.windows(2).all(|pair| pair[0] + 1 == pair[1]), "channel {channel}: {own:?}");
        let is_there =
            |sequence: &u64| shape == StreamMode::Linear || begins[&(channel, *sequence)] >= first_block;
        assert_eq!(reported.last().copied(), last_kept.filter(is_there), "channel {channel}: {own:?}");
        if shape == StreamMode::Linear && last_kept.is_some() {
            assert_eq!(own.first(), Some(&0));
        }
    }
}
