//! `drivelab trace show`.

use drivelab_report::{
    TraceDocument, TraceReport, TracesDocument, trace_terminal, traces_html, traces_terminal,
};
use drivelab_runner::{Ending, Failure, output};

use super::analysed::{AnalysedTrace, Depth};
use crate::args::TraceShowArgs;

/// Reads the traces and shows them.
pub fn main(args: &TraceShowArgs) -> Result<Ending, Failure> {
    let depth = if args.report.is_some() { Depth::Page } else { Depth::Summary };
    let request = args.phases.request();
    let read = args.traces.iter().map(|path| AnalysedTrace::read(path, &request, depth));
    let traces = read.collect::<Result<Vec<AnalysedTrace>, Failure>>()?;
    if let Some(path) = &args.report {
        let reports: Vec<TraceReport<'_>> = traces.iter().map(AnalysedTrace::report).collect();
        output::write_file(path, traces_html(&reports).as_bytes())?;
    }
    let ending = print(&traces, args.json)?;
    if let Some(path) = args.report.as_ref().filter(|_| !args.json) {
        output::say(format_args!("report: {}", path.display()));
    }
    Ok(ending)
}

/// Prints what traces come to; figures that lack a part of one fail the check.
pub fn print(traces: &[AnalysedTrace], json: bool) -> Result<Ending, Failure> {
    let reports: Vec<TraceReport<'_>> = traces.iter().map(AnalysedTrace::report).collect();
    match &reports[..] {
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
