//! Traces that are opened, read from their folders and analysed, their slow I/Os judged at one threshold.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{channel, sync_channel};
use std::thread;

use drivelab_block::TracedIo;
use drivelab_documents::review::is_review_folder;
use drivelab_documents::{ClockTime, Notice, PhaseRequest, Severity};
use drivelab_inspect::slow::{SlowReport, page_threshold};
use drivelab_inspect::trace::{
    AnalysedTrace, AskedLoad, StretchFindings, TraceDeviceFindings, TraceFindings, TracePhases, TraceSpan,
};
use drivelab_kinds::ResultKind as _;
use drivelab_kinds::replay::{Replay, ReplaySettings, ReplayTiming};
use drivelab_record::TracedReader;
use drivelab_runner::{Failure, usage};
use drivelab_stats::waiting::AwaitedWrites;
use drivelab_stats::{SlowThreshold, Thresholds, TraceAnalysis};
use drivelab_trace::{
    Device, Measured, SourceRun, StretchRequest, TraceManifest, TraceSource, is_trace_folder,
};

use crate::args::SlowArgs;

#[derive(Clone, Debug, Default)]
pub struct TracePart {
    /// Of a run, these phases.
    pub phases: PhaseRequest,
    /// The I/Os that were issued in this stretch.
    pub stretch: StretchRequest,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// What a summary shows.
    Summary,
    /// The course over time as well, which a page draws.
    Page,
}

/// Batches that are decoded ahead of the analysis.
const AHEAD: usize = 16;

/// Reads the part of each folder that is asked for: a trace, or a run as a trace of itself.
pub fn read_traces(
    paths: &[PathBuf],
    part: &TracePart,
    depth: Depth,
    slow: &SlowArgs,
) -> Result<Vec<AnalysedTrace>, Failure> {
    let read = paths.iter().map(|path| ReadTrace::read(path, part, depth, slow.thresholds()));
    let read = read.collect::<Result<Vec<ReadTrace>, Failure>>()?;
    let analyses: Vec<&TraceAnalysis> = read.iter().map(|one| &one.analysis).collect();
    let threshold = page_threshold(slow.asked, &analyses);
    Ok(read.into_iter().map(|one| one.judged(threshold)).collect())
}

struct ReadTrace {
    path: String,
    source: TraceSource,
    analysis: TraceAnalysis,
    faults: Vec<String>,
    /// I/Os of phases that were not asked for.
    left_out: u64,
}

impl ReadTrace {
    /// Reads a folder. Slow I/Os are counted at these thresholds.
    fn read(
        path: &Path,
        part: &TracePart,
        depth: Depth,
        thresholds: Thresholds,
    ) -> Result<ReadTrace, Failure> {
        let source = open_trace(path, &part.phases)?.stretch(part.stretch)?;
        let is_marked = source.marks_synchronous_writes();
        let awaited = if is_marked { AwaitedWrites::Synchronous } else { AwaitedWrites::All };
        let nanos_of_day = source.manifest().began().map_or(0, ClockTime::nanos_of_day);
        let mut analysis = TraceAnalysis::begun_at(thresholds, nanos_of_day).with_awaited(awaited);
        if depth == Depth::Page {
            analysis = analysis.with_course();
        }
        let (faults, left_out) = analyse(source.reader()?, &mut analysis);
        if analysis.requests() == 0 {
            source.check_stretch()?;
        }
        Ok(ReadTrace { path: path.display().to_string(), source, analysis, faults, left_out })
    }

    fn judged(self, threshold: SlowThreshold) -> AnalysedTrace {
        let manifest = self.source.manifest();
        let began = manifest.began();
        let about = TraceFindings {
            source: manifest.source.clone(),
            version: manifest.version.clone(),
            began,
            machine: manifest.started.as_ref().map(|started| started.machine.clone()),
            stretch: self.source.within.map(|within| StretchFindings::from_bounds(within, began)),
            devices: manifest.devices.iter().map(device).collect(),
            ..TraceFindings::default()
        };
        let (about, asked) = match self.source.run() {
            Some(run) => (self.about_run(run, about), asked_of_run(run)),
            None => (self.about_trace(manifest, about), AskedLoad::AsTraced),
        };
        let slow = slow_report(&self.analysis, threshold);
        let found = about.with_figures(&self.analysis, &manifest.processes, &slow);
        AnalysedTrace { found, asked, analysis: self.analysis, slow }
    }

    fn about_trace(&self, manifest: &TraceManifest, about: TraceFindings) -> TraceFindings {
        let mut notes = manifest.notices.clone();
        let has_ended = manifest.account.is_some();
        if !has_ended {
            notes.push("The trace was not ended, or still goes on: what there is of it is shown.".to_owned());
        }
        let account = manifest.account.as_ref().or(manifest.so_far.as_ref()).cloned().unwrap_or_default();
        notes.extend(account.losses());
        notes.extend(account.left_out.iter().map(|(what, count)| format!("Left out: {count} {what}.")));
        if account.removed > 0 {
            let removed = account.removed;
            notes.push(format!("The oldest {removed} requests were removed to keep within the limit."));
        }
        notes.extend(account.damage_told().map(|damage| format!("The source is damaged: {damage}.")));
        // Of a trace that goes on, or was killed, it is not known how many there should be; a segment that cannot be read has a
        // sentence of its own.
        let is_all_read = has_ended && self.faults.is_empty() && self.source.within.is_none();
        let found = if is_all_read { self.analysis.requests() } else { u64::MAX };
        // What found no room comes first: a segment that was given up for it is not there either.
        let mut gaps = account.gaps(found);
        let again = if manifest.is_recorded() { "record" } else { "import" };
        gaps.extend(self.faults.iter().map(|fault| missing(fault, again)));
        TraceFindings {
            trace: manifest.label.clone().unwrap_or_else(|| self.path.clone()),
            rejected: account.rejected,
            unpaired_reasons: account.unpaired,
            lost_events: account.lost_events,
            other_lines: account.other_lines,
            notices: notices(gaps, notes),
            ..about
        }
    }

