//! What a test at offered loads does.

use super::OfferedLoad;
use super::findings::OfferedLoadFindings;
use super::plan::OfferedLoadPlan;
use crate::one_load::{fill_new, run_load};
use crate::{DriveResult, DriveUnderTest, RecordedTest, one_load};

impl RecordedTest for OfferedLoad {
    /// The peak, and then one load after the other.
    fn run<D: DriveUnderTest>(
        plan: &OfferedLoadPlan,
        drive: &mut D,
        found: &mut OfferedLoadFindings,
    ) -> DriveResult<D> {
        let asked = &plan.settings;
        found.planned = asked.loads.len() as u64;
        drive.check_target()?;
        if asked.fill {
            run_load(drive, &plan.geometry, &plan.fill())?;
        } else if drive.begins_empty() {
            fill_new(drive, &plan.geometry, &plan.fill())?;
        }
        drive.warm_up(plan.range)?;
        drive.begin_account();
        if drive.is_interrupted() {
            return Ok(());
        }
        one_load::note_physical_blocks(&plan.peak(), &plan.geometry, drive);
        run_load(drive, &plan.geometry, &plan.peak())?;
        let Some(peak) = drive.last_phase().filter(|_| !drive.is_interrupted()) else { return Ok(()) };
        let seconds = peak.ran(peak.until_last_success).as_secs_f64();
        let peak_iops = if seconds > 0.0 { peak.completed() as f64 / seconds } else { 0.0 };
        found.peak_iops = Some(peak_iops);
        if peak_iops <= 0.0 {
            return Ok(());
        }
        for (load, rate) in plan.loads(peak_iops) {
            drive.check_target()?;
            let end = run_load(drive, &plan.geometry, &plan.offered(load, rate))?;
            // What was cut short has a tail of its own, which is compared with none.
            let Some(phase) = drive.last_phase().filter(|_| !drive.is_interrupted()) else { return Ok(()) };
            found.take((load, rate), phase, &end);
            if let Some(limit_ns) = asked.limit_ns {
                found.judge(limit_ns);
            }
        }
        Ok(())
    }
}
