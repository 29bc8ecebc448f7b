//! What kinds of results share whose figures come from the records of I/Os: the rate of every second, service times, and what
//! is shown of them.

mod bins;
mod charts;
mod failed_at;
mod failed_table;
mod figures;
mod findings;
mod kind;
mod measured_phase;
mod page;
mod summary;
mod tables;
mod words;

pub use failed_at::FailedAt;
pub use findings::{
    GaugeFindings, InjectedDelayFindings, IoFindings, PhaseFindings, RecordsFindings, SecondsFindings,
    SimulationFindings,
};
pub use summary::{LatencyFindings, ModeFindings, SteadyFindings, SummaryFindings};

pub(crate) use charts::{latency, rate};
pub(crate) use figures::{Compared, add_amounts, add_latency, add_rate, add_simulation};
pub(crate) use kind::{RecordedKind, measured};
pub(crate) use measured_phase::{Judging, MeasuredPhase};
pub(crate) use page::view;
pub(crate) use tables::{delays, gauges, phases};
pub(crate) use words::{cliff_in_words, empty_second_in_words, judged_part, no_figures, steady_in_words};
