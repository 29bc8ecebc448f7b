//! `drivelab trace show`.

use drivelab_report::{TraceDocument, trace_terminal};

use super::analysed::AnalysedTrace;
use crate::args::TraceShowArgs;
use crate::commands::output;
use crate::exit::{Ending, Failure};

/// Reads the trace and shows it.
pub fn main(args: &TraceShowArgs) -> Result<Ending, Failure> {
    print(&AnalysedTrace::read(&args.trace)?, args.json)
}

/// Prints what a trace comes to; figures that lack a part of it fail the check.
pub fn print(trace: &AnalysedTrace, json: bool) -> Result<Ending, Failure> {
    let report = trace.report();
    if json {
        output::print_json(&TraceDocument::of(&report))?;
    } else {
        trace.gaps().iter().for_each(output::say);
        output::print(&trace_terminal(&report, output::style()))?;
    }
    Ok(if trace.gaps().is_empty() { Ending::Passed } else { Ending::CheckFailed })
}
