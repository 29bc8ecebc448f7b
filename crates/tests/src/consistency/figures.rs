//! The figures by which drives are compared across kinds of results.

use drivelab_view::{Better, KeyFigure, Quantity};

use super::plan::FILL;
use super::{Consistency, ConsistencySettings};
use crate::Kept;

/// Rates, latency and cliff, each with the over-provisioning that it was measured with.
pub(super) fn key_figures(kept: &Kept<Consistency>) -> Vec<KeyFigure> {
    let found = &kept.findings.summary;
    let with = with_over_provisioning(&kept.settings);
    let figure = |name: &str, quantity, better, number| {
        KeyFigure::new(format!("{name}{with}"), quantity, better, number)
    };
    let iops = |name, better, number| figure(name, Quantity::Iops, better, number);
    // A rate on its way down is none that another could be better than.
    let if_steady = if found.steady_state.reached { Better::High } else { Better::Neither };
    let latency = found.service_ns.as_ref().map(|times| times.p99_99 as f64);
    let cliff = found.cliff_bytes.map(|bytes| bytes as f64);
    let figures = [
        figure("Writing the whole range", Quantity::BytesPerSecond, Better::High, rate_of_fill(kept)),
        iops("Random writes, fresh", Better::High, found.iops_fresh),
        iops("Random writes at the end", if_steady, found.iops_mean),
        iops("Random writes, slowest second", if_steady, found.iops_min),
        figure(
            "Random writes, seconds near the median",
            Quantity::Share,
            if_steady,
            found.seconds_near_median_share,
        ),
        figure("Random writes, p99.99", Quantity::Nanoseconds, Better::Low, latency),
        figure("Written until the cliff", Quantity::Bytes, Better::High, cliff),
    ];
    figures.into_iter().flatten().collect()
}

/// The over-provisioning, as it follows the name of a figure; nothing where there is none.
pub(super) fn with_over_provisioning(settings: &ConsistencySettings) -> String {
    match settings.over_provisioning_percent {
        0.0 => String::new(),
        _ => format!(" with {}", settings.over_provisioning()),
    }
}

/// The rate of the fill, in bytes a second; none where there was none.
fn rate_of_fill(kept: &Kept<Consistency>) -> Option<f64> {
    let fill = kept.findings.phases.iter().find(|phase| phase.name == FILL && phase.duration_s > 0.0)?;
    Some(fill.moved_bytes? as f64 / fill.duration_s)
}
