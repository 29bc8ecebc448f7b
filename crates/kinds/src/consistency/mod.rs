//! Performance consistency: purge, fill, random writes; the IOPS of every second.
//!
//! A purge gives every block back to the drive, the fill writes the chosen range once (or one pass brings the drive to its
//! steady state, and neither the fresh drive nor its cliff is seen), then random writes go on for long
//! enough to see the fresh drive, its cliff and its steady state. With extra over-provisioning the range is shortened, so
//! that the rest of the user capacity stays unwritten and serves the drive as spare area.

mod figures;
mod plan;
mod settings;
mod view;
mod work;

use drivelab_view::{Curve, KeyFigure, Quantity, View};

pub use plan::ConsistencyPlan;
pub use settings::{ConsistencyPrecondition, ConsistencySettings};

use crate::ios::IoFindings;
use crate::kind::{IoHooks, Judging};
use crate::{Comparison, Hooks, ResultKind, StoredResult};

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
