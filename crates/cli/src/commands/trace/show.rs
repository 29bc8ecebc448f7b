//! `drivelab trace show`, and what other commands show of a trace.

use std::path::{Path, PathBuf};

use drivelab_inspect::InspectionDocument;
use drivelab_inspect::trace::{AnalysedTrace, view};
use drivelab_runner::{Ending, Failure, Outputs, output, usage};
use drivelab_view::Page;

use super::analysed::{Depth, TracePart, read_traces};
use crate::args::{SlowArgs, TraceShowArgs};
use crate::commands::folders::path_named_twice;

pub fn show_traces(args: &TraceShowArgs) -> Result<Ending, Failure> {
    if args.report.as_deref() == Some(Path::new("-")) {
        return Err(usage!(
            "--report -: a page is not printed: name a file, such as trace.html, or leave --report out for the summary"
        ));
    }
    let outputs = Outputs { page: args.report.as_deref(), json: args.json.is_asked, ..Outputs::default() };
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
    paths: &[PathBuf],
    part: &TracePart,
    depth: Depth,
    slow: &SlowArgs,
    outputs: &Outputs<'_>,
) -> Result<Ending, Failure> {
    if let Some(twice) = path_named_twice(paths) {
        // It would be compared with itself.
        return Err(usage!("{} is named twice: name each trace once", twice.display()));
    }
    let mut traces = read_traces(paths, part, depth, slow)?;
    tell_apart(&mut traces, paths);
    if !outputs.json {
        traces.iter().flat_map(|trace| trace.found.gaps()).for_each(output::say);
    }
    let documents: Vec<_> = traces.iter().map(|trace| InspectionDocument::new(trace.found.clone())).collect();
    outputs.make(&Page::from_view(view(&traces)), &documents)?;
    let is_whole = traces.iter().all(|trace| trace.found.gaps().next().is_none());
    Ok(if is_whole { Ending::Passed } else { Ending::CheckFailed })
}

/// Adds the folder to names that several traces have.
fn tell_apart(traces: &mut [AnalysedTrace], paths: &[PathBuf]) {
    let names: Vec<String> = traces.iter().map(|trace| trace.found.trace.clone()).collect();
    for ((trace, path), own) in traces.iter_mut().zip(paths).zip(&names) {
        let path = path.display().to_string();
        if *own != path && names.iter().filter(|name| *name == own).count() > 1 {
            trace.found.trace = format!("{own} ({path})");
        }
    }
}
