//! Slow I/Os of a trace, judged at the threshold of the page that shows it.

use drivelab_analysis::{Judgement, SlowIos, SlowThreshold, TraceAnalysis};
use drivelab_block::Op;

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

impl SlowReport {
    /// Judges one direction after the other. Takes up to a second each.
    pub fn of(analysis: &TraceAnalysis, threshold: SlowThreshold) -> SlowReport {
        SlowReport {
            threshold,
            read: analysis.bunching(Op::Read).judge(threshold),
            write: analysis.bunching(Op::Write).judge(threshold),
            all: analysis.bunching_of_all().judge(threshold),
        }
    }

    /// That of one direction; that of all for other operations.
    pub fn judged(&self, op: Op) -> &Judgement {
        match op {
            Op::Read => &self.read,
            Op::Write => &self.write,
            Op::Discard | Op::Flush => &self.all,
        }
    }

    /// The slow reads, or the slow writes; none where too few are exceptions to choose a threshold.
    pub fn ios<'a>(&self, analysis: &'a TraceAnalysis, op: Op) -> Option<SlowIos<'a>> {
        self.judged(op).slow(analysis.bunching(op))
    }
}
