//! What a test may do with the drive under test.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use drivelab_block::{ByteCount, ByteRange, Nanos, PhaseId, Status};
use drivelab_method::{DiscardPurpose, Pause, PhaseEnd, PhaseObserver, PhasePlan, Purge};
use drivelab_record::{CountedWrites, MediaWrites, Severity};
use drivelab_stats::PhaseAnalysis;
use drivelab_workload::Workload;

use crate::{
    CommandPurge, DiscardClaims, DiscardOutcome, DriveError, NoPowerStates, PlanError, PurgeOption,
    RecordedRequests, ReportedPowerState, ResultKind, WatchedDrive,
};

/// A drive under test, real or simulated, from the first phase of a test to its last.
pub trait DriveUnderTest {
    /// Why a test cannot go on.
    type Error: From<PlanError> + From<DriveError>;

    /// Whether the drive is new and holds nothing, as a simulated drive is: a read of what was never written would cost it no
    /// read of flash.
    fn begins_empty(&self) -> bool;

    /// Whether the drive's time stands still while the test thinks, as that of a simulated drive does.
    fn waits_for_requests(&self) -> bool;

    /// Whether a read of what was never written costs the drive no read of flash.
    fn reads_nothing_free(&self) -> bool;

    /// Runs a phase with a workload for each thread. `ends_after` is what the workloads move where they end by themselves.
    ///
    /// # Errors
    /// Where the drive broke. What was completed before is kept, and the run notes that it broke off.
    fn phase<W: Workload + 'static>(
        &mut self,
        plan: &PhasePlan,
        workloads: Vec<W>,
        ends_after: Option<ByteCount>,
    ) -> Result<PhaseEnd, Self::Error>;

    /// Gives blocks back to the drive. A drive that refuses to take them has not broken.
    ///
    /// # Errors
    /// Where the drive broke.
    fn discard(&mut self, purpose: DiscardPurpose, discards: Purge) -> Result<DiscardOutcome, Self::Error>;

    /// Purges the whole drive by a command of its own, where one was asked for.
    ///
    /// # Errors
    /// Where the drive does not have the command that was asked for, or the purge failed.
    fn purge_by_command(&mut self, asked: PurgeOption) -> Result<CommandPurge, Self::Error>;

    /// Asks for nothing for a time, in a phase of this name. There is no such phase where the time is zero, or the run was
    /// interrupted.
    ///
    /// # Errors
    /// Where the drive broke.
    fn rest(&mut self, name: &str, time: Nanos) -> Result<(), Self::Error> {
        if time == Nanos::ZERO || self.is_interrupted() {
            return Ok(());
        }
        let (phase, pause) = Pause::phase(name, time);
        self.phase(&phase, vec![pause], None).map(drop)
    }

    /// Reads a range, its first byte and the one past its last, until the drive is warm, in a phase of its own, and notes how
    /// warm it became; nothing where that was not asked for ([`Test::until_warm`](crate::Test::until_warm)).
    ///
    /// # Errors
    /// Where the drive broke, or shows no temperature any more.
    fn warm_up(&mut self, range: ByteRange) -> Result<(), Self::Error>;

    /// What the kernel and the drive claim of discards.
    fn discard_claims(&self) -> DiscardClaims;

    /// Keeps the processors awake from now on, where they may sleep while a real drive rests; notes where that is not possible.
    fn keep_processors_awake(&mut self);

    /// The power states that the drive reports, by their numbers; at least one.
    ///
    /// # Errors
    /// Why none are known. The test goes on without them.
    fn power_states(&self) -> Result<Vec<ReportedPowerState>, NoPowerStates>;

    /// What a simulated drive has written so far, by its own account; none of a real one.
    fn written(&mut self) -> Option<WrittenCounts>;

    /// Has the phase that begins next also analysed as something else.
    fn add_observer(&mut self, observer: impl FnOnce(PhaseId) -> PhaseObserver);

    /// What the phase that was named last is also analysed as; none where nothing was added.
    fn observer(&self) -> Option<&PhaseObserver>;

    /// Begins to watch the drive's own health, its temperature, and the kernel's log of it. Whenever the count that comes back
    /// has grown, the health is read, at most twice a minute: the test adds to it where the drive may have had a problem.
    fn watch_drive(&mut self) -> Arc<AtomicU64>;

    /// Ends that, and returns what was seen.
    fn watched(&mut self) -> WatchedDrive;

    /// Begins to record the kernel's own times of the drive's requests, into the folder of the run.
    ///
    /// # Errors
    /// Where the target has no requests of its own, or the kernel records none.
    fn record_requests(&mut self) -> Result<(), Self::Error>;

    /// Ends that, and returns the recording; none where none was begun.
    ///
    /// # Errors
    /// Where what was recorded cannot be read.
    fn recorded_requests(&mut self) -> Result<Option<RecordedRequests>, Self::Error>;

    /// Begins the account of a simulated drive: what it wrote, drew and delayed from here on is kept with the run. A test that
    /// does not begin one has the energy of the whole run, and no account.
    fn begin_account(&mut self);

    /// For how many threads the drive has a queue of its own: one, where one engine serves all threads.
    fn engines(&self) -> u16;

    /// The analysis of the phase that ran last; none before the first one.
    fn last_phase(&self) -> Option<&PhaseAnalysis>;

    /// Checks again, before a phase that writes, that the target is the one that was cleared for writing.
    ///
    /// # Errors
    /// Where it is not, or where that cannot be found out.
    fn check_target(&self) -> Result<(), Self::Error>;

    /// Whether the user, or the drive's temperature, wants the test to end.
    fn is_interrupted(&self) -> bool;

    /// Keeps what was found so far, where the result is kept: a kill costs only what is found after this.
    fn keep<K: ResultKind>(&mut self, findings: &K::Findings);

    /// Notes something that the reader of the result has to know.
    fn notice(&mut self, severity: Severity, text: String);
}

/// What was written to a simulated drive, and by it, from its first use on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WrittenCounts {
    /// Bytes that the host wrote.
    pub host_bytes: u64,
    /// Bytes that the drive wrote to its flash, for the host and for itself.
    pub flash_bytes: u64,
}

impl WrittenCounts {
    /// What was written since an earlier moment; none of a drive that writes no flash, as a disk does not.
    pub fn since(self, earlier: WrittenCounts) -> Option<MediaWrites> {
        let exact =
            |now: u64, earlier: u64| Some(CountedWrites { amount: now.checked_sub(earlier)?, step: 0 });
        let host = exact(self.host_bytes, earlier.host_bytes);
        let flash = exact(self.flash_bytes, earlier.flash_bytes);
        (self.flash_bytes > 0).then(|| MediaWrites { host, flash, ..MediaWrites::default() })
    }

    /// Write amplification since an earlier moment: flash writes / host writes, in bytes; none where one of them is 0, as on a
    /// disk.
    pub fn amplification_since(self, earlier: WrittenCounts) -> Option<f64> {
        let host = self.host_bytes.checked_sub(earlier.host_bytes)?;
        let flash = self.flash_bytes.checked_sub(earlier.flash_bytes)?;
        (host > 0 && flash > 0).then(|| flash as f64 / host as f64)
    }
}

/// Whether I/Os of the last phase failed by what the drive answered: it is there, and a read may succeed where a write does not.
pub(crate) fn answers_with_errors<S: DriveUnderTest>(session: &S) -> bool {
    let is_answer = |code: &i16| {
        let status = Status::from_code(*code);
        !status.is_gone() && !status.is_unanswered()
    };
    session.last_phase().is_some_and(|phase| phase.failed() > 0 && phase.failures.keys().all(is_answer))
}
