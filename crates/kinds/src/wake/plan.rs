//! The phases of a test of waking up.

use drivelab_block::{ByteCount, ByteRange, Geometry, Nanos, Op};
use drivelab_method::{LoadPlan, Pace, StopRule};
use drivelab_workload::{Mix, Order, Seed};

use super::WakeSettings;
use super::settings::READ;
use crate::PlanError;

/// The phase that the figures are taken from.
pub(super) const MEASURED: &str = "reads after rests";
/// What is written after the blocks that are read: more than a write buffer holds.
const PUSHED_OUT: u64 = 256 << 20;
/// The longest rest.
const REST_MAX: Nanos = Nanos::from_secs(3600);

/// Reads after rests on a drive of a given geometry.
#[derive(Clone, Debug)]
pub struct WakePlan {
    /// Size and block sizes of the drive.
    pub(super) geometry: Geometry,
    range: ByteRange,
    /// One for each read, in their order.
    rests: Vec<Nanos>,
    /// How many lengths the rests have.
    lengths: usize,
    /// Reads after each of these.
    runs: u16,
    seed: Seed,
}

impl WakePlan {
    /// What these settings mean on a drive of this geometry.
    ///
    /// # Errors
    /// Where they make no sense there; the message says what to type instead.
    pub(super) fn new(
        settings: &WakeSettings,
        geometry: Geometry,
        seed: Seed,
    ) -> Result<WakePlan, PlanError> {
        if let Some(rest) = settings.rests_ns.iter().find(|rest| **rest > REST_MAX.get()) {
            let seconds = Nanos::new(*rest).as_secs_f64();
            return Err(PlanError(format!("--rests has {seconds} s: a rest lasts an hour at most, 1h")));
        }
        let each = settings.rests_ns.iter().copied().map(Nanos::new);
        let mut rests: Vec<Nanos> = each.flat_map(|rest| vec![rest; usize::from(settings.runs)]).collect();
        // In random order: what drifts meanwhile is no matter of one rest.
        seed.child("order").draw().shuffle(&mut rests);
        let lengths = settings.rests_ns.len();
        let plan = WakePlan {
            geometry,
            range: settings.range.on(&geometry),
            rests,
            lengths,
            runs: settings.runs,
            seed,
        };
        plan.reads().phase(&geometry, true).map_err(PlanError::new)?;
        Ok(plan)
    }

    fn block(&self) -> u64 {
        READ.max(u64::from(self.geometry.logical_block))
    }

    /// The rests, in the order of their reads.
    pub(super) fn rests(&self) -> &[Nanos] {
        &self.rests
    }

    /// How many lengths the rests have.
    pub(super) fn lengths(&self) -> usize {
        self.lengths
    }

    /// How many reads follow rests of each length.
    pub(super) fn runs(&self) -> u64 {
        self.runs.into()
    }

    /// How long all rests last.
    pub fn rested(&self) -> Nanos {
        self.rests.iter().fold(Nanos::ZERO, |all, rest| all + *rest)
    }

    /// Random reads of single blocks.
    pub(super) fn reads(&self) -> LoadPlan {
        LoadPlan { name: MEASURED.to_owned(), mix: Mix::Only(Op::Read), ..self.fill() }
    }

    /// Writes of all blocks that are read later, at the same places: a new simulated drive would answer from its map.
    pub(super) fn fill(&self) -> LoadPlan {
        LoadPlan {
            name: "fill".to_owned(),
            order: Order::Uniform,
            mix: Mix::Only(Op::Write),
            block_size: ByteCount::new(self.block()),
            range: self.range,
            queue_depth: 1,
            workers: 1,
            pace: Pace::Closed,
            stop: StopRule {
                duration: None,
                bytes: Some(ByteCount::new(self.block() * self.rests.len().max(1) as u64)),
            },
            seed: self.seed.child("reads"),
        }
    }

    /// A read that wakes the drive up after the rest that follows the fill: the first read that is measured would else pay for
    /// that.
    pub(super) fn wake_up(&self) -> LoadPlan {
        let (reads, one) = (self.reads(), ByteCount::new(self.block()));
        LoadPlan {
            name: "read after the fill".to_owned(),
            stop: StopRule { bytes: Some(one), ..reads.stop },
            // Another place than the first that is measured.
            seed: self.seed.child("read after the fill"),
            ..reads
        }
    }

    /// Writes after these, which push them out of the write buffer.
    pub(super) fn push_out(&self) -> LoadPlan {
        let block = self.block();
        let length = self.range.length().get();
        let bytes = PUSHED_OUT.min(length) / block * block;
        let fill = self.fill();
        LoadPlan {
            order: Order::Sequential,
            queue_depth: 32,
            stop: StopRule { bytes: Some(ByteCount::new(bytes)), ..fill.stop },
            ..fill
        }
    }
}