    fn about_run(&self, run: &SourceRun, about: TraceFindings) -> TraceFindings {
        let mut gaps: Vec<String> = self.faults.iter().map(|fault| missing(fault, "measure")).collect();
        let gap = gap_of_run(run, self.analysis.requests() + self.left_out);
        gaps.extend(gap.filter(|_| self.source.within.is_none()));
        TraceFindings {
            trace: run.manifest.given_name.clone().unwrap_or_else(|| self.path.clone()),
            phases: Some(TracePhases::from_chosen(&run.chosen, self.left_out)),
            notices: notices(gaps, notices_of_run(run, &self.analysis)),
            ..about
        }
    }
}

/// What the reader has to know: what is missing first.
fn notices(gaps: Vec<String>, notes: Vec<String>) -> Vec<Notice> {
    let notes = notes.into_iter().map(|text| Notice { severity: Severity::Note, text });
    gaps.into_iter().map(Notice::failure).chain(notes).collect()
}

fn device(device: &Device) -> TraceDeviceFindings {
    let measured = match device.measured {
        Measured::IssueToComplete => TraceSpan::IssueToComplete,
        Measured::QueueToComplete => TraceSpan::QueueToComplete,
        Measured::Nothing => TraceSpan::Nothing,
    };
    TraceDeviceFindings { name: device.name.clone(), measured, ..TraceDeviceFindings::default() }
}

/// Says of a part of the records that it is not in the figures, and what makes it whole: to import, record or measure again.
fn missing(fault: &str, again: &str) -> String {
    format!("Figures lack a part of the trace: {fault}. Take a copy that is whole, or {again} it again.")
}

/// Analyses all records, which another thread decodes meanwhile. Returns what cannot be read, and how many I/Os of phases that
/// were not asked for were left out.
fn analyse(mut reader: TracedReader, analysis: &mut TraceAnalysis) -> (Vec<String>, u64) {
    thread::scope(|scope| {
        let (decoded, batches) = sync_channel::<Vec<TracedIo>>(AHEAD);
        let (used, free) = channel();
        let decoder = scope.spawn(move || {
            while let Some(batch) = reader.next_batch() {
                if decoded.send(batch).is_err() {
                    break;
                }
                free.try_iter().for_each(|batch| reader.recycle(batch));
            }
            (reader.faults().to_vec(), reader.left_out())
        });
        for batch in batches {
            batch.iter().for_each(|io| analysis.add(io));
            // After the last batch nobody takes it back.
            let _ = used.send(batch);
        }
        decoder.join().expect("the decoder does not panic")
    })
}

/// [`SlowReport::from_analysis`] that judges reads, writes and both at the same time.
fn slow_report(analysis: &TraceAnalysis, threshold: SlowThreshold) -> SlowReport {
    thread::scope(|scope| {
        let directions = analysis.directions();
        let directions = directions.map(|direction| scope.spawn(move || direction.judge(threshold)));
        let all = analysis.bunching_of_all.judge(threshold);
        let [read, write] = directions.map(|judged| judged.join().expect("judging does not panic"));
        SlowReport { threshold, read, write, all }
    })
}

/// Opens a folder. Of a review, the error says what shows that.
pub fn open_trace(path: &Path, phases: &PhaseRequest) -> Result<TraceSource, Failure> {
    if is_review_folder(path) && !is_trace_folder(path) {
        let shown = path.display();
        return Err(usage!(
            "{shown} is the folder of a review: type drivelab report {shown}, or name the folder of one of its results in it"
        ));
    }
    Ok(TraceSource::open(path, phases)?)
}

/// Who asked for its load: a replay at the trace's own times asks for what the trace does.
fn asked_of_run(run: &SourceRun) -> AskedLoad {
    let (kind, settings) = (run.manifest.method.clone(), run.manifest.settings.clone());
    let is_as_traced = |asked: &ReplaySettings| {
        let is_at_its_speed = (asked.speed - 1.0).abs() < f64::EPSILON;
        asked.timing == ReplayTiming::Recorded && is_at_its_speed && asked.max_idle_ns.is_none()
    };
    match serde_json::from_value::<ReplaySettings>(settings.clone()) {
        Ok(asked) if kind == Replay::NAME && is_as_traced(&asked) => AskedLoad::AsTraced,
        _ => AskedLoad::Test { kind, settings },
    }
}

/// What the reader has to know before believing the figures, a sentence each.
fn notices_of_run(run: &SourceRun, analysis: &TraceAnalysis) -> Vec<String> {
    let mut notices = Vec::new();
    if run.manifest.outcome.is_none() {
        notices.push("The run was killed, or still goes on: what there is of it is shown.".to_owned());
    }
    if analysis.failed > 0 {
        let failed = analysis.failed;
        notices
            .push(format!("{failed} I/Os failed: they are in the figures with the time until their error."));
    }
    notices
}

/// That completions of the run are not in its records, where they are not; `found` were read, of all phases.
pub fn gap_of_run(run: &SourceRun, found: u64) -> Option<String> {
    let whole = run.manifest.outcome.as_ref()?.completions;
    let lost = whole.checked_sub(found).filter(|lost| *lost > 0)?;
    Some(format!("Figures lack {lost} of the run's {whole} completions, which are not in its records."))
}
