//! Kinds of results, results with everything that is known of them, and results of one kind that are compared.

mod compared;
mod io_findings;
mod measured_phase;
mod result_kind;
mod stored;
mod summary;

pub use compared::tell_apart;
pub use io_findings::{
    FailedAt, GaugeFindings, InjectedDelayFindings, IoFindings, PhaseFindings, RecordsFindings,
    SecondsFindings, SimulationFindings,
};
pub(crate) use measured_phase::{Judging, MeasuredPhase};
pub use result_kind::{
    ComparedResult, Comparison, Hooks, ResultKind, SlowIoHooks, StoredResult, take_records,
};
pub(crate) use result_kind::{IoHooks, RecordedIos, RecordsOfRun};
pub use stored::Ended;
pub(crate) use summary::LatencyValue;
pub use summary::{LatencyFindings, ModeFindings, SteadyFindings, SummaryFindings};

#[cfg(test)]
mod tests;
