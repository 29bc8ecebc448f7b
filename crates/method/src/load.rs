//! A plain load: one workload, one phase. What everything else is built from.

use drivelab_block::{ByteCount, ByteRange, Geometry, Limits, Op, OpSet, SECTOR_BYTES, Sector, SectorCount};
use drivelab_stats::LoopKind;
use drivelab_workload::{Arrivals, Mix, Order, Paced, PlanError, Schedule, Seed, Span, Synthetic};

use crate::{PhasePlan, StopRule};

/// The most requests in flight for one worker: what a ring holds.
pub(crate) const DEPTH_MAX: u32 = 32_768;
const WORKERS_MAX: u16 = 1_024;
/// The most requests in flight for all workers.
const OUTSTANDING_MAX: u64 = 1 << 20;
/// The most memory for the buffers of all requests in flight.
pub(crate) const BUFFER_BYTES_MAX: u64 = 16 << 30;

/// How a load is timed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pace {
    /// As fast as the drive answers, with a fixed number in flight.
    Closed,
    /// On an absolute schedule of this many I/Os a second, all workers together.
    Open {
        /// I/Os a second, above zero.
        rate: f64,
        /// How they are spaced.
        arrivals: Arrivals,
    },
}

/// What is asked, of which part of the drive.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadPlan {
    /// What a reader calls the phase.
    pub name: String,
    /// The order of addresses.
    pub order: Order,
    /// Reads, writes, or both.
    pub mix: Mix,
    /// The block size in bytes.
    pub block_size: ByteCount,
    /// The part of the drive, in bytes from its start: first and one past the last.
    pub range: ByteRange,
    /// Requests in flight, for each worker.
    pub queue_depth: u32,
    /// Workers.
    pub workers: u16,
    /// Closed or open loop.
    pub pace: Pace,
    /// When it ends.
    pub stop: StopRule,
    /// The seed of the load.
    pub seed: Seed,
}

/// The highest rate of an open loop, in I/Os a second.
pub const RATE_MAX: u32 = 100_000_000;

impl LoadPlan {
    /// Checks the plan against a drive, and says what it asks of each worker's engine. `outstanding_in_one`
    /// is set where one engine stands for all workers.
    ///
    /// # Errors
    /// The message names the flag that mends the plan.
    pub fn phase(&self, geometry: &Geometry, outstanding_in_one: bool) -> Result<PhasePlan, PlanError> {
        self.check(geometry)?;
        let depth =
            if outstanding_in_one { self.queue_depth * u32::from(self.workers) } else { self.queue_depth };
        Ok(PhasePlan {
            name: self.name.clone(),
            loop_kind: if self.pace == Pace::Closed { LoopKind::Closed } else { LoopKind::Open },
            limits: Limits { queue_depth: depth, max_transfer: self.block_size, ops: self.ops() },
            stop: self.stop,
        })
    }

    fn check(&self, geometry: &Geometry) -> Result<(), PlanError> {
        let (asked, logical) = (self.block_size.get(), geometry.logical_block);
        if asked == 0 {
            return refuse(format!(
                "--block-size must be above 0: give a multiple of the target's logical block of {logical} bytes"
            ));
        }
        if !asked.is_multiple_of(u64::from(logical)) {
            return refuse(format!(
                "--block-size {asked} is not a multiple of the target's logical block of {logical} bytes"
            ));
        }
        if asked > 1 << 30 {
            return refuse(format!("--block-size {asked} is more than 1 GiB"));
        }
        check_range(self.range, geometry, u64::from(logical))?;
        self.check_amounts()?;
        match self.pace {
            Pace::Open { rate, .. } if !(rate > 0.0 && rate <= f64::from(RATE_MAX)) => {
                refuse("--rate must be above 0 and at most 100 million I/Os a second".to_owned())
            }
            _ => self.span().map(drop),
        }
    }

    fn check_amounts(&self) -> Result<(), PlanError> {
        let (depth, workers, block) = (self.queue_depth, self.workers, self.block_size.get());
        if !(1..=DEPTH_MAX).contains(&depth) {
            return refuse(format!("--queue-depth {depth} is not between 1 and {DEPTH_MAX}"));
        }
        if !(1..=WORKERS_MAX).contains(&workers) {
            return refuse(format!("--threads {workers} is not between 1 and {WORKERS_MAX}"));
        }
        let outstanding = u64::from(depth) * u64::from(workers);
        if outstanding > OUTSTANDING_MAX {
            return refuse(format!(
                "--queue-depth x --threads is {outstanding}, over {OUTSTANDING_MAX} requests in flight: use less of one of them"
            ));
        }
        let buffers = outstanding.saturating_mul(block);
        if buffers > BUFFER_BYTES_MAX {
            let buffers = ByteCount::new(buffers);
            return refuse(format!(
                "--queue-depth x --block-size x --threads is {buffers}, over 16 GiB of buffers: use less of one of them"
            ));
        }
        match self.stop.bytes.map(ByteCount::get) {
            Some(0) => refuse("--bytes must be above 0".to_owned()),
            Some(asked) if asked < block => refuse(format!(
                "--bytes {asked} is less than one block of --block-size {block}: give at least one"
            )),
            _ => Ok(()),
        }
    }

