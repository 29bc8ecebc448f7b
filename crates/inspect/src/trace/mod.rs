//! What is found in a trace of block I/O.

mod clock_bins;
mod devices;
mod findings;
mod part;
mod view;
mod waiting;

use drivelab_stats::TraceAnalysis;

use crate::slow::SlowReport;

pub use devices::{DeviceOpFindings, DeviceWaits, ServiceSummary, TraceDeviceFindings, TraceSpan};
pub use findings::{
    ByOperation, InFlightFindings, LatencyByDirection, LatencyFindings, SizeClass, TraceFindings,
};
pub use part::{StretchFindings, TracePhases};
pub use view::view;
pub use waiting::{
    MostlyFindings, PartyFindings, ProcessFindings, SpellFindings, StreamFindings, TimeInFlight,
    WaitingFindings,
};

/// Who asked for a load: figures of loads that were asked for differently are not ranked.
#[derive(Clone, Debug, PartialEq)]
pub enum AskedLoad {
    /// Programs, or a replay that makes their requests at their own times.
    AsTraced,
    /// A test of this kind with these settings.
    Test {
        /// The kind of test.
        kind: String,
        /// Its settings, as they are kept.
        settings: serde_json::Value,
    },
}

/// A trace that was read and analysed.
#[derive(Clone, Debug)]
pub struct AnalysedTrace {
    /// What is found in it: its document.
    pub found: TraceFindings,
    /// Who asked for its load.
    pub asked: AskedLoad,
    /// All of its I/Os.
    pub analysis: TraceAnalysis,
    /// What is found of its slow I/Os.
    pub slow: SlowReport,
}
