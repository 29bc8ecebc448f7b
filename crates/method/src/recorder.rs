//! Where completions end up: the records, the analysis, the digest.

use drivelab_block::{Completion, Instant, PhaseId};
use drivelab_record::{Digest, RunWriter, Written};
use drivelab_stats::{LoopKind, ReplayAnalysis, RunAnalysis, Standstills, StreamWrites};

use crate::held::{Held, StandstillWatch};
use crate::stepped::RecordedSteps;

/// Keeps every completion of a run: on disk, in the analysis, and in one number for simulated drives.
#[derive(Default)]
pub struct RunRecorder {
    writer: Option<RunWriter>,
    analysis: RunAnalysis,
    observer: Option<PhaseObserver>,
    held: Option<Held>,
    digest: Option<Digest>,
    completions: u64,
    lost_in_queues: u64,
}

/// What a phase of a method's own is analysed as, in addition to what every phase is analysed as.
pub enum PhaseObserver {
    /// The trace that a replay makes.
    Replay(Box<ReplayAnalysis>),
    /// The writes of a stream, one by one.
    Stream(StreamWrites),
    /// How long each of many equal amounts of bytes took.
    Steps(RecordedSteps),
}

impl PhaseObserver {
    /// A phase of the run begins.
    pub fn begin_phase(&mut self, phase: PhaseId, started_at: Instant) {
        if let PhaseObserver::Stream(stream) = self {
            stream.begin(phase, started_at);
        }
    }

    /// Takes completions of a program that stood still at these times.
    pub fn accept(&mut self, completions: &[Completion], standstills: &Standstills) {
        match self {
            PhaseObserver::Replay(replay) => replay.accept(completions, standstills),
            PhaseObserver::Stream(stream) => stream.accept(completions, standstills),
            PhaseObserver::Steps(steps) => steps.accept(completions),
        }
    }

    /// Nothing more comes.
    pub fn finish(&mut self) {
        if let PhaseObserver::Replay(replay) = self {
            replay.finish();
        }
    }
}

/// What a recorder has at the end of a run.
pub struct RecordedRun {
    /// One pass over all completions that were seen.
    pub analysis: RunAnalysis,
    /// What one phase was also analysed as, where one was.
    pub observer: Option<PhaseObserver>,
    /// What is on disk.
    pub written: Written,
    /// The digest of all completions, where it was asked for.
    pub digest: Option<String>,
    /// Completions that the engines delivered.
    pub completions: u64,
    /// Completions that never reached the recorder, because it fell behind.
    pub lost_in_queues: u64,
}

impl RecordedRun {
    /// Completions that are not in the records.
    pub fn lost_records(&self) -> u64 {
        self.lost_in_queues + self.written.lost
    }
}

impl RunRecorder {
    /// A recorder that writes records where it has a writer.
    pub fn new(writer: Option<RunWriter>, digest: Option<Digest>) -> RunRecorder {
        RunRecorder { writer, digest, ..RunRecorder::default() }
    }

    /// Has the analysis wait until it is known whether the program stood still while an I/O was in flight.
    pub fn watch_standstills(&mut self, watch: Box<dyn StandstillWatch>) {
        self.held = Some(Held::new(watch));
    }

    /// Makes what was kept survive a power cut.
    pub fn survive_power_cuts(&mut self) {
        self.writer.as_mut().into_iter().for_each(RunWriter::survive_power_cuts);
    }

    /// Has what is kept brought to the disk without waiting for it: a power cut costs the records of about a second.
    pub fn sync_in_background(&mut self) {
        self.writer.as_mut().into_iter().for_each(RunWriter::sync_in_background);
    }

    /// The number of the phase that begins next. A run has at most 256 phases.
    pub fn next_phase(&self) -> PhaseId {
        PhaseId(u8::try_from(self.analysis.phases().len()).unwrap_or(u8::MAX))
    }

    /// Begins the next phase.
    pub fn begin_phase(&mut self, started_at: Instant, loop_kind: LoopKind) {
        let phase = self.next_phase();
        self.observer.iter_mut().for_each(|observer| observer.begin_phase(phase, started_at));
        self.analysis.begin_phase(started_at, loop_kind);
    }

    /// Has a phase also analysed as something else.
    pub fn add_observer(&mut self, observer: PhaseObserver) {
        self.observer = Some(observer);
    }

    /// What a phase is also analysed as, so far.
    pub fn observer(&self) -> Option<&PhaseObserver> {
        self.observer.as_ref()
    }

    /// Takes completions.
    pub fn keep(&mut self, completions: &[Completion]) {
        self.completions += completions.len() as u64;
        match &mut self.held {
            Some(held) => held.hold(completions),
            None => self.analyse(completions),
        }
        self.release();
        if let Some(digest) = &mut self.digest {
            digest.accept(completions);
        }
        if let Some(writer) = &mut self.writer {
            writer.append(completions);
        }
    }

    fn analyse(&mut self, completions: &[Completion]) {
        self.analysis.accept(completions);
        let standstills = self.analysis.standstills();
        self.observer.iter_mut().for_each(|observer| observer.accept(completions, standstills));
    }

    /// Analyses what is held and known by now.
    fn release(&mut self) {
        let Some(mut held) = self.held.take() else { return };
        held.look().into_iter().for_each(|standstill| self.analysis.note_standstill(standstill));
        held.release(|completions| self.analyse(completions));
        self.held = Some(held);
    }

    /// Analyses everything that was kept, when it is known whether the program stood still meanwhile: at once, but for a reading
    /// of the watch.
    pub fn settle(&mut self) {
        self.held.iter_mut().for_each(Held::wait);
        self.release();
    }

    /// Gives the writer its turn while nothing comes.
    pub fn idle(&mut self) {
        self.release();
        if let Some(writer) = &mut self.writer {
            writer.keep_safe();
        }
    }

    /// Counts completions that were lost on the way.
    pub fn lose(&mut self, count: u64) {
        self.lost_in_queues += count;
        self.completions += count;
    }

    /// The analysis so far.
    pub fn analysis(&self) -> &RunAnalysis {
        &self.analysis
    }

    /// Completions so far that are not in the records: lost on the way to the recorder, or not written.
    pub fn lost_records(&self) -> u64 {
        self.lost_in_queues + self.writer.as_ref().map_or(0, |writer| writer.written.lost)
    }

    /// The first error that lost records, in words, where one did.
    pub fn records_lost_because(&self) -> Option<&str> {
        self.writer.as_ref()?.written.first_error.as_deref()
    }

    /// Closes the records.
    pub fn finish(mut self) -> RecordedRun {
        self.settle();
        self.observer.iter_mut().for_each(PhaseObserver::finish);
        RecordedRun {
            analysis: self.analysis,
            observer: self.observer,
            written: self.writer.map(RunWriter::finish).unwrap_or_default(),
            digest: self.digest.map(|digest| digest.hex()),
            completions: self.completions,
            lost_in_queues: self.lost_in_queues,
        }
    }
}
