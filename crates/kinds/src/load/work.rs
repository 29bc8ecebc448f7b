//! What a load does.

use drivelab_block::{ByteCount, Op};
use drivelab_documents::Notice;
use drivelab_method::{LoadPlan, PhaseEnd, PhasePlan};
use drivelab_workload::Mix;

use super::plan::VerifiedPlan;
use super::{Load, LoadFindings, PlannedLoad};
use crate::read_back::{ReadBack, ReadEach, note_read_back};
use crate::session::answers_with_errors;
use crate::{DriveResult, DriveUnderTest, ReadContents, RecordedTest, TestSetup, one_load};

impl RecordedTest for Load {
    fn setup(plan: &PlannedLoad) -> TestSetup {
        let contents =
            plan.verified.as_ref().map_or(ReadContents::Unwatched, |verified| ReadContents::SelfDescribing {
                run: verified.run(),
                verification: verified.verification().clone(),
            });
        TestSetup { workers: plan.load.workers, contents, ..TestSetup::default() }
    }

    /// The one phase of the load.
    fn run<D: DriveUnderTest>(
        planned: &PlannedLoad,
        drive: &mut D,
        found: &mut LoadFindings,
    ) -> DriveResult<D> {
        let plan = &planned.load;
        note_empty(plan.mix, drive);
        one_load::note_physical_blocks(plan, &planned.geometry, drive);
        let verification = planned.verified.as_ref().map(VerifiedPlan::verification);
        verification.iter().for_each(|shared| shared.get().is_paused = true);
        let warm = drive.warm_up(plan.range);
        verification.iter().for_each(|shared| shared.get().is_paused = false);
        warm?;
        if drive.is_interrupted() {
            return Ok(());
        }
        drive.check_target()?;
        drive.begin_account();
        let engines = drive.engines();
        let (phase, reading) = planned.phases(engines < plan.workers)?;
        note_whole_bytes(plan, drive);
        let Some(verified) = &planned.verified else {
            let workloads = plan.workloads(engines)?;
            return drive.phase(&phase, workloads, None).map(|end| note_sends(&end, &phase, drive, found));
        };
        let ended = drive.phase(&phase, verified.workloads(plan, engines), None);
        let mut unreadable = drive.last_phase().map_or(0, |phase| phase.failed_reads);
        let ended = match ended {
            Ok(end) => {
                note_sends(&end, &phase, drive, found);
                read_back(verified, &reading, drive)
            }
            // A drive that takes no writes any more may give back what it has: it is read-only then.
            Err(error) if answers_with_errors(drive) => read_back(verified, &reading, drive).and(Err(error)),
            Err(error) => Err(error),
        };
        unreadable += verified.verification().get().unreadable;
        if verified.asked.read_back != ReadBack::No {
            let block = verified.on_drive.logical_block_bytes;
            found.verification = Some(note_read_back(verified.verification(), block, unreadable, drive));
        }
        ended
    }
}

/// Notes what reads of an empty drive mean: a simulated one has no flash to read for them, and returns nothing.
fn note_empty<D: DriveUnderTest>(mix: Mix, drive: &mut D) {
    let notice = match mix {
        Mix::Only(Op::Read) | Mix::ReadPercent(100) => Notice::warning(
            "The simulated drive is empty, as this load writes nothing: reads return zeros without a read of flash, and the \
             figures are those of controller and link alone. To read flash, use drivelab quick, offered-load or working-set, \
             which fill the drive before.",
        ),
        Mix::ReadPercent(1..) => Notice::note(
            "The simulated drive begins empty: a read of what this load has not written itself returns zeros without a read of \
             flash.",
        ),
        _ => return,
    };
    if drive.reads_nothing_free() {
        drive.notice(notice);
    }
}

/// Notes what an open loop sent late, or never.
fn note_sends<D: DriveUnderTest>(end: &PhaseEnd, phase: &PhasePlan, drive: &mut D, found: &mut LoadFindings) {
    found.delayed_sends = Some(end.delayed_sends);
    let unsent = end.unsent.count();
    if unsent > 0 {
        drive.notice(Notice::warning(format!(
            "Requests that were due and never sent, as the queue depth was reached until the load ended: {unsent}. Response \
             times are at least what is shown, since these count with what they had waited until then."
        )));
    }
    if end.delayed_sends > 0 {
        drive.notice(Notice::note(format!(
            "Requests that were sent late, as the queue depth of {} was reached: {}. Their response times count from when they \
             were due.",
            phase.limits.queue_depth, end.delayed_sends
        )));
    }
}

/// Reads what was written and not read back yet, where that is asked for.
fn read_back<D: DriveUnderTest>(
    verified: &VerifiedPlan,
    reading: &PhasePlan,
    drive: &mut D,
) -> DriveResult<D> {
    if verified.asked.read_back == ReadBack::No || drive.is_interrupted() {
        return Ok(());
    }
    let longest = reading.limits.max_transfer;
    let reads = ReadEach::shared(verified.verification(), longest, drive.engines());
    let bytes = reads.iter().map(|reads| reads.bytes().get()).sum();
    if bytes == 0 {
        return Ok(());
    }
    drive.phase(reading, reads, Some(ByteCount::new(bytes))).map(drop)
}

/// Notes where an amount is no whole number of blocks for each thread.
fn note_whole_bytes<D: DriveUnderTest>(plan: &LoadPlan, drive: &mut D) {
    if let (Some(asked), Some(whole)) = (plan.stop.bytes, plan.whole_bytes(drive.engines()))
        && asked != whole
    {
        let (asked, whole) = (asked.get(), whole.get());
        drive.notice(Notice::note(format!(
            "--bytes {asked} is no whole number of blocks for each worker: {whole} are asked for."
        )));
    }
}
