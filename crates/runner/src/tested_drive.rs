//! A drive under test, as tests see it.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use drivelab_block::{ByteCount, ByteRange, Geometry, Instant, Nanos, PhaseId, Status};
use drivelab_documents::{MediaWrites, Notice, WarmUpDocument};
use drivelab_kinds::watched::HealthNotAsked;
use drivelab_kinds::{
    CommandPurge, DiscardClaims, DiscardOutcome, NoPowerStates, PurgeOption, ReadContents, RecordedRequests,
    ReportedPowerState, ResultKind, WarmUpPlan, WatchedDrive, WrittenCounts, not_as_written, warm_up_notice,
};
use drivelab_method::{
    ConductError, DiscardPurpose, PhaseEnd, PhaseObserver, PhasePlan, Purge, Thermometry, WarmUpState, Warmed,
};
use drivelab_probe::{Roots, trim_claims};
use drivelab_safety::{Identity, Target};
use drivelab_sim::SimDrive;
use drivelab_stats::PhaseAnalysis;
use drivelab_view::format::things;
use drivelab_workload::Workload;

use crate::awake_processors::AwakeProcessors;
use crate::heat::SimulatedHeat;
use crate::media_watch::MediaWatch;
use crate::power_states::{states_of, states_of_simulated};
use crate::purge::{no_command_of_simulated, purge_before};
use crate::results::keep_findings;
use crate::slow_drive::SMARTCTL_PATIENCE;
use crate::tested_engine::TestedEngine;
use crate::{Account, DeviceRecording, Failure, Finished, Real, RunSession, StreamWatch};

/// How a drive reports that it does not have a command.
const NOT_SUPPORTED: Status = Status::from_code(95);
/// How a drive or a file system reports that it has no space left.
const NO_SPACE: Status = Status::from_code(28);
/// Why the kernel's times of requests are not those of every target, and what to type instead.
const NOT_OF_SIMULATED: &str =
    "--device-times goes with a real drive: the kernel has no requests of a simulated one";
const NOT_OF_FILES: &str =
    "--device-times goes with a drive: what a file's device does is not only the stream's";
const NOT_WITHOUT_FOLDER: &str = "--device-times needs -o DIR: the trace is kept there";
/// Why a drive cannot be read until it is warm that had a sensor before the run.
const SENSOR_GONE: &str =
    "the drive's temperature sensor is gone, by which --until-warm was to go: leave the option out";

/// Refuses to record the requests of what has none, or without a place for them: before anything is made.
pub fn check_recording(target: Option<&Target>, folder: Option<&Path>) -> Result<(), Failure> {
    let wrong = |text: &str| Err(Failure::Usage(text.to_owned()));
    match target {
        None => wrong(NOT_OF_SIMULATED),
        Some(Target::File(_)) => wrong(NOT_OF_FILES),
        Some(Target::Drive(_)) if folder.is_none() => wrong(NOT_WITHOUT_FOLDER),
        Some(Target::Drive(_)) => Ok(()),
    }
}

pub struct TestedDrive<'a, E> {
    pub session: RunSession<E>,
    /// The target, where it is a real one.
    real: Option<&'a Real>,
    account: Option<Account>,
    /// Whether the test asked for that account.
    is_accounted: bool,
    /// What is watched and recorded of the drive meanwhile.
    watch: Option<StreamWatch>,
    recording: Option<DeviceRecording>,
    awake: Option<AwakeProcessors>,
    media: MediaWatch,
    /// What a simulated drive had written when the run began.
    written_before: Option<WrittenCounts>,
    /// How the drive is read until it is warm when the test says so, where that was asked for.
    pub warm_up: Option<(WarmUpPlan, Geometry)>,
}

