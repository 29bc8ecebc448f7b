//! A replay: what the target made of a trace, and how well the replay kept to it.

mod document;
mod terminal;

use drivelab_analysis::{ReplayAnalysis, TraceAnalysis};
use drivelab_block::{ByteCount, Nanos};
use drivelab_inspect::slow::SlowReport;
use drivelab_inspect::trace::TracePhases;

pub use document::{
    ComparisonDocument, DirectionsDocument, DistanceDocument, FidelityDocument, IopsDocument,
    LatenessDocument, LeftOutDocument, MapDocument, REPLAY_SCHEMA, ReplayDocument, SpanDocument,
};
pub use terminal::{fidelity_line, replay_terminal};

use crate::condition::Condition;
use crate::records::Records;
use drivelab_record::EnergyDocument;

/// One replay, as reports show it.
#[derive(Clone, Debug)]
pub struct ReplayReport<'a> {
    /// The trace, as the user named it.
    pub trace: String,
    /// Which phases were replayed, where the trace is a run.
    pub trace_phases: Option<TracePhases>,
    /// What is found of the slow I/Os of the replay.
    pub slow: SlowReport,
    /// What the durations of the trace span: `D2C`, `Q2C`, `mixed` or `nothing`.
    pub measured: String,
    /// What it was replayed on, as the user named it.
    pub target: String,
    /// `recorded`, `dependent` or `unpaced`.
    pub timing: String,
    /// How much faster than the trace.
    pub speed: f64,
    /// How addresses were mapped.
    pub map: MapDocument,
    /// The seed of the data that was written.
    pub seed: u64,
    /// Requests in flight at most.
    pub depth_limit: u32,
    /// Whether requests had due times.
    pub has_due_times: bool,
    /// When the last request was due; none where the schedule is not absolute.
    pub lasts: Option<Nanos>,
    /// The idle time that was cut, and in how many spans; none where nothing was to be cut.
    pub idle_cut: Option<(Nanos, u64)>,
    /// What of the trace was not replayed.
    pub left_out: LeftOutDocument,
    /// Requests that were widened to whole blocks of the target.
    pub widened: u64,
    /// Requests that were due when every slot was taken.
    pub capped: u64,
    /// Requests that waited for others in flight on the same sectors.
    pub held_back: u64,
    /// How often the trace's reader was late.
    pub late_steps: u64,
    /// Bytes that were written before.
    pub filled: Option<ByteCount>,
    /// Whether the user ended it.
    pub interrupted: bool,
    /// What was kept of the completions.
    pub records: Records,
    /// What the engine obtained.
    pub obtained: Vec<Condition>,
    /// What it took, by a meter.
    pub energy: Option<EnergyDocument>,
    /// What the reader has to know before believing the figures, a sentence each.
    pub notices: Vec<String>,
    /// What the trace itself came to.
    pub asked: &'a TraceAnalysis,
    /// What the replay came to.
    pub replayed: &'a ReplayAnalysis,
}

/// Lateness up to here spoils nothing, in nanoseconds, in the middle and at the 99th percentile: what a spinning
/// thread reaches on a busy machine.
const HARMLESS: (u64, u64) = (10_000, 100_000);

impl ReplayReport<'_> {
    /// Why the lateness takes from the result, in a sentence; `None` where it does not.
    ///
    /// It does where it is over a tenth of the mean service time in the middle, or over the mean service time at the
    /// 99th percentile, and not negligible besides.
    pub fn lateness_warning(&self) -> Option<String> {
        let lateness = self.replayed.fidelity().lateness();
        let (p50, p99) = (lateness.quantile(0.5)?, lateness.quantile(0.99)?);
        let service = self.replayed.made().service().distribution.moments().mean()?;
        let spoils = |late: u64, harmless: u64, share: f64| late > harmless && late as f64 > service * share;
        if !self.has_due_times || !(spoils(p50, HARMLESS.0, 0.1) || spoils(p99, HARMLESS.1, 1.0)) {
            return None;
        }
        let why = match (self.capped, self.late_steps) {
            (0, 0) => "this machine had no processor free in time",
            (0, _) => "the trace could not be read fast enough",
            _ => "the target did not answer fast enough, and --queue-depth requests were in flight",
        };
        Some(format!(
            "Requests were submitted late, by {} at the median and {} at the 99th percentile: {why}. The target was not \
             asked as the trace says.",
            Nanos::new(p50),
            Nanos::new(p99)
        ))
    }
}
