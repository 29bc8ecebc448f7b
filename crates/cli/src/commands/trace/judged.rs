//! Traces whose slow I/Os are judged, all at one threshold.

use std::thread;

use drivelab_block::Nanos;
use drivelab_inspect::slow::{SlowReport, page_threshold};
use drivelab_inspect::trace::TraceReport;
use drivelab_stats::{SlowThreshold, TraceAnalysis};

use super::analysed::AnalysedTrace;

/// The traces as reports show them, with slow I/Os from the time on that was asked for, if any.
pub fn judged(traces: &[AnalysedTrace], slow: Option<Nanos>) -> Vec<TraceReport<'_>> {
    let analyses: Vec<&TraceAnalysis> = traces.iter().map(AnalysedTrace::analysis).collect();
    let threshold = page_threshold(slow, &analyses);
    traces.iter().map(|trace| trace.report(slow_report(trace.analysis(), threshold))).collect()
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