    /// The bytes after which a load ends that is to move a number of them: whole blocks, for each of `engines`
    /// engines as many.
    pub fn whole_bytes(&self, engines: u16) -> Option<ByteCount> {
        let share = self.stop.share(engines).bytes?.get().next_multiple_of(self.block_size.get());
        Some(ByteCount::new(share * u64::from(engines.max(1))))
    }

    fn ops(&self) -> OpSet {
        match self.mix {
            Mix::Only(op) => OpSet::EMPTY.with(op),
            Mix::ReadPercent(0) => OpSet::EMPTY.with(Op::Write),
            Mix::ReadPercent(100..) => OpSet::EMPTY.with(Op::Read),
            Mix::ReadPercent(_) => OpSet::EMPTY.with(Op::Read).with(Op::Write),
        }
    }

    /// The blocks that the load touches.
    ///
    /// # Errors
    /// Where not one block fits into the range.
    pub fn span(&self) -> Result<Span, PlanError> {
        let start = Sector::new(self.range.start.whole_sectors());
        let sectors = u32::try_from(self.block_size.get() / SECTOR_BYTES).unwrap_or(u32::MAX);
        Span::new(start, self.range.length(), SectorCount::new(sectors))
    }

    /// What the load moves before its addresses come to their end; the length of its range where they do not.
    ///
    /// # Errors
    /// Where not one block fits into the range.
    pub fn ends_after(&self) -> Result<ByteCount, PlanError> {
        let span = self.span()?;
        let blocks = self.order.ends_after(span.blocks()).unwrap_or(span.blocks());
        Ok(ByteCount::new(blocks.saturating_mul(span.block().bytes().get())))
    }

    /// The workload of each of `engines` engines: sequential ones get a part of the range each.
    ///
    /// # Errors
    /// Where not one block fits into the range.
    pub fn workloads(&self, engines: u16) -> Result<Vec<Paced<Synthetic>>, PlanError> {
        let span = self.span()?;
        Ok((0..engines).map(|engine| self.workload(span, engine, engines)).collect())
    }

    fn workload(&self, span: Span, engine: u16, engines: u16) -> Paced<Synthetic> {
        let seed = self.seed.numbered(u64::from(engine));
        let span = if self.order == Order::Uniform { span } else { span.part(engine, engines) };
        Paced::new(Synthetic::new(span, self.order, self.mix, seed), self.schedule(engine, engines, seed))
    }

    /// When the requests of one of `engines` engines are due; none in a closed loop.
    pub fn schedule(&self, engine: u16, engines: u16, seed: Seed) -> Option<Schedule> {
        match self.pace {
            Pace::Closed => None,
            Pace::Open { rate, arrivals } => Some(Schedule::shared(arrivals, rate, engine, engines, seed)),
        }
    }
}

/// Checks which bytes of a target may be used, the first one and the one past the last: the range has to lie on it, on boundaries
/// of its blocks of this size in bytes.
///
/// # Errors
/// What is wrong with `--range`, and what to write instead.
pub fn check_range(range: ByteRange, target: &Geometry, block: u64) -> Result<(), PlanError> {
    let (start, end, capacity) = (range.start.get(), range.end.get(), target.capacity.get());
    if end > capacity {
        return refuse(format!(
            "--range ends at byte {end}, and the target has {capacity}: write an end of at most 100%"
        ));
    }
    // A target without a whole block has no range at all: its loads say so.
    if end <= start && end > 0 {
        return refuse(format!(
            "--range ends at byte {end}, where it begins or before: write START-END, such as 50%-75%"
        ));
    }
    if !start.is_multiple_of(block) {
        let whole = start / block * block;
        return refuse(format!(
            "--range begins at byte {start}: write a multiple of {block}, such as {whole}B"
        ));
    }
    Ok(())
}

fn refuse(because: String) -> Result<(), PlanError> {
    Err(PlanError(because))
}
