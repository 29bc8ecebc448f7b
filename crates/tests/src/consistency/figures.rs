//! The figures by which drives are compared across kinds of results.

use drivelab_view::{Better, KeyFigure, Quantity};

use super::Consistency;
use crate::Kept;

/// Rates, latency and cliff, each with the over-provisioning that it was measured with.
pub(super) fn key_figures(kept: &Kept<Consistency>) -> Vec<KeyFigure> {
    let found = &kept.findings.summary;
    let with = match kept.settings.over_provisioning_percent {
        0.0 => String::new(),
        _ => format!(" with {}", kept.settings.over_provisioning()),
    };
    let figure = |name: &str, quantity, better, number| {
        KeyFigure::new(format!("{name}{with}"), quantity, better, number)
    };
    let iops = |name, better, number| figure(name, Quantity::Iops, better, number);
    // A rate on its way down is none that another could be better than.
    let if_steady = if found.steady_state.reached { Better::High } else { Better::Neither };
    let latency = found.service_ns.as_ref().map(|times| times.p99_99 as f64);
    let cliff = found.cliff_bytes.map(|bytes| bytes as f64);
    let figures = [
        iops("Random writes, fresh", Better::High, found.iops_fresh),
        iops("Random writes at the end", if_steady, found.iops_mean),
        iops("Random writes, slowest second", if_steady, found.iops_min),
        figure("Random writes, p99.99", Quantity::Nanoseconds, Better::Low, latency),
        figure("Written until the cliff", Quantity::Bytes, Better::High, cliff),
    ];
    figures.into_iter().flatten().collect()
}
