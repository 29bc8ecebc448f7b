//! The I/Os of a trace, or of phases of a run read as a trace.

use drivelab_block::{Completion, TracedIo};
use drivelab_stats::{LoopKind, Standstills};

use crate::in_order::SPARE_BATCHES;
use crate::sorted::SortedReader;
use drivelab_documents::{ChosenPhases, Manifest};

/// A part of a trace by the times at which its I/Os were issued, in nanoseconds after the trace's beginning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IssuedWithin {
    /// From when on.
    pub from: u64,
    /// Until before when; to the end of the trace where there is none.
    pub until: Option<u64>,
}

impl IssuedWithin {
    fn holds(self, io: &TracedIo) -> bool {
        io.issued_at.as_nanos() >= self.from && !self.is_before(io)
    }

    /// Whether it was over when this I/O was issued.
    fn is_before(self, io: &TracedIo) -> bool {
        self.until.is_some_and(|until| io.issued_at.as_nanos() >= until)
    }
}

/// Streams I/Os in the order of their issue, from the records of a trace or from those of a run.
pub struct TracedReader {
    source: TracedRecords,
    within: Option<IssuedWithin>,
}

enum TracedRecords {
    Trace(SortedReader<TracedIo>),
    Run(RunIos),
}

/// The completions of a run as I/Os of a trace.
struct RunIos {
    reader: SortedReader<Completion>,
    chosen: ChosenPhases,
    /// Which phases are closed loops: nothing has a time there before it was asked, so there is no wait to know of.
    closed: Vec<bool>,
    /// When the program stood still: the times of I/Os that were in flight then are not the drive's.
    standstills: Standstills,
    /// Completions of phases that are not taken, as far as was read.
    left_out: u64,
    spare: Vec<Vec<TracedIo>>,
}

impl From<SortedReader<TracedIo>> for TracedReader {
    fn from(reader: SortedReader<TracedIo>) -> TracedReader {
        TracedReader { source: TracedRecords::Trace(reader), within: None }
    }
}

impl TracedReader {
    /// Reads the chosen phases of the run that this manifest describes.
    pub fn of_run(
        reader: SortedReader<Completion>,
        manifest: &Manifest,
        chosen: ChosenPhases,
    ) -> TracedReader {
        let closed = manifest.phases.iter().map(|phase| phase.loop_label == LoopKind::Closed).collect();
        let standstills = manifest.standstills();
        let (left_out, spare) = (0, Vec::new());
        let source = TracedRecords::Run(RunIos { reader, chosen, closed, standstills, left_out, spare });
        TracedReader { source, within: None }
    }

    /// The same, of a part of the trace; none takes all of it. What follows that part is not read.
    #[must_use]
    pub fn within(self, within: Option<IssuedWithin>) -> TracedReader {
        TracedReader { within, ..self }
    }

    /// The next I/Os, a few thousand at a time; `None` at the end.
    pub fn next_batch(&mut self) -> Option<Vec<TracedIo>> {
        loop {
            let mut batch = match &mut self.source {
                TracedRecords::Trace(reader) => reader.next_batch(),
                TracedRecords::Run(run) => run.next_batch(),
            }?;
            let Some(within) = self.within else { return Some(batch) };
            if batch.first().is_some_and(|first| within.is_before(first)) {
                return None;
            }
            batch.retain(|io| within.holds(io));
            if !batch.is_empty() {
                return Some(batch);
            }
            self.recycle(batch);
        }
    }

    /// Takes a batch that is no longer needed: its memory is used again.
    pub fn recycle(&mut self, batch: Vec<TracedIo>) {
        match &mut self.source {
            TracedRecords::Trace(reader) => reader.recycle(batch),
            TracedRecords::Run(run) if run.spare.len() < SPARE_BATCHES => run.spare.push(batch),
            TracedRecords::Run(_) => {}
        }
    }

    /// What of the records is not there or cannot be read, as far as was read until now; each a few words.
    pub fn faults(&self) -> &[String] {
        match &self.source {
            TracedRecords::Trace(reader) => reader.faults(),
            TracedRecords::Run(run) => run.reader.faults(),
        }
    }

    /// I/Os of phases that are not taken, as far as was read until now; 0 for a trace.
    pub fn left_out(&self) -> u64 {
        match &self.source {
            TracedRecords::Trace(_) => 0,
            TracedRecords::Run(run) => run.left_out,
        }
    }
}

impl RunIos {
    fn next_batch(&mut self) -> Option<Vec<TracedIo>> {
        loop {
            let completions = self.reader.next_batch()?;
            let mut batch = self.spare.pop().unwrap_or_default();
            batch.clear();
            batch.extend(completions.iter().filter_map(|completion| {
                let phase = usize::from(completion.phase.0);
                let is_closed = self.closed.get(phase).copied().unwrap_or(false);
                let kind = if is_closed { LoopKind::Closed } else { LoopKind::Open };
                let judgement = self.standstills.judge(completion, kind);
                let io = TracedIo::from(completion);
                self.chosen.takes(phase).then_some(TracedIo {
                    queued_for: io.queued_for.filter(|_| !is_closed && judgement.is_whole()),
                    service: io.service.and(judgement.service.nanos()),
                    ..io
                })
            }));
            self.left_out += (completions.len() - batch.len()) as u64;
            self.reader.recycle(completions);
            if !batch.is_empty() {
                return Some(batch);
            }
            self.spare.push(batch);
        }
    }
}
