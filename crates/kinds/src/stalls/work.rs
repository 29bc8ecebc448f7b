//! What a stream does.

use drivelab_block::{ByteCount, ByteRange};
use drivelab_documents::Notice;
use drivelab_method::{PhaseEnd, PhaseObserver};
use drivelab_view::format::{by_number, things};

use super::Stalls;
use super::findings::{StallsFindings, StreamFindings};
use super::{CyclicWrites, StallsPlan};
use crate::read_back::{ReadBack, ReadEach, note_read_back};
use crate::session::answers_with_errors;
use crate::{DriveResult, DriveUnderTest, ReadContents, RecordedTest, TestSetup, WatchedDrive};

impl RecordedTest for Stalls {
    fn setup(plan: &StallsPlan) -> TestSetup {
        let contents =
            ReadContents::SelfDescribing { run: plan.run(), verification: plan.verification().clone() };
        TestSetup { contents, ..TestSetup::default() }
    }

    /// Writes the stream, and reads it back where that was asked for.
    fn run<D: DriveUnderTest>(
        plan: &StallsPlan,
        drive: &mut D,
        found: &mut StallsFindings,
    ) -> DriveResult<D> {
        let [start, end] = plan.on_drive.range_bytes.map(ByteCount::new);
        plan.verification().get().is_paused = true;
        let warm = drive.warm_up(ByteRange::new(start, end));
        plan.verification().get().is_paused = false;
        warm?;
        if drive.is_interrupted() {
            return Ok(());
        }
        drive.check_target()?;
        drive.begin_account();
        if plan.asked.device_times {
            drive.record_requests()?;
        }
        let mut unreadable = 0;
        let ended = stream(plan, drive, &mut unreadable, found);
        note(plan, drive, unreadable, found);
        ended
    }
}

fn stream<D: DriveUnderTest>(
    plan: &StallsPlan,
    drive: &mut D,
    unreadable: &mut u64,
    found: &mut StallsFindings,
) -> DriveResult<D> {
    let writes = CyclicWrites::new(plan).counting_suspicions(drive.watch_drive());
    drive.add_observer(|phase| plan.asked.observer(phase));
    let ended = drive.phase(&plan.writing(), vec![writes], plan.bytes());
    *unreadable += drive.last_phase().map_or(0, |phase| phase.failed_reads);
    let recorded = drive.recorded_requests();
    if let Some(PhaseObserver::Stream(stream)) = drive.observer().filter(|_| drive.last_phase().is_some()) {
        let figures = found.stream.insert(StreamFindings::from_stream(stream, &plan.asked));
        if let Some(recorded) = recorded? {
            let started_at = drive.last_phase().map_or(0, |phase| phase.started_at.as_nanos());
            figures.take_device(stream, i64::try_from(started_at).unwrap_or(i64::MAX), recorded);
        }
    }
    match &ended {
        Ok(end) => late(plan, drive, end),
        // A drive that takes no writes any more may give back what it has: it is read-only then.
        Err(_) if answers_with_errors(drive) => {}
        Err(_) => return ended.map(drop),
    }
    if plan.asked.verify != ReadBack::No && !drive.is_interrupted() {
        let read = read_back(plan, drive);
        *unreadable += plan.verification().get().unreadable;
        read?;
    }
    ended.map(drop)
}

/// Reads what was written and not read back yet.
fn read_back<D: DriveUnderTest>(plan: &StallsPlan, drive: &mut D) -> DriveResult<D> {
    let reading = plan.reading();
    let reads = ReadEach::new(plan.verification(), reading.limits.max_transfer);
    let bytes = reads.bytes();
    drive.phase(&reading, vec![reads], Some(bytes)).map(drop)
}

/// Notes where a paced stream was not written at its pace.
fn late<D: DriveUnderTest>(plan: &StallsPlan, drive: &mut D, end: &PhaseEnd) {
    if plan.asked.rate_bytes_s.is_some() && end.delayed_sends > 0 {
        drive.notice(Notice::note(format!(
            "{} {} due while {} were in flight, and sent late.",
            things(end.delayed_sends, "write"),
            by_number(end.delayed_sends, "was", "were"),
            plan.asked.queue_depth
        )));
    }
}

/// Takes what was read back and what was watched.
fn note<D: DriveUnderTest>(plan: &StallsPlan, drive: &mut D, unreadable: u64, found: &mut StallsFindings) {
    if plan.asked.verify != ReadBack::No {
        let block = plan.on_drive.logical_block_bytes;
        found.verification = Some(note_read_back(plan.verification(), block, unreadable, drive));
    }
    let WatchedDrive { health, worsened } = drive.watched();
    if !worsened.is_empty() {
        let text = format!("The drive's health got worse during the run: {}.", worsened.join("; "));
        drive.notice(Notice::warning(text));
    }
    found.health = health;
}
