//! What a stream does to a drive.

use std::sync::OnceLock;

use drivelab_block::{
    ByteCount, ByteRange, Geometry, Limits, Nanos, Op, OpSet, SECTOR_BYTES, Sector, SectorCount,
};
use drivelab_method::{PhasePlan, StopRule, check_range};
use drivelab_stats::LoopKind;
use drivelab_workload::Span;
use drivelab_workload::verify::{Ledger, RunId, SharedVerification, Verification};

use super::StallsSettings;
use crate::PlanError;
use crate::read_back::{ReadBack, StreamOnDrive, longest_read};

/// The name of the phase of writing.
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
    on_drive: StreamOnDrive,
    span: Span,
    /// Made when it is first asked for: it takes 12 bytes for each block.
    verification: OnceLock<SharedVerification>,
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
        let span = Span::new(Sector::new(range.start.whole_sectors()), length, SectorCount::new(sectors))
            .map_err(PlanError::new)?;
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

    /// What that means on the drive.
    pub fn on_drive(&self) -> StreamOnDrive {
        self.on_drive
    }

    /// The blocks that are written.
    pub fn span(&self) -> Span {
        self.span
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
    pub fn bytes(&self) -> Option<ByteCount> {
        self.blocks().map(|blocks| ByteCount::new(blocks * self.asked.block_bytes))
    }

    /// Nanoseconds from one block to the next, on a schedule.
    pub(super) fn interval_ns(&self) -> Option<f64> {
        self.asked.rate_bytes_s.map(|rate| self.asked.block_bytes as f64 / rate * 1e9)
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
        PhasePlan {
            name: "read back".to_owned(),
            loop_kind: LoopKind::Closed,
            limits: Limits {
                queue_depth: READ_BACK_DEPTH,
                max_transfer: longest_read(self.block(), READ_BACK_DEPTH),
                ops: OpSet::EMPTY.with(Op::Read),
            },
            stop: StopRule::default(),
        }
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
    check_range(range, &geometry, u64::from(logical)).map_err(PlanError::new)?;
    if !(1..=256).contains(&settings.queue_depth) {
        return Err(PlanError(format!("--queue-depth {} is not between 1 and 256", settings.queue_depth)));
    }
    if settings.rate_bytes_s.is_some_and(|rate| !(rate > 0.0 && rate <= 1e12)) {
        return Err(PlanError::new("--rate must be above 0 and at most 1,000,000 MB/s"));
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
