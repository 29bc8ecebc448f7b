//! The figures of a load by which drives are compared.

use drivelab_block::Op;
use drivelab_view::format::{block_size, capitalised, rate};
use drivelab_view::{Better, KeyFigure, Quantity, Value};
use drivelab_workload::Mix;

use super::{Load, LoadSettings};
use crate::StoredResult;

/// The rate and the 99.99th percentile of the latency, under names that say what was asked for.
pub(super) fn key_figures(kept: &StoredResult<Load>) -> Vec<KeyFigure> {
    let asked = name(&kept.settings);
    let summary = &kept.findings.ios.summary;
    // A rate that was asked for is no merit of the drive. Where records were not read, as for an index, it counts as one.
    let is_asked = kept.analysis.is_some() && summary.steady_state.as_asked;
    let better = if is_asked { Better::Neither } else { Better::High };
    let latency = summary.response_ns.as_ref().or(summary.service_ns.as_ref());
    let latency_name = if summary.response_ns.is_some() { "response time p99.99" } else { "p99.99" };
    // A percentile that is a lower bound is none that another could be better than.
    let is_bound = latency.is_some_and(|times| times.is_percentile_bound(times.p99_99));
    let if_known = if is_bound { Better::Neither } else { Better::Low };
    let latency =
        latency.map(|times| Value::new(Quantity::Nanoseconds, times.p99_99 as f64).at_least_where(is_bound));
    let figures = [
        KeyFigure::new(asked.clone(), Quantity::Iops, better, kept.findings.iops),
        latency.map(|latency| KeyFigure::of_value(format!("{asked}: {latency_name}"), latency, if_known)),
    ];
    figures.into_iter().flatten().collect()
}

/// What is asked, such as "Random reads of 4 KiB, 32 in flight": loads that are asked differently have different names.
fn name(asked: &LoadSettings) -> String {
    let what = capitalised(&asked.in_words());
    let (_, mix) = asked.operation.order_and_mix();
    let of_blocks = match mix {
        Mix::Only(Op::Flush) => String::new(),
        _ => format!(" of {}", block_size(asked.block_size_bytes as f64)),
    };
    let in_flight = u64::from(asked.queue_depth) * u64::from(asked.threads);
    let pace =
        asked.rate.map_or(format!("{in_flight} in flight"), |asked| format!("{} a second", rate(asked)));
    format!("{what}{of_blocks}, {pace}")
}
