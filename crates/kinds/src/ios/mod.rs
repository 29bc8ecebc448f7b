//! What kinds of results share whose figures come from the records of I/Os: the rate of every second, service times, and what
//! is shown of them.

mod charts;
mod figures;
mod words;

use drivelab_view::{Section, View};

use crate::{Comparison, ResultKind, shown};

pub use crate::kind::{
    FailedAt, GaugeFindings, InjectedDelayFindings, IoFindings, LatencyFindings, ModeFindings, PhaseFindings,
    RecordsFindings, SecondsFindings, SimulationFindings, SteadyFindings, SummaryFindings,
};

pub(crate) use charts::{latency, rate};
pub(crate) use figures::{add_all, add_latency_and_amounts, bounded_time, lasted_alike, mean_time};
pub(crate) use words::{cliff_in_words, empty_second_in_words, judged_part, steady_in_words, with_figures};

/// The view of results: these sections (the answer of each, the rate of every second, the figures), and what else was recorded.
pub(crate) fn view<K: ResultKind>(
    compared: &Comparison<'_, K>,
    title: String,
    mut sections: Vec<Section>,
) -> View {
    sections.extend(latency(compared));
    View { title, ..shown::view(compared, sections) }
}
