//! Slow I/Os of a trace, judged at the threshold of the page that shows it.

use drivelab_block::{Nanos, Op};
use drivelab_stats::{Bunching, Judgement, SlowIos, SlowThreshold, TraceAnalysis};

/// What is found of the slow I/Os of one trace.
#[derive(Clone, Debug, PartialEq)]
pub struct SlowReport {
    /// From when on they are slow.
    pub threshold: SlowThreshold,
    /// Reads.
    pub read: Judgement,
    /// Writes.
    pub write: Judgement,
    /// I/Os of any kind.
    pub all: Judgement,
}

/// The threshold of a page with these traces: the one that was asked for, at which their I/Os were counted,
/// or one that is chosen from all of them ([`SlowThreshold::chosen`]).
pub fn page_threshold(asked: Option<Nanos>, traces: &[&TraceAnalysis]) -> SlowThreshold {
    let chosen = || {
        let directions: Vec<[&Bunching; 2]> = traces.iter().map(|trace| trace.directions()).collect();
        SlowThreshold::chosen(&directions)
    };
    asked.map_or_else(chosen, |asked| SlowThreshold::asked(asked.get()))
}

impl SlowReport {
    /// Judges one direction after the other. Takes up to a second each.
    pub fn from_analysis(analysis: &TraceAnalysis, threshold: SlowThreshold) -> SlowReport {
        let [read, write] = analysis.directions().map(|direction| direction.judge(threshold));
        SlowReport { threshold, read, write, all: analysis.bunching_of_all.judge(threshold) }
    }

    /// That of one direction; that of all for other operations.
    pub fn judged(&self, op: Op) -> &Judgement {
        match op {
            Op::Read => &self.read,
            Op::Write => &self.write,
            Op::Discard | Op::Flush => &self.all,
        }
    }

    /// The slow reads, or the slow writes.
    pub fn ios<'a>(&self, analysis: &'a TraceAnalysis, op: Op) -> SlowIos<'a> {
        self.judged(op).slow(analysis.bunching(op))
    }
}