impl<'a, E: TestedEngine> TestedDrive<'a, E> {
    pub fn new(mut session: RunSession<E>, real: Option<&'a Real>) -> TestedDrive<'a, E> {
        let account = session.simulated_mut().map(Account::open);
        let written_before = session.simulated_mut().map(written_by);
        let media = real.map(MediaWatch::new).unwrap_or_default();
        TestedDrive {
            session,
            real,
            account,
            is_accounted: false,
            watch: None,
            recording: None,
            awake: None,
            media,
            written_before,
            warm_up: None,
        }
    }

    pub fn is_simulated(&self) -> bool {
        self.real.is_none()
    }

    /// Notes that the run cannot go on, and whether that is because the drive is gone.
    fn broke(&mut self, error: &ConductError) -> Failure {
        let gone = match error {
            ConductError::AllFailed(end) => {
                let found =
                    format!("every I/O has failed since {} after the phase began", end.failing_after());
                self.real.and_then(|real| real.gone(&found))
            }
            ConductError::Unanswered(_) | ConductError::Engine(_) | ConductError::Thread(_) => None,
        };
        let is_unanswered = matches!(error, ConductError::Unanswered(_));
        let failure = gone.or_else(|| self.full(error));
        let failure = failure.unwrap_or_else(|| Failure::of_phase(error, E::HAS_KERNEL_LOG));
        // That the drive has not answered is said by the phase, from when on and of how much.
        if is_unanswered { failure } else { self.session.broke(failure) }
    }

    /// That no space is left where a file or a thin volume lies, of which the kernel's log says nothing.
    fn full(&self, error: &ConductError) -> Option<Failure> {
        let ConductError::AllFailed(end) = error else { return None };
        let text = format!(
            "every I/O has failed since {} after the phase began, as no space is left where the target lies: make room there, \
             or use a smaller target",
            end.asked_for()
        );
        let is_full = self.session.failures_of_last_phase().are_mostly(NO_SPACE);
        is_full.then_some(Failure::DriveFailed(text))
    }

    /// What a simulated drive has written since then, by its own account.
    fn written_since(&mut self, before: Option<WrittenCounts>) -> Option<MediaWrites> {
        self.session.simulated_mut().map(written_by)?.since(before?)
    }

    /// Watches a simulated drive, where it keeps health counters.
    fn watch_simulated(&mut self) -> StreamWatch {
        let suspicions = Arc::default();
        let drive = self.session.simulated_mut();
        if drive.is_some_and(|drive| drive.begin_health_watch(Arc::clone(&suspicions))) {
            return StreamWatch::of_simulated(suspicions);
        }
        StreamWatch::nothing(HealthNotAsked::Simulated)
    }

    pub fn note_read_back(&mut self, contents: &ReadContents) {
        if let ReadContents::SelfDescribing { verification, .. } = contents {
            let found = verification.get();
            self.session.reads_back = found.blocks > 0;
            self.session.not_as_written = not_as_written(&found);
        }
    }

    pub fn finish(mut self) -> Finished {
        let account = self.account.take().and_then(|account| account.close(&mut self.session));
        // Also what was written between the phases.
        let counted = self.written_since(self.written_before);
        let written = self.media.in_all().or(counted);
        self.session.simulated_heat = self.session.simulated().and_then(SimulatedHeat::from_drive);
        self.session.finish(account.filter(|_| self.is_accounted), written)
    }
}

/// What a simulated drive has written so far.
fn written_by(drive: &mut SimDrive) -> WrittenCounts {
    let counts = drive.ground_truth().lifetime;
    WrittenCounts { host_bytes: counts.host_bytes, flash_bytes: counts.flash_units * 4096 }
}

/// Shows the temperature of a simulated drive, where it has one.
fn thermometry_of(drive: &mut SimDrive) -> Option<Thermometry> {
    let shown = drive.show_heat()?;
    Some(Arc::new(move || Some(shown.load(Ordering::Relaxed) as f64 / 1e3)))
}

impl<E: TestedEngine> drivelab_kinds::DriveUnderTest for TestedDrive<'_, E> {
    type Error = Failure;

    fn begins_empty(&self) -> bool {
        self.real.is_none()
    }

    fn waits_for_requests(&self) -> bool {
        self.real.is_none()
    }

    fn reads_nothing_free(&self) -> bool {
        self.session.simulated().is_some_and(SimDrive::has_flash)
    }

