//! `drivelab trace show`.

use std::path::Path;

use drivelab_analysis::Thresholds;
use drivelab_record::PhaseRequest;
use drivelab_report::{
    TraceDocument, TraceReport, TracesDocument, trace_terminal, traces_html, traces_terminal,
};
use drivelab_runner::{Ending, Failure, output};

use super::analysed::{AnalysedTrace, Depth};
use super::judged::judged;
use crate::args::{SlowArgs, TraceShowArgs};

/// Reads the traces and shows them.
pub fn main(args: &TraceShowArgs) -> Result<Ending, Failure> {
    let depth = if args.report.is_some() { Depth::Page } else { Depth::Summary };
    let request = args.phases.request();
    let counted = (depth, args.slow.thresholds());
    let read = args.traces.iter().map(|path| AnalysedTrace::read(path, &request, counted));
    let traces = read.collect::<Result<Vec<AnalysedTrace>, Failure>>()?;
    let reports = judged(&traces, &args.slow);
    if let Some(path) = &args.report {
        output::write_file(path, traces_html(&reports).as_bytes())?;
    }
    let ending = print(&traces, &reports, args.json.is_asked())?;
    if let Some(path) = args.report.as_ref().filter(|_| !args.json.is_asked()) {
        output::say(format_args!("report: {}", path.display()));
    }
    Ok(ending)
}

/// Reads one trace that was just made, and prints what it comes to.
pub fn made(trace: &Path, json: bool) -> Result<Ending, Failure> {
    let counted = (Depth::Summary, Thresholds::default());
    let traces = [AnalysedTrace::read(trace, &PhaseRequest::Measured, counted)?];
    print(&traces, &judged(&traces, &SlowArgs::default()), json)
}

/// Prints what traces come to; figures that lack a part of one fail the check.
fn print(traces: &[AnalysedTrace], reports: &[TraceReport<'_>], json: bool) -> Result<Ending, Failure> {
    match reports {
        [report] if json => output::print_json(&TraceDocument::of(report))?,
        reports if json => output::print_json(&TracesDocument::of(reports))?,
        reports => {
            traces.iter().flat_map(AnalysedTrace::gaps).for_each(output::say);
            output::print(&words(reports))?
        }
    };
    let is_whole = traces.iter().all(|trace| trace.gaps().is_empty());
    Ok(if is_whole { Ending::Passed } else { Ending::CheckFailed })
}

/// Each trace, and several side by side.
fn words(reports: &[TraceReport<'_>]) -> String {
    let style = output::style();
    let mut parts: Vec<String> = reports.iter().map(|report| trace_terminal(report, style)).collect();
    if reports.len() > 1 {
        parts.push(traces_terminal(reports, style));
    }
    parts.join("\n")
}
