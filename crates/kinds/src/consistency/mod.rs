//! Performance consistency: purge, fill, random writes; the IOPS of every second.
//!
//! A purge gives every block back to the drive, the fill writes the chosen range once (or one pass brings the drive to its
//! steady state, and neither the fresh drive nor its cliff is seen), then random writes go on for long
//! enough to see the fresh drive, its cliff and its steady state. With extra over-provisioning the range is shortened, so
//! that the rest of the user capacity stays unwritten and serves the drive as spare area.

mod plan;
mod settings;
mod view;
mod work;

use drivelab_view::{Better, Curve, FigureUse, KeyFigure, Quantity, View};

pub use plan::ConsistencyPlan;
pub use settings::{ConsistencyPrecondition, ConsistencySettings};

use crate::ios::IoFindings;
use crate::kind::{IoHooks, Judging};
use crate::{Comparison, Hooks, ResultKind, StoredResult, throttled};

/// The kind of result.
#[derive(Clone, Copy, Debug)]
pub struct Consistency;

impl ResultKind for Consistency {
    const NAME: &'static str = "consistency";
    const WORDS: &'static str = "performance consistency";
    const VERSION: u32 = 3;
    const HOOKS: Hooks<Consistency> = Hooks {
        ios: Some(IoHooks {
            found: |findings| findings,
            found_mut: |findings| findings,
            judging: |settings| Judging::closed(settings.window_s),
        }),
        take_records: |findings, taken| {
            // After one pass no fresh drive is seen.
            if taken.settings.precondition == ConsistencyPrecondition::OnePass {
                findings.summary.iops_fresh = None;
            }
        },
        preconditioned: |settings| {
            Some(match settings.precondition {
                ConsistencyPrecondition::None => "not preconditioned",
                ConsistencyPrecondition::Fill => "filled",
                ConsistencyPrecondition::OnePass => "one-pass preconditioning",
            })
        },
        measured_in_words: |settings| format!("{}{}", Consistency::WORDS, with_over_provisioning(settings)),
        curve: |kept| Curve::of_seconds(Quantity::Iops, &kept.findings.per_second.write_iops),
        ..Hooks::NONE
    };
    type Settings = ConsistencySettings;
    type Findings = IoFindings;
    const VIEW: fn(&Comparison<'_, Consistency>) -> View = view::view;

    /// Drives are compared with and without extra over-provisioning, and whatever each has of its own.
    fn ranked_by(settings: &ConsistencySettings) -> ConsistencySettings {
        ConsistencySettings {
            over_provisioning_percent: 0.0,
            flash_over_provisioning: None,
            ..settings.clone()
        }
    }

    /// Rates, latency and cliff, each with the over-provisioning that it was measured with.
    fn key_figures(kept: &StoredResult<Consistency>) -> Vec<KeyFigure> {
        let found = &kept.findings.summary;
        let with = with_over_provisioning(&kept.settings);
        let figure = |name: &str, quantity, better, number| {
            KeyFigure::new(format!("{name}{with}"), quantity, better, number)
        };
        // A drive whose user leaves a part of it unwritten is another one: it does not speak for the drive once more.
        let speaks_of =
            |figure: KeyFigure, usage| if with.is_empty() { figure.speaks_of(usage) } else { figure };
        let service = found.service_ns.as_ref();
        let latency = service.map(|times| times.p99_99 as f64);
        // A percentile that is a lower bound is none that another could be better than.
        let is_bound = service.is_some_and(|times| times.is_percentile_bound(times.p99_99));
        let if_known = if is_bound { Better::Neither } else { Better::Low };
        // After one pass there is none of the fresh drive.
        let is_fresh = kept.settings.precondition != ConsistencyPrecondition::OnePass;
        let cliff = found.cliff_bytes.filter(|_| is_fresh).map(|bytes| bytes as f64);
        let mut phases = kept.findings.phases.iter();
        let fill = phases.find(|phase| phase.name == plan::FILL && phase.duration_s > 0.0);
        let fill = fill.and_then(|fill| Some(fill.moved_bytes? as f64 / fill.duration_s));
        let fresh = figure("Random writes, fresh", Quantity::Iops, Better::High, found.iops_fresh);
        let before = [
            figure("Writing the whole range", Quantity::BytesPerSecond, Better::High, fill)
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
        let settled = settled
            .map(|figure| Some(speaks_of(figure?, FigureUse::LongRandomWrites).if_settled(is_settled)));
        let cliff = figure("Written until the cliff", Quantity::Bytes, Better::High, cliff);
        let cliff = cliff.map(|figure| speaks_of(figure, FigureUse::ReadsAndShortWrites));
        before.into_iter().chain(settled).chain([cliff]).flatten().collect()
    }
}

/// The over-provisioning, as it follows the name of a figure; nothing where there is none.
fn with_over_provisioning(settings: &ConsistencySettings) -> String {
    match settings.over_provisioning_percent {
        0.0 => String::new(),
        _ => format!(" with {}", settings.over_provisioning()),
    }
}
