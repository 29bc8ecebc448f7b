//! Traces whose slow I/Os are judged, all at one threshold.

use std::thread;

use drivelab_analysis::{SlowThreshold, TraceAnalysis};
use drivelab_block::Op;
use drivelab_inspect::slow::SlowReport;
use drivelab_inspect::trace::TraceReport;

use super::analysed::AnalysedTrace;
use crate::args::SlowArgs;

/// The traces as reports show them.
pub fn judged<'a>(traces: &'a [AnalysedTrace], slow: &SlowArgs) -> Vec<TraceReport<'a>> {
    let analyses: Vec<&TraceAnalysis> = traces.iter().map(AnalysedTrace::analysis).collect();
    let threshold = slow.threshold(&analyses);
    traces.iter().map(|trace| trace.report(slow_report(trace.analysis(), threshold))).collect()
}

/// Judges reads, writes and both, at the same time.
pub fn slow_report(analysis: &TraceAnalysis, threshold: SlowThreshold) -> SlowReport {
    thread::scope(|scope| {
        let read = scope.spawn(|| analysis.bunching(Op::Read).judge(threshold));
        let write = scope.spawn(|| analysis.bunching(Op::Write).judge(threshold));
        let all = analysis.bunching_of_all().judge(threshold);
        let [read, write] = [read, write].map(|judged| judged.join().expect("judging does not panic"));
        SlowReport { threshold, read, write, all }
    })
}
