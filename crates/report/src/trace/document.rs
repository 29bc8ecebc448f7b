//! Figures of the trace that a replay makes.

use std::collections::BTreeMap;

use drivelab_analysis::TraceAnalysis;
use drivelab_inspect::slow::SlowReport;
use drivelab_inspect::trace::{ByOperation, LatencyByDirection};

use super::bunching_document::{self, BunchingDocument};

/// What a replay's document holds of the trace that it made.
pub(crate) struct MadeFigures {
    /// Requests.
    pub requests: ByOperation<u64>,
    /// Bytes asked for.
    pub bytes: ByOperation<u64>,
    /// From submission to completion.
    pub service_ns: LatencyByDirection,
    /// From when a request was due.
    pub response_ns: LatencyByDirection,
    /// Slow I/Os of all kinds; none where nothing was replayed.
    pub bunching: Option<BunchingDocument>,
    /// Slow reads, and slow writes, apart.
    pub bunching_by_direction: BTreeMap<String, BunchingDocument>,
}

impl MadeFigures {
    /// The figures of a trace.
    pub fn of(analysis: &TraceAnalysis, slow: &SlowReport) -> MadeFigures {
        let (bunching, bunching_by_direction) = bunching_document::of(slow, analysis);
        MadeFigures {
            requests: ByOperation::of(analysis, |op| op.requests),
            bytes: ByOperation::of(analysis, |op| op.bytes),
            service_ns: LatencyByDirection::service(analysis),
            response_ns: LatencyByDirection::response(analysis),
            bunching,
            bunching_by_direction,
        }
    }
}