    fn phase<W: Workload + 'static>(
        &mut self,
        plan: &PhasePlan,
        workloads: Vec<W>,
        ends_after: Option<ByteCount>,
    ) -> Result<PhaseEnd, Failure> {
        self.media.begin();
        let before = self.session.simulated_mut().map(written_by);
        let ended = self.session.phase(plan, workloads, ends_after);
        if self.session.hangs {
            // Its counters would not come either.
            self.media = MediaWatch::default();
        }
        let counted = self.written_since(before);
        if let Some(written) = self.media.end().or(counted) {
            self.session.writer.note_written(written);
        }
        ended.map_err(|error| self.broke(&error))
    }

    fn discard(&mut self, purpose: DiscardPurpose, discards: Purge) -> Result<DiscardOutcome, Failure> {
        let bytes = discards.bytes();
        let took = match self.session.phase(&Purge::phase(purpose), vec![discards], Some(bytes)) {
            Ok(end) => end.took(self.session.last_phase()),
            Err(ConductError::Engine(error)) if error.is_unsupported => {
                return Ok(DiscardOutcome::Unsupported(error.to_string()));
            }
            // A drive that refuses every discard is not asked for all of them, and has not failed.
            Err(ConductError::AllFailed(_))
                if self.session.failures_of_last_phase().are_all(NOT_SUPPORTED) =>
            {
                Nanos::ZERO
            }
            Err(error) => return Err(self.broke(&error)),
        };
        let failures = self.session.failures_of_last_phase();
        if purpose == DiscardPurpose::Purge && failures.are_refusals() {
            // What they mean is said by the test.
            let phases = self.session.recorder.analysis().phases().len();
            self.session.excused.extend(phases.checked_sub(1));
        }
        Ok(match failures.count() {
            0 => DiscardOutcome::Taken(took),
            count if failures.are_all(NOT_SUPPORTED) => {
                DiscardOutcome::Unsupported(format!("it refused {count} discards"))
            }
            count => {
                let failed = things(count, "discard");
                DiscardOutcome::Failed(format!("{failed} failed ({})", failures.words()))
            }
        })
    }

    fn purge_by_command(&mut self, asked: PurgeOption) -> Result<CommandPurge, Failure> {
        let purged = match self.real {
            Some(real) => purge_before(real, asked, &self.session.stage.interrupt),
            None => no_command_of_simulated(asked).map(|()| CommandPurge::NotAsked),
        };
        purged.map_err(|failure| self.session.broke(failure))
    }

    fn warm_up(&mut self, range: ByteRange) -> Result<(), Failure> {
        let Some((plan, geometry)) = self.warm_up.filter(|_| !self.is_interrupted()) else { return Ok(()) };
        let thermometry = match self.real {
            Some(real) => self.session.thermometry(real.clock),
            None => self.session.simulated_mut().and_then(thermometry_of),
        };
        let Some(thermometry) = thermometry else {
            return Err(self.session.broke(Failure::Environment(SENSOR_GONE.to_owned())));
        };
        let threads = self.session.engine_count();
        let reads = plan.reads(range, &geometry, threads);
        let phase = reads.phase(&geometry, false)?;
        let state = WarmUpState::lasting(plan.at_most);
        let from_celsius = thermometry();
        let mut first = Some(thermometry.clone());
        let warmed = |workload| Warmed::new(workload, &state, first.take());
        let workloads = reads.workloads(threads)?.into_iter().map(warmed).collect();
        let end = self.session.phase(&phase, workloads, None).map_err(|error| self.broke(&error))?;
        if self.is_interrupted() {
            return Ok(());
        }
        let readings = state.readings();
        let found = WarmUpDocument {
            lasted_s: end.asked_for().as_secs_f64(),
            from_celsius,
            to_celsius: thermometry(),
            rise_kelvins: readings.rise_at(end.asked_for()),
            is_warm: readings.is_warm(),
        };
        self.session.warm_up = Some(found);
        self.session.writer.notice(warm_up_notice(&found));
        Ok(())
    }

    fn discard_claims(&self) -> DiscardClaims {
        let claims = self.real.and_then(|real| {
            let Identity::Drive(drive) = real.identity() else { return None };
            Some(trim_claims(&Roots::live(), &drive.kernel_name, &real.path, SMARTCTL_PATIENCE))
        });
        let claims = claims.unwrap_or_default();
        DiscardClaims {
            request_max_bytes: claims.request_max_bytes,
            deterministic: claims.deterministic,
            zeros: claims.zeros,
        }
    }

    fn keep_processors_awake(&mut self) {
        if self.is_simulated() {
            return;
        }
        match AwakeProcessors::hold() {
            Ok(held) => self.awake = Some(held),
            Err(error) => {
                self.notice(Notice::note(format!(
                    "The processors slept while the drive rested, since they could not be kept awake ({error}): the reads \
                     after rests have the time in which a processor wakes up, of up to a tenth of a millisecond."
                )));
            }
        }
    }

    fn power_states(&self) -> Result<Vec<ReportedPowerState>, NoPowerStates> {
        match self.real {
            Some(real) => states_of(real),
            None => self.session.simulated().map_or(Err(NoPowerStates::NoAnswer), states_of_simulated),
        }
    }

    fn written(&mut self) -> Option<WrittenCounts> {
        self.session.simulated_mut().map(written_by)
    }

    fn add_observer(&mut self, observer: impl FnOnce(PhaseId) -> PhaseObserver) {
        let phase = self.session.recorder.next_phase();
        self.session.recorder.add_observer(observer(phase));
    }

    fn observer(&self) -> Option<&PhaseObserver> {
        self.session.recorder.observer()
    }

    fn watch_drive(&mut self) -> Arc<AtomicU64> {
        let watch = match self.real {
            None => self.watch_simulated(),
            Some(real) => match real.whole_device() {
                Some(drive) => StreamWatch::start(drive, real.path.clone(), real.clock),
                None => StreamWatch::nothing(HealthNotAsked::File),
            },
        };
        self.watch.insert(watch).suspicions()
    }

    fn watched(&mut self) -> WatchedDrive {
        let (phases, analysis) = (&self.session.writer.manifest.phases, self.session.recorder.analysis());
        let first = phases.iter().zip(analysis.phases()).find(|(phase, _)| phase.name != WarmUpPlan::PHASE);
        let started_at = first.map_or(Instant::ORIGIN, |(_, phase)| phase.started_at);
        let simulated = self.session.simulated_mut().map(SimDrive::end_health_watch).unwrap_or_default();
        self.watch.take().map(|watch| watch.finish(started_at, &simulated)).unwrap_or_default()
    }

    fn record_requests(&mut self) -> Result<(), Failure> {
        let wrong = |text: &str| Failure::Usage(text.to_owned());
        let Some(real) = self.real else { return Err(wrong(NOT_OF_SIMULATED)) };
        let Identity::Drive(drive) = real.identity() else { return Err(wrong(NOT_OF_FILES)) };
        let folder = self.session.writer.folder.as_ref().ok_or_else(|| wrong(NOT_WITHOUT_FOLDER))?;
        self.recording = Some(DeviceRecording::start(folder.path(), drive, real.clock)?);
        Ok(())
    }

    fn recorded_requests(&mut self) -> Result<Option<RecordedRequests>, Failure> {
        self.recording.take().map(DeviceRecording::stop).transpose()
    }

    fn begin_account(&mut self) {
        self.account = self.session.simulated_mut().map(Account::open);
        self.is_accounted = true;
    }

    fn engines(&self) -> u16 {
        self.session.engine_count()
    }

    fn last_phase(&self) -> Option<&PhaseAnalysis> {
        self.session.last_phase()
    }

    fn check_target(&self) -> Result<(), Failure> {
        self.real.map_or(Ok(()), Real::verify_again)
    }

    fn is_interrupted(&self) -> bool {
        self.session.stage.interrupt.is_raised()
    }

    fn keep<K: ResultKind>(&mut self, findings: &K::Findings) {
        let writer = &self.session.writer;
        let Some(folder) = &writer.folder else { return };
        // What is not kept now may be at the end, and where it is not, that is an error.
        let _ = keep_findings::<K>(folder, &writer.manifest, findings);
    }

    fn notice(&mut self, notice: Notice) {
        self.session.writer.notice(notice);
    }
}
