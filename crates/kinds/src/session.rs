//! What a test may do with the drive under test.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use drivelab_block::{ByteCount, ByteRange, Nanos, PhaseId, Status, TracedIo, worded_enum};
use drivelab_documents::{CountedWrites, MediaWrites, Notice};
use drivelab_method::{DiscardPurpose, Pause, PhaseEnd, PhaseObserver, PhasePlan, Purge};
use drivelab_stats::PhaseAnalysis;
use drivelab_workload::Workload;
use drivelab_workload::verify::{ReadbackLog, RunId, SharedVerification};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{CommandPurge, DriveError, PlanError, PurgeOption, ResultKind, WatchedDrive};

/// What a drive under test does, or why the test cannot go on.
pub type DriveResult<D, T = ()> = Result<T, <D as DriveUnderTest>::Error>;

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
    /// warm it became; nothing where that was not asked for ([`TestNeeds::until_warm`](crate::TestNeeds::until_warm)).
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
    fn notice(&mut self, notice: Notice);
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
}

/// Whether I/Os of the last phase failed by what the drive answered: it is there, and a read may succeed where a write does not.
pub(crate) fn answers_with_errors<S: DriveUnderTest>(session: &S) -> bool {
    let is_answer = |code: &i16| {
        let status = Status::from_code(*code);
        !status.is_gone() && !status.is_unanswered()
    };
    session.last_phase().is_some_and(|phase| phase.failed() > 0 && phase.failures.keys().all(is_answer))
}

/// What became of discards.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DiscardOutcome {
    /// All of them were taken, in so much time.
    Taken(Nanos),
    /// The drive does not have the command, or the kernel passes it on to no drive of this kind; the text says which.
    Unsupported(String),
    /// Some failed for another reason: how many and why, in the system's words, such as "3 discards failed (...)".
    Failed(String),
}

/// What the kernel and the drive claim of discards; null where nothing is claimed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DiscardClaims {
    /// The most bytes that the kernel passes on in one discard; 0 where it passes none on.
    pub request_max_bytes: Option<u64>,
    /// Whether a trimmed block returns the same at every read (ATA: DRAT).
    pub deterministic: Option<bool>,
    /// Whether it returns zeros (ATA: RZAT).
    pub zeros: Option<bool>,
}

/// A power state that a drive reports.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReportedPowerState {
    /// Its number.
    pub number: u8,
    /// Whether the drive serves I/O in it.
    pub is_operational: bool,
    /// What it draws at most, in watts; null where it is not reported.
    pub watts: Option<f64>,
    /// The idle time after which the drive enters it, from the state that enters it first; null where it does not by itself.
    pub entered_after_ns: Option<u64>,
    /// The longest time to leave it; null where it is not reported.
    pub exit_ns: Option<u64>,
}

worded_enum! {
    /// Why no power states of a target are known.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
    #[serde(rename_all = "snake_case")]
    pub enum NoPowerStates {
        /// The profile of the simulated drive has none.
        NotInProfile = "the profile of this simulated drive has no power states (power_state_1_after gives it one)",
        /// The target is a file.
        File = "a file has no power states: name the drive that it lies on to see those of the drive",
        /// The drive is no NVMe drive: of others, the idle times of power states cannot be asked.
        NotNvme = "this is no NVMe drive, and drives of other kinds do not report when they enter their power states",
        /// The target is a partition of an NVMe drive.
        Partition = "this is a partition, and the power states are those of the whole drive: name that",
        /// The NVMe drive could not be asked, or did not answer.
        NoAnswer = "the drive did not answer which power states it has: that may take root, or a newer kernel",
    }
}

// The words are the names that blktrace's tools have for these.
worded_enum! {
    /// What the kernel's times of a request span.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
    pub enum RequestSpan {
        /// From its issue to the drive to its completion.
        #[serde(rename = "D2C")]
        IssueToCompletion = "D2C",
        /// From the request to its completion.
        #[serde(rename = "Q2C")]
        RequestToCompletion = "Q2C",
    }
}

impl RequestSpan {
    /// What it spans, in words.
    pub fn words(self) -> &'static str {
        match self {
            RequestSpan::IssueToCompletion => "issue to completion",
            RequestSpan::RequestToCompletion => "request to completion",
        }
    }
}

/// A recording of a drive's requests, and how it fits to the run.
pub struct RecordedRequests {
    /// The folder of the trace, in that of the run.
    pub folder: String,
    /// The zero of its times on the clock of the run, in nanoseconds.
    pub zero_ns: i64,
    /// The first sector of the target on the device that was recorded: a partition's start.
    pub first_sector: u64,
    /// What is measured.
    pub span: RequestSpan,
    /// Events that the kernel had no room for.
    pub lost_events: u64,
    /// The requests, with the issue of each on the clock of the run, in nanoseconds.
    pub requests: Box<dyn Iterator<Item = (i64, TracedIo)>>,
}

/// What has to be known of the bytes that the reads of a test return.
#[derive(Clone, Debug, Default)]
pub enum ReadContents {
    /// Nothing.
    #[default]
    Unwatched,
    /// Whether blocks hold zeros, what they held before, or something else, at several looks.
    Looks(ReadbackLog),
    /// Whether blocks are as they were written. Each of their sectors names its run, its write and its own address.
    SelfDescribing {
        /// What tells the blocks of this run from those of every other.
        run: RunId,
        /// What every block should hold, and what was found.
        verification: SharedVerification,
    },
}
