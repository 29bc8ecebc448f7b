//! Stalls: can this drive record a stream?
//!
//! Blocks of one size are written one after the other, round and round a range, at full speed or at a rate of their own,
//! and read back: some way behind the writing, or when it is over. What every place has to hold is known from the
//! completions ([`drivelab_verify::Ledger`]).

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use drivelab_analysis::LoopKind;
use drivelab_block::{
    ByteCount, Completion, Extent, Geometry, Instant, Limits, Nanos, Op, OpSet, SECTOR_BYTES, Sector,
    SectorCount,
};
use drivelab_verify::{Expected, SharedVerification};
use drivelab_workload::{Ask, EmptySpan, Next, Span, Workload};

use crate::{PhasePlan, StopRule};

/// Reads in flight when a stream is read back after its end.
const READ_BACK_DEPTH: u32 = 4;
/// The most places of a stream: what is known of them takes 12 bytes each.
const PLACES_MAX: u64 = 1 << 27;
/// The least number of blocks: writes to one place have to be well apart.
const PLACES_PER_DEPTH: u64 = 4;
/// The longest block.
const BLOCK_MAX: u64 = 64 << 20;

/// When what was written is read back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadBack {
    /// Never.
    No,
    /// When all is written: the writing is not disturbed.
    End,
    /// Half a round behind the writing, and the rest at the end.
    Continuous,
}

/// What is asked of a drive.
#[derive(Clone, Debug, PartialEq)]
pub struct StallsPlan {
    /// Bytes of a block.
    pub block_size: ByteCount,
    /// The part of the drive that is written; first byte and one past the last.
    pub range: (ByteCount, ByteCount),
    /// Bytes to write, in whole blocks.
    pub bytes: Option<ByteCount>,
    /// How long to write.
    pub duration: Option<Nanos>,
    /// Bytes a second; as fast as the drive goes where there is none.
    pub rate: Option<f64>,
    /// Writes in flight.
    pub queue_depth: u32,
    /// When it is read back.
    pub read_back: ReadBack,
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
    /// The range goes beyond the drive.
    #[error("--range ends at byte {end}, the target has {capacity}")]
    Range {
        /// The end asked.
        end: u64,
        /// The drive's size.
        capacity: u64,
    },
    /// The range does not begin with a block.
    #[error(
        "--range begins at byte {start}, which is not a multiple of the target's logical block of {logical} bytes"
    )]
    RangeStart {
        /// The start asked.
        start: u64,
        /// The drive's logical block.
        logical: u32,
    },
    /// Nothing fits.
    #[error(transparent)]
    Empty(#[from] EmptySpan),
    /// Too few blocks to tell one round from the next.
    #[error(
        "the range holds {blocks} blocks, fewer than {needed}: use a smaller --block-size, a larger --range or a lower --queue-depth"
    )]
    TooFew {
        /// Blocks of the range.
        blocks: u64,
        /// Blocks that are needed.
        needed: u64,
    },
    /// More blocks than can be kept in mind.
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
    /// Checks the plan against a drive; returns the blocks that are written.
    ///
    /// # Errors
    /// [`StallsError`] names the flag that mends the plan.
    pub fn check(&self, geometry: &Geometry) -> Result<Span, StallsError> {
        let (asked, logical) = (self.block_size.get(), geometry.logical_block);
        if asked == 0 || !asked.is_multiple_of(u64::from(logical)) || asked > BLOCK_MAX {
            return Err(StallsError::Block { asked, logical });
        }
        let (start, end) = (self.range.0.get(), self.range.1.get());
        if end > geometry.capacity.get() {
            return Err(StallsError::Range { end, capacity: geometry.capacity.get() });
        }
        if !start.is_multiple_of(u64::from(logical)) {
            return Err(StallsError::RangeStart { start, logical });
        }
        if !(1..=256).contains(&self.queue_depth) {
            return Err(StallsError::Depth(self.queue_depth));
        }
        if self.rate.is_some_and(|rate| !(rate > 0.0 && rate <= 1e12)) {
            return Err(StallsError::Rate);
        }
        if let Some(bytes) = self.bytes.filter(|bytes| bytes.get() < asked) {
            return Err(StallsError::Bytes { asked: bytes.get(), block: asked });
        }
        let sectors = u32::try_from(asked / SECTOR_BYTES).unwrap_or(u32::MAX);
        let length = ByteCount::new(end.saturating_sub(start));
        let span = Span::new(Sector::new(self.range.0.whole_sectors()), length, SectorCount::new(sectors))?;
        self.check_places(span.blocks())?;
        Ok(span)
    }

    fn check_places(&self, blocks: u64) -> Result<(), StallsError> {
        let needed = PLACES_PER_DEPTH * u64::from(self.queue_depth);
        match blocks {
            _ if blocks < needed => Err(StallsError::TooFew { blocks, needed }),
            _ if blocks > PLACES_MAX => Err(StallsError::TooMany { blocks }),
            _ => Ok(()),
        }
    }

    /// The phase of writing.
    pub fn writing(&self) -> PhasePlan {
        let ops = OpSet::EMPTY.with(Op::Write);
        let reads = self.read_back == ReadBack::Continuous;
        PhasePlan {
            name: "stream write".to_owned(),
            loop_kind: if self.rate.is_some() { LoopKind::Open } else { LoopKind::Closed },
            limits: Limits {
                queue_depth: self.queue_depth,
                max_transfer: self.block_size,
                ops: if reads { ops.with(Op::Read) } else { ops },
            },
            stop: StopRule { duration: self.duration, bytes: None },
        }
    }

    /// The phase of reading back.
    pub fn reading(&self) -> PhasePlan {
        PhasePlan {
            name: "read back".to_owned(),
            loop_kind: LoopKind::Closed,
            limits: Limits {
                queue_depth: READ_BACK_DEPTH,
                max_transfer: self.block_size,
                ops: OpSet::EMPTY.with(Op::Read),
            },
            stop: StopRule::default(),
        }
    }

    /// How many blocks are written; none where only the time ends it.
    pub fn blocks(&self) -> Option<u64> {
        self.bytes.map(|bytes| bytes.get() / self.block_size.get().max(1))
    }
}

