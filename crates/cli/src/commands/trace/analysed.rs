//! Traces as they are shown: opened, read, and judged.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::mpsc::{channel, sync_channel};
use std::thread;

use drivelab_block::{Nanos, TracedIo};
use drivelab_inspect::slow::{SlowReport, page_threshold};
use drivelab_inspect::trace::{AskedLoad, JudgedTrace, TraceDevice, TracePhases, TraceReport, TraceSpan};
use drivelab_kinds::ResultKind as _;
use drivelab_kinds::replay::{Replay, ReplaySettings, ReplayTiming};
use drivelab_record::{ClockTime, IssuedWithin, Notice, PhaseRequest, Severity, TracedReader};
use drivelab_review::is_review_folder;
use drivelab_runner::Failure;
use drivelab_stats::waiting::AwaitedWrites;
use drivelab_stats::{SlowThreshold, Thresholds, TraceAnalysis};
use drivelab_trace::{
    Device, Measured, SourceRun, StretchRequest, TraceManifest, TraceSource, is_trace_folder,
};

/// Which part of a folder is read.
#[derive(Clone, Debug, Default)]
pub struct TracePart {
    /// Of a run, these phases.
    pub phases: PhaseRequest,
    /// The I/Os that were issued in this stretch.
    pub stretch: StretchRequest,
}

/// How much is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// What a summary shows.
    Summary,
    /// The course over time as well, which a page draws.
    Page,
}

/// Batches that are decoded ahead of the analysis.
const AHEAD: usize = 16;

/// Reads the part of a folder that is asked for: of a trace, or of a run as a trace of itself. Slow I/Os are counted at these
/// thresholds.
pub fn read_trace(
    path: &Path,
    part: &TracePart,
    depth: Depth,
    thresholds: Thresholds,
) -> Result<TraceReport, Failure> {
    let source = open_trace(path, &part.phases)?.stretch(part.stretch)?;
    let is_marked = source.marks_synchronous_writes();
    let awaited = if is_marked { AwaitedWrites::Synchronous } else { AwaitedWrites::All };
    let nanos_of_day = source.manifest().began().map_or(0, ClockTime::nanos_of_day);
    let analysis = TraceAnalysis::begun_at(thresholds, nanos_of_day).with_awaited(awaited);
    let read = ReadTrace { within: source.within(), ..analyse(source.reader()?, depth, analysis) };
    if read.analysis.requests() == 0 {
        source.check_stretch()?;
    }
    let path = path.display().to_string();
    Ok(match source.run() {
        Some(run) => report_of_run(path, source.manifest(), run, read),
        None => report_of_trace(path, source.manifest().clone(), read),
    })
}

fn report_of_trace(path: String, manifest: TraceManifest, read: ReadTrace) -> TraceReport {
    let ReadTrace { within, analysis, faults, .. } = read;
    let (began, is_recorded) = (manifest.began(), manifest.is_recorded());
    let TraceManifest {
        label,
        source,
        version,
        started,
        devices,
        processes,
        mut notices,
        account,
        so_far,
        ..
    } = manifest;
    if account.is_none() {
        notices.push("The trace was not ended, or still goes on: what there is of it is shown.".to_owned());
    }
    let has_ended = account.is_some();
    let account = account.or(so_far).unwrap_or_default();
    notices.extend(account.losses());
    notices.extend(account.left_out.iter().map(|(what, count)| format!("Left out: {count} {what}.")));
    if account.removed > 0 {
        let removed = account.removed;
        notices.push(format!("The oldest {removed} requests were removed to keep within the limit."));
    }
    notices.extend(account.damage_told().map(|damage| format!("The source is damaged: {damage}.")));
    // Of a trace that goes on, or was killed, it is not known how many there should be; a segment that cannot be read has a
    // sentence of its own.
    let is_all_read = has_ended && faults.is_empty() && within.is_none();
    let found = if is_all_read { analysis.requests() } else { u64::MAX };
    // What found no room comes first: a segment that was given up for it is not there either.
    let mut gaps = account.gaps(found);
    let again = if is_recorded { "record" } else { "import" };
    gaps.extend(faults.iter().map(|fault| missing(fault, again)));
    TraceReport {
        label: label.unwrap_or(path),
        asked: AskedLoad::AsTraced,
        source,
        version,
        began,
        machine: started.map(|started| started.machine),
        phases: None,
        within,
        devices: devices.iter().map(device).collect(),
        processes,
        rejected: account.rejected,
        unpaired: account.unpaired,
        lost_events: account.lost_events,
        other_lines: account.other_lines,
        notices: to_know(gaps, notices),
        analysis,
    }
}

