//! What a test of waking up does.

use drivelab_block::Nanos;
use drivelab_documents::Notice;
use drivelab_method::{Collected, Rested, RestedRead};

use super::Wake;
use super::findings::WakeFindings;
use super::plan::WakePlan;
use super::sentences::rest_in_words;
use crate::one_load::{fill_new, run_load, run_load_in};
use crate::{DriveResult, DriveUnderTest, RecordedTest};

/// How long a drive rests that was filled for this: what it does by itself after that would lengthen the first reads.
const SETTLING: Nanos = Nanos::from_secs(60);
/// Within a shorter rest it does not matter when a drive failed.
const RESTED_LONG: Nanos = Nanos::from_millis(100);
/// So many reads fail one after the other where the drive has failed, and not a read now and then.
const ROW_MIN: usize = 4;

impl RecordedTest for Wake {
    /// The reads after rests, in random order.
    fn run<D: DriveUnderTest>(plan: &WakePlan, drive: &mut D, found: &mut WakeFindings) -> DriveResult<D> {
        match drive.power_states() {
            Ok(states) => found.power_states = states,
            Err(why) => found.no_power_states = Some(why),
        }
        found.planned = plan.rests.len() as u64;
        if drive.begins_empty() {
            fill_new(drive, &plan.geometry, &plan.fill())?;
            run_load(drive, &plan.geometry, &plan.push_out())?;
            drive.rest("rest after the fill", SETTLING)?;
            run_load(drive, &plan.geometry, &plan.wake_up())?;
        }
        drive.keep_processors_awake();
        drive.begin_account();
        let reads = Collected::with_room(plan.rests.len());
        let rested = |workload| Rested::new(workload, plan.rests.clone(), reads.clone());
        let ended = run_load_in(drive, &plan.geometry, &plan.reads(), None, rested);
        let reads = reads.all();
        found.take(&reads);
        if let Some(text) = unseen_until(&reads) {
            drive.notice(Notice::warning(text));
        }
        ended.map(drop)
    }
}

/// That a drive which failed from some read on may have failed earlier: a rest came before that read, in which nothing was asked
/// of the drive. None where a read was answered after it, or where the rest was short.
fn unseen_until(reads: &[RestedRead]) -> Option<String> {
    let answered = reads.iter().rposition(|read| read.completion.status.is_ok()).map_or(0, |last| last + 1);
    let failed = &reads[answered..];
    let first = failed.first().filter(|first| first.rested >= RESTED_LONG)?;
    (failed.len() >= ROW_MIN || first.completion.status.is_gone()).then(|| {
        format!(
            "The first of the reads that failed came after a rest of {}, in which nothing was asked of the drive: it may have \
             failed at any moment since its last answer, and not when it was read.",
            rest_in_words(first.rested.get())
        )
    })
}
