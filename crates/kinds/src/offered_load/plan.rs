//! The phases of a test at offered loads.

use drivelab_block::{ByteCount, ByteRange, Geometry, Nanos, Op};
use drivelab_method::{LoadPlan, Pace, RATE_MAX, StopRule};
use drivelab_view::format::things;
use drivelab_workload::{Arrivals, Mix, Order, Seed};

use super::{LoadOption, OfferedLoadSettings};
use crate::PlanError;

/// The I/Os in flight at an offered load, at most: a drive that has more than that to do is overloaded.
pub(super) const SLOTS: u32 = 1_024;
/// Bytes of a write of the fill.
const FILL_BLOCK: u64 = 1 << 20;

/// A test at offered loads on a drive of a given geometry.
#[derive(Clone, Debug)]
pub struct OfferedLoadPlan {
    /// Size and block sizes of the drive.
    pub(super) geometry: Geometry,
    settings: OfferedLoadSettings,
    /// The first byte of the range, and the one past its last.
    pub(super) range: ByteRange,
    seed: Seed,
}

/// The phase in which a load is offered.
pub(super) fn phase_of(asked: LoadOption) -> String {
    match asked {
        LoadOption::Percent(percent) => format!("load of {percent} %"),
        LoadOption::Iops(iops) => format!("load of {iops} IOPS"),
    }
}

impl OfferedLoadPlan {
    /// What these settings mean on a drive of this geometry.
    ///
    /// # Errors
    /// Where they make no sense there; the message says what to type instead.
    pub(super) fn new(
        settings: &OfferedLoadSettings,
        geometry: Geometry,
        seed: Seed,
    ) -> Result<OfferedLoadPlan, PlanError> {
        let range = settings.range.on(&geometry);
        let plan = OfferedLoadPlan { geometry, settings: settings.clone(), range, seed };
        plan.peak().phase(&geometry, true).map_err(PlanError::new)?;
        if let Some(asked) = settings.loads.iter().find(|asked| asked.is_too_high()) {
            let most = things(u64::from(RATE_MAX), "I/O");
            return Err(PlanError(format!("--loads has {asked}: a load is at most {most} a second")));
        }
        Ok(plan)
    }

    /// What is asked.
    pub(super) fn settings(&self) -> &OfferedLoadSettings {
        &self.settings
    }

    /// Bytes of the range.
    pub(super) fn length(&self) -> ByteCount {
        self.range.length()
    }

    /// How long the peak and all loads last.
    pub(super) fn timed(&self) -> Nanos {
        let cells = self.settings.loads.len() as u64 + 1;
        Nanos::new(self.settings.cell_duration_ns.saturating_mul(cells))
    }

    /// As many I/Os as the drive takes in a closed loop.
    pub(super) fn peak(&self) -> LoadPlan {
        let (order, mix) = self.settings.operation.order_and_mix();
        LoadPlan {
            name: "peak".to_owned(),
            order,
            mix,
            block_size: self.settings.block_size(),
            range: self.range,
            queue_depth: self.settings.queue_depth,
            workers: 1,
            pace: Pace::Closed,
            stop: StopRule { duration: Some(Nanos::new(self.settings.cell_duration_ns)), bytes: None },
            seed: self.seed.child("peak"),
        }
    }

    /// The loads and their I/Os a second, in rising order, where the peak has this many.
    pub(super) fn loads(&self, peak_iops: f64) -> Vec<(LoadOption, f64)> {
        let mut loads: Vec<(LoadOption, f64)> =
            self.settings.loads.iter().map(|load| (*load, load.iops(peak_iops))).collect();
        loads.sort_by(|one, other| one.1.total_cmp(&other.1));
        loads
    }

    /// I/Os that arrive at random, this many a second on average.
    pub(super) fn offered(&self, asked: LoadOption, rate: f64) -> LoadPlan {
        let name = phase_of(asked);
        LoadPlan {
            seed: self.seed.child(&name),
            name,
            queue_depth: SLOTS,
            pace: Pace::Open { rate, arrivals: Arrivals::Poisson },
            ..self.peak()
        }
    }

    /// Writes of the whole range, in sequence.
    pub(super) fn fill(&self) -> LoadPlan {
        let block = FILL_BLOCK.max(u64::from(self.geometry.logical_block)).min(self.length().get());
        LoadPlan {
            name: "fill".to_owned(),
            order: Order::Sequential,
            mix: Mix::Only(Op::Write),
            block_size: ByteCount::new(block),
            queue_depth: 8,
            stop: StopRule { duration: None, bytes: Some(self.length()) },
            ..self.peak()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::Operation;
    use crate::{RangeEnd, RangeOption};

    #[test]
    fn shares_and_rates_are_offered_in_rising_order() {
        let settings = OfferedLoadSettings {
            operation: Operation::Randread,
            range: RangeOption { start: RangeEnd::Percent(0.0), end: RangeEnd::Percent(100.0) },
            block_size_bytes: 4096,
            queue_depth: 32,
            loads: vec![LoadOption::Percent(10.0), LoadOption::Percent(50.0), LoadOption::Iops(3_000.0)],
            cell_duration_ns: 1_000_000_000,
            limit_ns: None,
            fill: false,
            until_warm_ns: None,
        };
        let geometry =
            Geometry { capacity: ByteCount::new(1 << 30), logical_block: 512, physical_block: 4096 };
        let plan = OfferedLoadPlan::new(&settings, geometry, Seed::new(1)).expect("a plan");
        let loads = plan.loads(10_000.0);
        assert_eq!(loads.iter().map(|(_, iops)| *iops).collect::<Vec<_>>(), [1_000.0, 3_000.0, 5_000.0]);
        let percents: Vec<f64> = loads.iter().map(|(asked, _)| asked.percent(10_000.0)).collect();
        assert_eq!(percents, [10.0, 30.0, 50.0]);
    }
}
