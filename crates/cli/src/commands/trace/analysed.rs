//! A trace that was read from its folder, and what it comes to.

use std::path::Path;
use std::sync::mpsc::{channel, sync_channel};
use std::thread;

use drivelab_analysis::TraceAnalysis;
use drivelab_block::{Completion, Op, TracedIo};
use drivelab_record::{LoopLabel, Row, RunFolder, SortedReader, is_run_folder};
use drivelab_report::{Chances, TraceDevice, TraceReport};
use drivelab_runner::Failure;
use drivelab_trace::{Account, Device, Measured, TraceFolder, TraceManifest};

/// A trace, or a run as a trace of itself.
pub struct AnalysedTrace {
    label: String,
    source: String,
    devices: Vec<TraceDevice>,
    account: Account,
    notices: Vec<String>,
    /// What is not in the figures and should be, a sentence each.
    gaps: Vec<String>,
    analysis: TraceAnalysis,
    chances: Chances,
}

/// How much is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// What a summary says.
    Summary,
    /// The course over time as well, which a page draws.
    Page,
}

/// Batches that are decoded ahead of the analysis.
const AHEAD: usize = 16;

impl AnalysedTrace {
    /// Reads a folder.
    pub fn read(path: &Path, depth: Depth) -> Result<AnalysedTrace, Failure> {
        let read = if is_run_folder(path) { AnalysedTrace::of_run } else { AnalysedTrace::of_trace };
        read(path, depth)
    }

    fn of_trace(path: &Path, depth: Depth) -> Result<AnalysedTrace, Failure> {
        let (folder, manifest) = TraceFolder::open(path)?;
        let (analysis, faults) = analyse(folder.reader()?, depth, |io: &TracedIo| *io);
        let TraceManifest { source, devices, mut notices, account, so_far, .. } = manifest;
        if account.is_none() {
            notices
                .push("The trace was not ended, or still goes on: what there is of it is shown.".to_owned());
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
        let devices = devices.iter().map(device).collect();
        // Of a trace that goes on, or was killed, nobody knows how many there should be; a segment that cannot be read is
        // told by itself.
        let found = if has_ended && faults.is_empty() { analysis.requests() } else { u64::MAX };
        // What found no room comes first: a segment that was given up for it is not there either.
        let mut gaps = account.gaps(found);
        gaps.extend(faults.iter().map(missing));
        Ok(AnalysedTrace {
            label: path.display().to_string(),
            source,
            devices,
            account,
            notices,
            gaps,
            chances: chances(&analysis),
            analysis,
        })
    }

    fn of_run(path: &Path, depth: Depth) -> Result<AnalysedTrace, Failure> {
        let (folder, manifest) = RunFolder::open(path)?;
        let reader = SortedReader::open(&folder.segments(), 0)?;
        let closed: Vec<bool> =
            manifest.phases.iter().map(|phase| phase.loop_label == LoopLabel::Closed).collect();
        let (analysis, faults) = analyse(reader, depth, |completion: &Completion| {
            let io = TracedIo::from(completion);
            // In a closed loop nothing has a time before it was asked: there is no wait to know of.
            let is_closed = closed.get(usize::from(completion.phase.0)).copied().unwrap_or(false);
            if is_closed { TracedIo { queued_for: None, ..io } } else { io }
        });
        let mut gaps: Vec<String> = faults.iter().map(missing).collect();
        let mut notices = Vec::new();
        match &manifest.outcome {
            None => {
                notices
                    .push("The run was killed, or still goes on: what there is of it is shown.".to_owned());
            }
            Some(outcome) if outcome.failed > 0 => notices.push(format!(
                "{} I/Os failed: they are in the figures with the time until their error.",
                outcome.failed
            )),
            Some(_) => {}
        }
        if let Some(outcome) = manifest.outcome.filter(|outcome| outcome.completions > analysis.requests()) {
            let lost = outcome.completions - analysis.requests();
            let whole = outcome.completions;
            gaps.push(format!(
                "Figures lack {lost} of the run's {whole} completions, which are not in its records."
            ));
        }
        // Above a real drive lies the kernel, whose part of the time nobody saw.
        let measured =
            if manifest.drive.simulated { Measured::IssueToComplete } else { Measured::QueueToComplete };
        Ok(AnalysedTrace {
            label: path.display().to_string(),
            source: format!("run of {}", manifest.method),
            devices: vec![TraceDevice { name: manifest.target, measured: measured.name().to_owned() }],
            account: Account::default(),
            notices,
            gaps,
            chances: chances(&analysis),
            analysis,
        })
    }

    /// What is not in the figures and should be, a sentence each.
    pub fn gaps(&self) -> &[String] {
        &self.gaps
    }

    /// The trace as reports show it.
    pub fn report(&self) -> TraceReport<'_> {
        TraceReport {
            label: self.label.clone(),
            source: self.source.clone(),
            devices: self.devices.clone(),
            rejected: self.account.rejected.clone(),
            unpaired: self.account.unpaired.clone(),
            lost_events: self.account.lost_events,
            other_lines: self.account.other_lines,
            notices: self.gaps.iter().chain(&self.notices).cloned().collect(),
            analysis: &self.analysis,
            chances: self.chances,
        }
    }
}

fn device(device: &Device) -> TraceDevice {
    TraceDevice { name: device.name.clone(), measured: device.measured.name().to_owned() }
}

/// Says of a part of the records that it is not in the figures.
fn missing(fault: &String) -> String {
    format!("Figures lack a part of the trace: {fault}.")
}

/// Analyses all records, which another thread decodes meanwhile. Gives what cannot be read besides.
fn analyse<R: Row + Send>(
    mut reader: SortedReader<R>,
    depth: Depth,
    as_traced: impl Fn(&R) -> TracedIo,
) -> (TraceAnalysis, Vec<String>) {
    let mut analysis = match depth {
        Depth::Summary => TraceAnalysis::default(),
        Depth::Page => TraceAnalysis::with_course(),
    };
    let faults = thread::scope(|scope| {
        let (decoded, batches) = sync_channel::<Vec<R>>(AHEAD);
        let (used, free) = channel();
        let decoder = scope.spawn(move || {
            while let Some(batch) = reader.next_batch() {
                if decoded.send(batch).is_err() {
                    break;
                }
                free.try_iter().for_each(|batch| reader.recycle(batch));
            }
            reader.faults().to_vec()
        });
        for batch in batches {
            batch.iter().for_each(|record| analysis.add(&as_traced(record)));
            // After the last batch nobody takes it back.
            let _ = used.send(batch);
        }
        decoder.join().expect("the decoder does not panic")
    });
    (analysis, faults)
}

/// Asks chance about reads, writes and both, side by side.
fn chances(analysis: &TraceAnalysis) -> Chances {
    thread::scope(|scope| {
        let read = scope.spawn(|| analysis.bunching(Op::Read).chance());
        let write = scope.spawn(|| analysis.bunching(Op::Write).chance());
        let all = analysis.bunching_of_all().chance();
        let [read, write] = [read, write].map(|asked| asked.join().expect("asking chance does not panic"));
        Chances { read, write, all }
    })
}