/// Writes round and round a range; reads half a round behind where that is asked for.
#[derive(Debug)]
pub struct CyclicWrites {
    verification: SharedVerification,
    span: Span,
    /// Nanoseconds from one block to the next, on a schedule.
    interval: Option<f64>,
    blocks: u64,
    /// The number of the next write.
    next: u64,
    /// How far reads are behind, and the number of the next write that is read back.
    behind: Option<(u64, u64)>,
    reads_next: bool,
    suspicion: Suspicion,
}

/// Counts writes that may be delays while the stream goes on: what a delay is turns out when all writes are known.
#[derive(Debug, Default)]
struct Suspicion {
    seen: u64,
    /// The mean completion time so far, in nanoseconds.
    mean: f64,
    count: Arc<AtomicU64>,
}

impl Suspicion {
    /// Writes that are enough to know what is usual.
    const ENOUGH: u64 = 20;
    /// How many times the mean is suspicious.
    const TIMES: f64 = 4.0;

    fn note(&mut self, completions: &[Completion]) {
        for completion in completions.iter().filter(|completion| completion.op == Op::Write) {
            let took = completion.service().get() as f64;
            if self.seen >= Self::ENOUGH && took > Self::TIMES * self.mean {
                self.count.fetch_add(1, Ordering::Relaxed);
            }
            self.seen += 1;
            self.mean += (took - self.mean) / self.seen as f64;
        }
    }
}

impl CyclicWrites {
    /// The writes of a plan over the blocks of `verification`'s ledger.
    pub fn new(plan: &StallsPlan, verification: SharedVerification) -> CyclicWrites {
        let span = *verification.get().ledger().span();
        CyclicWrites {
            verification,
            span,
            interval: plan.rate.map(|rate| plan.block_size.get() as f64 / rate * 1e9),
            blocks: plan.blocks().unwrap_or(u64::MAX),
            next: 0,
            behind: (plan.read_back == ReadBack::Continuous).then_some((span.blocks() / 2, 0)),
            reads_next: false,
            suspicion: Suspicion::default(),
        }
    }

    /// Counts writes that may be delays for somebody who looks at the drive then.
    #[must_use]
    pub fn counting_suspicions(mut self, count: Arc<AtomicU64>) -> CyclicWrites {
        self.suspicion.count = count;
        self
    }

    fn extent(&self, number: u64) -> Extent {
        Extent { start: self.span.sector_of(number % self.span.blocks()), length: self.span.block() }
    }

    fn write(&mut self) -> Next {
        if self.next == self.blocks {
            return Next::End;
        }
        let extent = self.extent(self.next);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a time from the start, above 0"
        )]
        let due = self.interval.map(|interval| Nanos::new((self.next as f64 * interval) as u64));
        self.next += 1;
        self.reads_next = self.behind.is_some();
        Next::Ask(Ask { due, op: Op::Write, extent })
    }

    /// The read that follows a write; none as long as the writing is not far enough ahead.
    fn read(&mut self) -> Option<Next> {
        let (lag, number) = self.behind?;
        if number + lag >= self.next {
            return None;
        }
        let place = number % self.span.blocks();
        match self.verification.get().ledger().expected(place) {
            Expected::Write(found) if found == number => {}
            // A write that failed left nothing to be read; one that is not answered yet is waited for.
            Expected::Unknown => {
                self.behind = Some((lag, number + 1));
                return None;
            }
            _ => return Some(Next::AfterAnswer),
        }
        self.behind = Some((lag, number + 1));
        self.reads_next = false;
        Some(Next::Ask(Ask { due: None, op: Op::Read, extent: self.extent(number) }))
    }
}

impl Workload for CyclicWrites {
    fn next_ask(&mut self) -> Next {
        let read = if self.reads_next { self.read() } else { None };
        read.unwrap_or_else(|| self.write())
    }

    fn answered(&mut self, completions: &[Completion], _: Instant) {
        if !completions.is_empty() {
            self.verification.get().ledger_mut().note(completions);
            self.suspicion.note(completions);
        }
    }
}

/// Reads what was written and not read back since.
#[derive(Debug)]
pub struct ReadEach {
    span: Span,
    places: std::vec::IntoIter<u64>,
}

impl ReadEach {
    /// The reads that are left to be made for a verification.
    pub fn new(verification: &SharedVerification) -> ReadEach {
        let verification = verification.get();
        let places: Vec<u64> = verification.ledger().unread().collect();
        ReadEach { span: *verification.ledger().span(), places: places.into_iter() }
    }

    /// Bytes that are left to be read.
    pub fn bytes(&self) -> ByteCount {
        ByteCount::new(self.places.len() as u64 * self.span.block().bytes().get())
    }
}

impl Workload for ReadEach {
    fn next_ask(&mut self) -> Next {
        let Some(place) = self.places.next() else { return Next::End };
        let extent = Extent { start: self.span.sector_of(place), length: self.span.block() };
        Next::Ask(Ask { due: None, op: Op::Read, extent })
    }
}