fn report_of_run(path: String, manifest: &TraceManifest, run: &SourceRun, read: ReadTrace) -> TraceReport {
    let ReadTrace { within, analysis, faults, left_out } = read;
    let mut gaps: Vec<String> = faults.iter().map(|fault| missing(fault, "measure")).collect();
    gaps.extend(gap_of_run(run, analysis.requests() + left_out).filter(|_| within.is_none()));
    TraceReport {
        label: run.manifest.given_name.clone().unwrap_or(path),
        asked: asked_of_run(run),
        source: manifest.source.clone(),
        version: manifest.version.clone(),
        began: manifest.began(),
        machine: manifest.started.as_ref().map(|started| started.machine.clone()),
        phases: Some(TracePhases::from_chosen(&run.chosen, left_out)),
        within,
        devices: manifest.devices.iter().map(device).collect(),
        processes: manifest.processes.clone(),
        rejected: BTreeMap::new(),
        unpaired: BTreeMap::new(),
        lost_events: 0,
        other_lines: 0,
        notices: to_know(gaps, notices_of_run(run, &analysis)),
        analysis,
    }
}

/// What the reader has to know: first what is not in the figures and should be, a sentence each.
fn to_know(gaps: Vec<String>, notices: Vec<String>) -> Vec<Notice> {
    let notice = |severity| move |text| Notice { severity, text };
    let gaps = gaps.into_iter().map(notice(Severity::Failure));
    gaps.chain(notices.into_iter().map(notice(Severity::Note))).collect()
}

fn device(device: &Device) -> TraceDevice {
    let measured = match device.measured {
        Measured::IssueToComplete => TraceSpan::IssueToComplete,
        Measured::QueueToComplete => TraceSpan::QueueToComplete,
        Measured::Nothing => TraceSpan::Nothing,
    };
    TraceDevice { name: device.name.clone(), measured }
}

/// Says of a part of the records that it is not in the figures, and what makes it whole: to import, record or measure again.
fn missing(fault: &str, again: &str) -> String {
    format!("Figures lack a part of the trace: {fault}. Take a copy that is whole, or {again} it again.")
}

/// What was read of a trace.
struct ReadTrace {
    /// The part that was read, where it is not all of the trace.
    within: Option<IssuedWithin>,
    analysis: TraceAnalysis,
    /// What cannot be read.
    faults: Vec<String>,
    /// I/Os of phases that were not asked for.
    left_out: u64,
}

/// Analyses all records, which another thread decodes meanwhile.
fn analyse(mut reader: TracedReader, depth: Depth, analysis: TraceAnalysis) -> ReadTrace {
    let mut analysis = match depth {
        Depth::Summary => analysis,
        Depth::Page => analysis.with_course(),
    };
    let (faults, left_out) = thread::scope(|scope| {
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
    });
    ReadTrace { within: None, analysis, faults, left_out }
}

/// The traces with what is found in them, with slow I/Os from the time on that was asked for, if any.
pub fn judged(traces: &[TraceReport], slow: Option<Nanos>) -> Vec<JudgedTrace<'_>> {
    let analyses: Vec<&TraceAnalysis> = traces.iter().map(|trace| &trace.analysis).collect();
    let threshold = page_threshold(slow, &analyses);
    traces.iter().map(|trace| JudgedTrace::new(trace, slow_report(&trace.analysis, threshold))).collect()
}

/// [`SlowReport::from_analysis`] that judges reads, writes and both at the same time.
fn slow_report(analysis: &TraceAnalysis, threshold: SlowThreshold) -> SlowReport {
    thread::scope(|scope| {
        let directions = analysis.directions();
        let directions = directions.map(|direction| scope.spawn(move || direction.judge(threshold)));
        let all = analysis.bunching_of_all().judge(threshold);
        let [read, write] = directions.map(|judged| judged.join().expect("judging does not panic"));
        SlowReport { threshold, read, write, all }
    })
}

/// Opens a folder.
///
/// # Errors
/// Where it is that of no trace and no run; of a review, it says what shows that.
pub fn open_trace(path: &Path, phases: &PhaseRequest) -> Result<TraceSource, Failure> {
    if is_review_folder(path) && !is_trace_folder(path) {
        let shown = path.display();
        return Err(Failure::Usage(format!(
            "{shown} is the folder of a review: type drivelab report {shown}, or name the folder of one of its results in it"
        )));
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
    if analysis.failed() > 0 {
        let failed = analysis.failed();
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
