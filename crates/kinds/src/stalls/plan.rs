//! A stream before it is written: what it needs, what it does to a drive, and that in words.

use std::sync::OnceLock;

use drivelab_block::{
    ByteCount, ByteRange, Geometry, Limits, Nanos, Op, OpSet, SECTOR_BYTES, Sector, SectorCount,
};
use drivelab_documents::MeasuredPhases;
use drivelab_method::{PhasePlan, StopRule, check_range};
use drivelab_stats::LoopKind;
use drivelab_view::format::rate;
use drivelab_workload::verify::{Ledger, RunId, SharedVerification, Verification};
use drivelab_workload::{Seed, Span};

use super::{Stalls, StallsSettings};
use crate::read_back::{ReadBack, StreamOnDrive, read_back_phase};
use crate::{Outline, PlanError, PlanResult, PlannedTime, Test, TestNeeds};

pub(super) const WRITING: &str = "stream write";
/// How often the range is written where nothing else ends the stream.
const ROUNDS: u64 = 4;
/// Reads in flight when a stream is read back after its end.
const READ_BACK_DEPTH: u32 = 4;
/// The most places of a stream: what is known of them takes 12 bytes each.
const PLACES_MAX: u64 = 1 << 27;
/// The least number of blocks: writes to one place have to be well apart.
const PLACES_PER_DEPTH: u64 = 4;
/// The longest block.
const BLOCK_MAX: u64 = 64 << 20;

/// What a stream does to a drive.
#[derive(Clone, Debug)]
pub struct StallsPlan {
    /// What was asked for, with what it means on the drive.
    pub(super) asked: StallsSettings,
    /// What that means on the drive.
    pub(super) on_drive: StreamOnDrive,
    /// The blocks that are written.
    pub span: Span,
    /// Made when it is first asked for: it takes 12 bytes for each block.
    verification: OnceLock<SharedVerification>,
}

impl Test for Stalls {
    type Plan = StallsPlan;
    type Input = ();

    fn needs(settings: &StallsSettings, (): &()) -> TestNeeds {
        TestNeeds {
            records_requests: settings.device_times,
            until_warm: settings.until_warm_ns.map(Nanos::new),
            ..TestNeeds::new(true, MeasuredPhases::Phase(WRITING.to_owned()))
        }
    }

    fn comparable(settings: StallsSettings, geometry: Geometry) -> StallsSettings {
        let on_drive = StallsPlan::new(&settings, geometry).ok().map(|plan| plan.on_drive);
        StallsSettings { range: settings.range.on_capacity(geometry.capacity), on_drive, ..settings }
    }

    fn plan(settings: &StallsSettings, (): &(), geometry: Geometry, _: Seed) -> PlanResult<Self> {
        StallsPlan::new(settings, geometry)
    }

    fn outline(plan: &StallsPlan) -> Outline {
        let asked = &plan.asked;
        let paced =
            asked.rate_bytes_s.map_or(String::new(), |asked| format!(" at {} MB/s", rate(asked / 1e6)));
        let time = match (asked.duration_ns.map(Nanos::new), plan.bytes()) {
            (Some(duration), Some(_)) => format!(" for at most {duration}"),
            (Some(duration), None) => format!(" for {duration}"),
            (None, _) => String::new(),
        };
        let back = if asked.verify == ReadBack::No { "" } else { ", and read back" };
        let (block, range) = (plan.block(), plan.span.bytes());
        let sentence =
            format!("blocks of {block} would be written{paced}{time}, round and round {range}{back}");
        let written = plan.bytes();
        Outline { sentences: vec![sentence], written, time: time_of(plan) }
    }
}

/// Where a duration and a number of bytes are given, the first of both ends the stream.
fn time_of(plan: &StallsPlan) -> Option<PlannedTime> {
    let asked = &plan.asked;
    let unpaced = |bytes: ByteCount| PlannedTime { unpaced: bytes, ..PlannedTime::default() };
    let by_schedule = asked
        .rate_bytes_s
        .zip(plan.bytes())
        .map(|(rate, bytes)| PlannedTime::timed(Nanos::from_secs_f64(bytes.get() as f64 / rate)));
    let is_read_back = plan.bytes().is_none() && asked.verify != ReadBack::No;
    let by_clock = asked.duration_ns.map(Nanos::new).map(|duration| {
        let read_back = if is_read_back { duration } else { Nanos::ZERO };
        PlannedTime { read_back, ..PlannedTime::timed(duration) }
    });
    let writing = by_clock.or(by_schedule).or_else(|| plan.bytes().map(unpaced))?;
    let read_back = plan.bytes().filter(|_| asked.verify != ReadBack::No);
    let read_back = read_back.map_or(0, |bytes| bytes.get().min(plan.span.bytes().get()));
    Some(PlannedTime { unpaced: ByteCount::new(writing.unpaced.get() + read_back), ..writing })
}

impl StallsPlan {
    /// What these settings mean for a drive; without an end, the range is written four times.
    ///
    /// # Errors
    /// What is wrong with them there; the message names the option that mends it.
    pub fn new(settings: &StallsSettings, geometry: Geometry) -> Result<StallsPlan, PlanError> {
        StallsPlan::over(settings, settings.range.on(&geometry), geometry)
    }

