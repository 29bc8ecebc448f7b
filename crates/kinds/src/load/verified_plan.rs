//! A load that verifies what it writes.

use std::sync::OnceLock;

use drivelab_block::{Geometry, Limits, Op, OpSet};
use drivelab_method::{LoadPlan, Pace, PhasePlan, StopRule};
use drivelab_stats::LoopKind;
use drivelab_workload::verify::{Ledger, RunId, SharedVerification, Verification};
use drivelab_workload::{Schedule, Span};

use super::{LoadVerification, VerifiedWrites};
use crate::PlanError;
use crate::read_back::{ReadBack, StreamOnDrive, longest_read};

/// The most blocks: what is known of each takes 8 bytes, and 4 more where it is read back continuously. Of a range that holds
/// more of them, blocks are used that are spread over it.
const BLOCKS_MAX: u64 = 1 << 27;
/// The least number of blocks for each write in flight: no two in flight go to one block, and which one is next is to be
/// drawn nearly as freely as without that.
const BLOCKS_PER_WRITE: u64 = 4;

/// How a load verifies what it writes.
#[derive(Clone, Debug)]
pub struct VerifiedPlan {
    /// What is asked.
    pub(super) asked: LoadVerification,
    /// What that means on the drive.
    pub(super) on_drive: StreamOnDrive,
    span: Span,
    /// Made when it is first asked for: it takes 8 bytes for each block.
    verification: OnceLock<SharedVerification>,
}

impl VerifiedPlan {
    /// What is asked of a load, on a drive of this geometry.
    ///
    /// # Errors
    /// Where the range has too few blocks; the message names the options that mend it.
    pub(super) fn new(
        asked: &LoadVerification,
        load: &LoadPlan,
        geometry: &Geometry,
    ) -> Result<VerifiedPlan, PlanError> {
        let span = load.span().map_err(PlanError::new)?.thinned(BLOCKS_MAX);
        let blocks = span.blocks();
        let needed = BLOCKS_PER_WRITE * u64::from(load.queue_depth) * u64::from(load.workers);
        if blocks < needed {
            return Err(PlanError(format!(
                "--verify: the range holds {blocks} blocks, fewer than {needed}: use a larger --range, or less of --block-size, \
                 --queue-depth or --threads"
            )));
        }
        let on_drive = StreamOnDrive {
            logical_block_bytes: geometry.logical_block,
            range_bytes: [load.range.start.get(), load.range.end.get()],
            bytes: load.stop.bytes.map(drivelab_block::ByteCount::get),
        };
        Ok(VerifiedPlan { asked: asked.clone(), on_drive, span, verification: OnceLock::new() })
    }

    /// Which of the blocks of the range are used: 1 for each, 2 for every second one.
    pub(super) fn every(&self) -> u64 {
        self.span.step()
    }

    /// What was written, and what of it was read back.
    pub fn verification(&self) -> &SharedVerification {
        let nothing_yet = || SharedVerification::new(Verification::new(self.ledger()));
        self.verification.get_or_init(nothing_yet)
    }

    /// The blocks, of which nothing is written yet.
    pub(super) fn ledger(&self) -> Ledger {
        Ledger::of_places(self.span)
    }

    /// What tells the blocks of this load from those of every other.
    pub(super) fn run(&self) -> RunId {
        RunId(self.asked.blocks.0)
    }

    /// The phase of writing: that of the load, with the reads and the flushes that are added.
    pub(super) fn writing(&self, load: PhasePlan) -> PhasePlan {
        let reads = self.asked.read_back == ReadBack::Continuous;
        let more = [(reads, Op::Read), (self.asked.flush_every.is_some(), Op::Flush)];
        let ops = more
            .into_iter()
            .filter(|(is_asked, _)| *is_asked)
            .fold(load.limits.ops, |ops, (_, op)| ops.with(op));
        PhasePlan { limits: Limits { ops, ..load.limits }, ..load }
    }

    /// The phase of reading back, with as many reads in flight as the load has writes. A read has several blocks.
    pub(super) fn reading(load: &PhasePlan) -> PhasePlan {
        let max_transfer = longest_read(load.limits.max_transfer, load.limits.queue_depth);
        PhasePlan {
            name: "read back".to_owned(),
            loop_kind: LoopKind::Closed,
            limits: Limits { max_transfer, ops: OpSet::EMPTY.with(Op::Read), ..load.limits },
            stop: StopRule::default(),
        }
    }

    /// The writes of each of `engines` engines, which have a part of the range each. Where an engine serves several threads,
    /// it has the writes of all of them in flight.
    pub fn workloads(&self, load: &LoadPlan, engines: u16) -> Vec<VerifiedWrites> {
        let engines = engines.max(1);
        let in_flight = load.queue_depth * u32::from(load.workers.div_ceil(engines).max(1));
        let workload = |engine: u16| {
            let seed = load.seed.numbered(u64::from(engine));
            let schedule = match load.pace {
                Pace::Closed => None,
                Pace::Open { rate, arrivals } => {
                    Some(Schedule::shared(arrivals, rate, engine, engines, seed))
                }
            };
            let writes = VerifiedWrites::new(self.verification(), self.span.part(engine, engines), seed);
            let writes = writes.on_schedule(schedule).with_in_flight(in_flight);
            let writes = writes.flushing_every(self.asked.flush_every);
            if self.asked.read_back == ReadBack::Continuous { writes.reading_behind() } else { writes }
        };
        (0..engines).map(workload).collect()
    }
}
