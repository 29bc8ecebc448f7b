//! Performance consistency: purge, fill, random writes; the IOPS of every second.
//!
//! A purge gives every block back to the drive, the fill writes the chosen range once (or one pass brings the drive to its
//! steady state, and neither the fresh drive nor its cliff is seen), then random writes go on for long
//! enough to see the fresh drive, its cliff and its steady state. With extra over-provisioning the range is shortened, so
//! that the rest of the user capacity stays unwritten and serves the drive as spare area.

mod figures;
mod outline;
mod plan;
mod settings;
mod verdict;
mod view;
mod work;

use drivelab_block::{Geometry, Nanos};
use drivelab_method::LoadError;
use drivelab_record::{Condition, MeasuredPhases};
use drivelab_view::{Curve, KeyFigure, Quantity, View};
use drivelab_workload::Seed;

pub use plan::ConsistencyPlan;
pub use settings::{ConsistencyPrecondition, ConsistencySettings};

use crate::ios::IoFindings;
use crate::kind::{IoHooks, Judging};
use crate::{Comparison, Hooks, Outline, PlanError, ResultKind, StoredResult, Test, TestNeeds};

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
        measured_in_words: |settings| {
            format!("{}{}", Consistency::WORDS, figures::with_over_provisioning(settings))
        },
        curve: |kept| Curve::of_seconds(Quantity::Iops, &kept.findings.per_second.write_iops),
        ..Hooks::NONE
    };
    type Settings = ConsistencySettings;
    type Findings = IoFindings;

    /// Drives are compared with and without extra over-provisioning, and whatever each has of its own.
    fn ranked_by(settings: &ConsistencySettings) -> ConsistencySettings {
        ConsistencySettings {
            over_provisioning_percent: 0.0,
            flash_over_provisioning: None,
            ..settings.clone()
        }
    }

    fn key_figures(kept: &StoredResult<Consistency>) -> Vec<KeyFigure> {
        figures::key_figures(kept)
    }

    fn view(compared: &Comparison<'_, Consistency>) -> View {
        view::view(compared)
    }
}

impl Test for Consistency {
    type Plan = ConsistencyPlan;
    type Input = ();

    fn needs(settings: &ConsistencySettings, (): &()) -> TestNeeds {
        TestNeeds {
            purge: settings.purge,
            compressibility_percent: settings.compressibility_percent,
            until_warm: settings.until_warm_ns.map(Nanos::new),
            ..TestNeeds::new(true, MeasuredPhases::Phase(plan::MEASURED.to_owned()))
        }
    }

    fn label(target: &str, settings: &ConsistencySettings) -> String {
        if settings.over_provisioning_percent == 0.0 {
            target.to_owned()
        } else {
            format!("{target}, {}", settings.over_provisioning())
        }
    }

    fn comparable(settings: ConsistencySettings, geometry: Geometry) -> ConsistencySettings {
        ConsistencySettings { range: settings.range.on_capacity(geometry.capacity), ..settings }
    }

    fn conditions(settings: &ConsistencySettings, plan: &ConsistencyPlan) -> Vec<Condition> {
        outline::conditions(settings, plan)
    }

    fn plan(
        settings: &ConsistencySettings,
        (): &(),
        geometry: Geometry,
        seed: Seed,
    ) -> Result<ConsistencyPlan, PlanError> {
        let plan = settings.plan(geometry, seed)?;
        plan.random_writes().phase(&geometry, false).map_err(|error| match error {
            LoadError::Empty(_) => nothing_left(&plan),
            other => PlanError(other.to_string()),
        })?;
        Ok(plan)
    }

    fn outline(plan: &ConsistencyPlan) -> Outline {
        outline::outline(plan)
    }
}

/// Names what leaves no block to write to.
fn nothing_left(plan: &ConsistencyPlan) -> PlanError {
    let chosen = plan.range.length().get();
    PlanError(format!(
        "{chosen} bytes with {}% over-provisioning hold no block of {} bytes: choose a smaller --over-provisioning \
         or --block-size, or a larger --range or target",
        plan.over_provisioning_percent,
        plan.block_size.get()
    ))
}
