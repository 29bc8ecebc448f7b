//! What kinds of results share whose figures come from the records of I/Os: the rate of every second, service times, and what
//! is shown of them.

mod bins;
mod charts;
mod figures;
mod page;
mod tables;
mod words;

pub use crate::kind::{
    FailedAt, GaugeFindings, InjectedDelayFindings, IoFindings, LatencyFindings, ModeFindings, PhaseFindings,
    RecordsFindings, SecondsFindings, SimulationFindings, SteadyFindings, SummaryFindings,
};

pub(crate) use charts::{latency, rate};
pub(crate) use figures::{add_all, add_latency_and_amounts, bounded_time, lasted_alike, mean_time};
pub(crate) use page::view;
pub(crate) use tables::{delays, failed, gauges, phases};
pub(crate) use words::{cliff_in_words, empty_second_in_words, judged_part, steady_in_words, with_figures};
