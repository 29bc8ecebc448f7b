//! `drivelab trace show`, and what other commands show of a trace.

use std::path::{Path, PathBuf};

use drivelab_inspect::InspectionDocument;
use drivelab_inspect::trace::{TraceReport, view};
use drivelab_record::{Notice, Severity};
use drivelab_runner::{Ending, Failure, Outputs, output};
use drivelab_view::Page;

use super::analysed::{Depth, TracePart, judged, read_trace};
use crate::args::{SlowArgs, TraceShowArgs};
use crate::commands::named_once::path_named_twice;

/// Reads the traces and shows them.
pub fn show_traces(args: &TraceShowArgs) -> Result<Ending, Failure> {
    if args.report.as_deref() == Some(Path::new("-")) {
        let text = "--report -: a page is not printed: name a file, such as trace.html, or leave --report out for the summary";
        return Err(Failure::Usage(text.to_owned()));
    }
    let outputs = Outputs { page: args.report.as_deref(), json: args.json.is_asked(), ..Outputs::default() };
    let depth = if args.report.is_some() { Depth::Page } else { Depth::Summary };
    let part = TracePart { phases: args.phases.request(), stretch: args.stretch.request() };
    show(&args.traces, &part, depth, &args.slow, &outputs)
}

/// Makes what was asked for of traces, with all that a page shows.
pub fn report(traces: &[PathBuf], slow: &SlowArgs, outputs: &Outputs<'_>) -> Result<Ending, Failure> {
    show(traces, &TracePart::default(), Depth::Page, slow, outputs)
}

/// Reads one trace that was just made, and prints what it shows.
pub fn made(trace: &Path, json: bool) -> Result<Ending, Failure> {
    let outputs = Outputs { json, ..Outputs::default() };
    let traces = [trace.to_owned()];
    show(&traces, &TracePart::default(), Depth::Summary, &SlowArgs::default(), &outputs)
}

/// Reads traces and makes what was asked for of them; figures that lack a part of one fail the check.
fn show(
    traces: &[PathBuf],
    part: &TracePart,
    depth: Depth,
    slow: &SlowArgs,
    outputs: &Outputs<'_>,
) -> Result<Ending, Failure> {
    if let Some(twice) = path_named_twice(traces) {
        // It would be compared with itself.
        return Err(Failure::Usage(format!("{} is named twice: name each trace once", twice.display())));
    }
    let read = traces.iter().map(|path| read_trace(path, part, depth, slow.thresholds()));
    let mut reports = read.collect::<Result<Vec<TraceReport>, Failure>>()?;
    tell_apart(&mut reports, traces);
    let judged = judged(&reports, slow.asked());
    let notices = reports.iter().flat_map(|report| &report.notices);
    let gaps: Vec<&Notice> = notices.filter(|notice| notice.severity == Severity::Failure).collect();
    if !outputs.json {
        gaps.iter().for_each(|gap| output::say(&gap.text));
    }
    let documents: Vec<_> = judged.iter().map(|trace| InspectionDocument::new(trace.found.clone())).collect();
    outputs.make(&Page::from_view(view(&judged)), &documents)?;
    Ok(if gaps.is_empty() { Ending::Passed } else { Ending::CheckFailed })
}

/// Adds the folder to names that several traces have.
fn tell_apart(reports: &mut [TraceReport], folders: &[PathBuf]) {
    let labels: Vec<String> = reports.iter().map(|report| report.label.clone()).collect();
    for ((report, folder), own) in reports.iter_mut().zip(folders).zip(&labels) {
        let folder = folder.display().to_string();
        if report.label != folder && labels.iter().filter(|label| *label == own).count() > 1 {
            report.label = format!("{own} ({folder})");
        }
    }
}
