//! The figures by which drives are compared across kinds of results.

use drivelab_view::{Better, FigureUse, KeyFigure, Quantity};

use super::plan::FILL;
use super::{Consistency, ConsistencyPrecondition, ConsistencySettings};
use crate::{StoredResult, throttled};

/// Rates, latency and cliff, each with the over-provisioning that it was measured with.
pub(super) fn key_figures(kept: &StoredResult<Consistency>) -> Vec<KeyFigure> {
    let found = &kept.findings.summary;
    let with = with_over_provisioning(&kept.settings);
    let figure = |name: &str, quantity, better, number| {
        KeyFigure::new(format!("{name}{with}"), quantity, better, number)
    };
    // A drive whose user leaves a part of it unwritten is another one: it does not speak for the drive once more.
    let speaks_of = |figure: KeyFigure, usage| if with.is_empty() { figure.speaks_of(usage) } else { figure };
    let service = found.service_ns.as_ref();
    let latency = service.map(|times| times.p99_99 as f64);
    // A percentile that is a lower bound is none that another could be better than.
    let is_bound = service.is_some_and(|times| times.is_percentile_bound(times.p99_99));
    let if_known = if is_bound { Better::Neither } else { Better::Low };
    // After one pass there is none of the fresh drive.
    let is_fresh = kept.settings.precondition != ConsistencyPrecondition::OnePass;
    let cliff = found.cliff_bytes.filter(|_| is_fresh).map(|bytes| bytes as f64);
    let fresh = figure("Random writes, fresh", Quantity::Iops, Better::High, found.iops_fresh);
    let before = [
        figure("Writing the whole range", Quantity::BytesPerSecond, Better::High, rate_of_fill(kept))
            .map(|figure| speaks_of(figure, FigureUse::LongSequentialWrites)),
        fresh.map(|figure| speaks_of(figure, FigureUse::ReadsAndShortWrites)),
    ];
    // A rate on its way down is none that another could be better than, nor are the times that belong to it.
    let settled = [
        figure("Random writes at the end", Quantity::Iops, Better::High, found.iops_mean),
        figure("Random writes, slowest second", Quantity::Iops, Better::High, found.iops_min),
        figure(
            "Random writes, seconds near the median",
            Quantity::Share,
            Better::High,
            found.seconds_near_median_share,
        ),
        figure("Random writes, p99.99", Quantity::Nanoseconds, if_known, latency),
    ];
    // Nor do those of a hot drive speak for it.
    let is_settled = found.steady_state.reached && throttled::slowed(kept).is_none();
    let settled =
        settled.map(|figure| Some(speaks_of(figure?, FigureUse::LongRandomWrites).if_settled(is_settled)));
    let cliff = figure("Written until the cliff", Quantity::Bytes, Better::High, cliff);
    let cliff = cliff.map(|figure| speaks_of(figure, FigureUse::ReadsAndShortWrites));
    before.into_iter().chain(settled).chain([cliff]).flatten().collect()
}

/// The over-provisioning, as it follows the name of a figure; nothing where there is none.
pub(super) fn with_over_provisioning(settings: &ConsistencySettings) -> String {
    match settings.over_provisioning_percent {
        0.0 => String::new(),
        _ => format!(" with {}", settings.over_provisioning()),
    }
}

/// The rate of the fill, in bytes a second; none where there was none.
fn rate_of_fill(kept: &StoredResult<Consistency>) -> Option<f64> {
    let fill = kept.findings.phases.iter().find(|phase| phase.name == FILL && phase.duration_s > 0.0)?;
    Some(fill.moved_bytes? as f64 / fill.duration_s)
}