    /// The same over these bytes of the drive: the first, and the one past the last.
    ///
    /// # Errors
    /// Those of [`StallsPlan::new`].
    pub fn over(
        settings: &StallsSettings,
        range: ByteRange,
        geometry: Geometry,
    ) -> Result<StallsPlan, PlanError> {
        check(settings, range, geometry)?;
        let sectors = u32::try_from(settings.block_bytes / SECTOR_BYTES).unwrap_or(u32::MAX);
        let length = range.length();
        let span = Span::new(Sector::new(range.start.whole_sectors()), length, SectorCount::new(sectors))?;
        check_places(settings, span.blocks())?;
        let is_endless = settings.bytes.is_none() && settings.duration_ns.is_none();
        let on_drive = StreamOnDrive {
            logical_block_bytes: geometry.logical_block,
            range_bytes: [range.start.get(), range.end.get()],
            bytes: if is_endless { Some(span.bytes().get() * ROUNDS) } else { settings.bytes },
        };
        let asked = StallsSettings { on_drive: Some(on_drive), ..settings.clone() };
        Ok(StallsPlan { asked, on_drive, span, verification: OnceLock::new() })
    }

    /// What was written, and what of it was read back.
    pub fn verification(&self) -> &SharedVerification {
        let nothing_yet = || SharedVerification::new(Verification::new(Ledger::new(self.span)));
        self.verification.get_or_init(nothing_yet)
    }

    /// What tells the blocks of this stream from those of every other.
    pub fn run(&self) -> RunId {
        RunId(self.asked.stream.0)
    }

    /// Bytes of a block.
    pub fn block(&self) -> ByteCount {
        ByteCount::new(self.asked.block_bytes)
    }

    /// Bytes to write, in whole blocks; none where only the time ends it.
    pub(super) fn bytes(&self) -> Option<ByteCount> {
        self.blocks().map(|blocks| ByteCount::new(blocks * self.asked.block_bytes))
    }

    /// Whether reads follow the writes half a round behind.
    pub(super) fn reads_behind(&self) -> bool {
        self.asked.verify == ReadBack::Continuous
    }

    /// The phase of writing.
    pub fn writing(&self) -> PhasePlan {
        let ops = OpSet::EMPTY.with(Op::Write);
        PhasePlan {
            name: WRITING.to_owned(),
            loop_kind: if self.asked.rate_bytes_s.is_some() { LoopKind::Open } else { LoopKind::Closed },
            limits: Limits {
                queue_depth: self.asked.queue_depth,
                max_transfer: self.block(),
                ops: if self.reads_behind() { ops.with(Op::Read) } else { ops },
            },
            stop: StopRule { duration: self.asked.duration_ns.map(Nanos::new), bytes: None },
        }
    }

    /// The phase of reading back.
    pub fn reading(&self) -> PhasePlan {
        read_back_phase(self.block(), READ_BACK_DEPTH)
    }

    /// How many blocks are written; none where only the time ends it.
    pub(super) fn blocks(&self) -> Option<u64> {
        self.on_drive.bytes.map(|bytes| bytes / self.asked.block_bytes.max(1))
    }
}

fn check(settings: &StallsSettings, range: ByteRange, geometry: Geometry) -> Result<(), PlanError> {
    let (asked, logical) = (settings.block_bytes, geometry.logical_block);
    if asked == 0 || !asked.is_multiple_of(u64::from(logical)) || asked > BLOCK_MAX {
        return Err(PlanError(format!(
            "--block-size {asked} has to be a multiple of the target's logical block of {logical} bytes, at most 64MiB"
        )));
    }
    check_range(range, &geometry, u64::from(logical))?;
    if !(1..=256).contains(&settings.queue_depth) {
        return Err(PlanError(format!("--queue-depth {} is not between 1 and 256", settings.queue_depth)));
    }
    if settings.rate_bytes_s.is_some_and(|rate| !(rate > 0.0 && rate <= 1e12)) {
        return Err(PlanError("--rate must be above 0 and at most 1,000,000 MB/s".to_owned()));
    }
    match settings.bytes.filter(|bytes| *bytes < asked) {
        Some(bytes) => Err(PlanError(format!(
            "--bytes {bytes} is less than one block of {asked} bytes: give at least one"
        ))),
        None => Ok(()),
    }
}

/// Checks that one round can be told from the next, and that all blocks can be kept in memory.
fn check_places(settings: &StallsSettings, blocks: u64) -> Result<(), PlanError> {
    let needed = PLACES_PER_DEPTH * u64::from(settings.queue_depth);
    match blocks {
        _ if blocks < needed => Err(PlanError(format!(
            "the range holds {blocks} blocks, fewer than {needed}: use a smaller --block-size, a larger --range or a lower \
             --queue-depth"
        ))),
        _ if blocks > PLACES_MAX => Err(PlanError(format!(
            "the range holds {blocks} blocks, more than {PLACES_MAX}: use a larger --block-size or a smaller --range"
        ))),
        _ => Ok(()),
    }
}
