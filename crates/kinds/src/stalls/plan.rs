//! What a stream does to a drive.

use std::sync::OnceLock;

use drivelab_block::{
    ByteCount, ByteRange, Geometry, Limits, Nanos, Op, OpSet, SECTOR_BYTES, Sector, SectorCount,
};
use drivelab_method::{PhasePlan, RangeError, StopRule, check_range};
use drivelab_stats::LoopKind;
use drivelab_workload::verify::{Ledger, RunId, SharedVerification, Verification};
use drivelab_workload::{EmptySpan, Span};

use super::StallsSettings;
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

/// What is wrong with a plan; each names the flag that mends it.
#[derive(Debug, thiserror::Error)]
pub enum StallsError {
    /// The block does not suit the drive.
    #[error(
        "--block-size {asked} has to be a multiple of the target's logical block of {logical} bytes, at most 64MiB"
    )]
    Block {
        /// Bytes asked.
        asked: u64,
        /// The drive's logical block.
        logical: u32,
    },
    /// The range does not lie on the drive.
    #[error(transparent)]
    Range(#[from] RangeError),
    /// Nothing fits.
    #[error(transparent)]
    Empty(#[from] EmptySpan),
    /// Too few blocks to tell one round from the next.
    #[error(
        "the range holds {blocks} blocks, fewer than {needed}: use a smaller --block-size, a larger --range or a lower \
         --queue-depth"
    )]
    TooFew {
        /// Blocks of the range.
        blocks: u64,
        /// Blocks that are needed.
        needed: u64,
    },
    /// More blocks than can be kept in memory.
    #[error(
        "the range holds {blocks} blocks, more than {PLACES_MAX}: use a larger --block-size or a smaller --range"
    )]
    TooMany {
        /// Blocks of the range.
        blocks: u64,
    },
    /// No or too many writes in flight.
    #[error("--queue-depth {0} is not between 1 and 256")]
    Depth(u32),
    /// The rate is no rate.
    #[error("--rate must be above 0 and at most 1,000,000 MB/s")]
    Rate,
    /// Less than one block is to be written.
    #[error("--bytes {asked} is less than one block of {block} bytes: give at least one")]
    Bytes {
        /// Bytes asked.
        asked: u64,
        /// Bytes of a block.
        block: u64,
    },
}

impl StallsPlan {
    /// What these settings mean for a drive; without an end, the range is written four times.
    ///
    /// # Errors
    /// [`StallsError`] names the flag that mends the plan.
    pub fn new(settings: &StallsSettings, geometry: Geometry) -> Result<StallsPlan, StallsError> {
        StallsPlan::over(settings, settings.range.on(&geometry), geometry)
    }

    /// The same over these bytes of the drive: the first, and the one past the last.
    ///
    /// # Errors
    /// [`StallsError`] names the flag that mends the plan.
    pub fn over(
        settings: &StallsSettings,
        range: ByteRange,
        geometry: Geometry,
    ) -> Result<StallsPlan, StallsError> {
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
        let longest = longest_read(self.block(), READ_BACK_DEPTH);
        PhasePlan::closed("read back", READ_BACK_DEPTH, longest, OpSet::EMPTY.with(Op::Read))
    }

    /// How many blocks are written; none where only the time ends it.
    pub(super) fn blocks(&self) -> Option<u64> {
        self.on_drive.bytes.map(|bytes| bytes / self.asked.block_bytes.max(1))
    }
}

fn check(settings: &StallsSettings, range: ByteRange, geometry: Geometry) -> Result<(), StallsError> {
    let (asked, logical) = (settings.block_bytes, geometry.logical_block);
    if asked == 0 || !asked.is_multiple_of(u64::from(logical)) || asked > BLOCK_MAX {
        return Err(StallsError::Block { asked, logical });
    }
    check_range(range, &geometry, u64::from(logical))?;
    if !(1..=256).contains(&settings.queue_depth) {
        return Err(StallsError::Depth(settings.queue_depth));
    }
    if settings.rate_bytes_s.is_some_and(|rate| !(rate > 0.0 && rate <= 1e12)) {
        return Err(StallsError::Rate);
    }
    match settings.bytes.filter(|bytes| *bytes < asked) {
        Some(bytes) => Err(StallsError::Bytes { asked: bytes, block: asked }),
        None => Ok(()),
    }
}

fn check_places(settings: &StallsSettings, blocks: u64) -> Result<(), StallsError> {
    let needed = PLACES_PER_DEPTH * u64::from(settings.queue_depth);
    match blocks {
        _ if blocks < needed => Err(StallsError::TooFew { blocks, needed }),
        _ if blocks > PLACES_MAX => Err(StallsError::TooMany { blocks }),
        _ => Ok(()),
    }
}
