//! A validation of TRIM: whether it makes a used drive fast again, and what trimmed blocks return.

mod findings;
mod plan;
mod settings;
mod view;
mod work;

use drivelab_view::{Better, KeyFigure, View};

pub use findings::{
    DriveState, RoundAmplification, StateRates, TrimConclusion, TrimCurve, TrimDoubt, TrimFindings, TrimSpan,
    TrimmedReads,
};
pub use plan::{ROUNDS_MAX, TrimPlan};
pub use settings::{TrimPrecondition, TrimSettings};

use crate::{Comparison, Hooks, ResultKind, StoredResult};

/// The kind of result.
#[derive(Clone, Copy, Debug)]
pub struct Trim;

impl ResultKind for Trim {
    const NAME: &'static str = "trim";
    const WORDS: &'static str = "TRIM validation";
    const VERSION: u32 = 3;
    type Settings = TrimSettings;
    type Findings = TrimFindings;
    const VIEW: fn(&Comparison<'_, Trim>) -> View = view::view;

    const HOOKS: Hooks<Trim> = Hooks {
        preconditioned: |settings| {
            Some(match settings.precondition {
                TrimPrecondition::Random => "preconditioned by random writes",
                TrimPrecondition::OnePass => "one-pass preconditioning",
            })
        },
        passes_check: |findings| {
            !matches!(findings.verdict, TrimConclusion::Ineffective | TrimConclusion::Ignored)
        },
        ..Hooks::NONE
    };

    /// Drives are compared whatever each has of over-provisioning of its own.
    fn ranked_by(settings: &TrimSettings) -> TrimSettings {
        TrimSettings { flash_over_provisioning: None, ..*settings }
    }

    fn key_figures(kept: &StoredResult<Trim>) -> Vec<KeyFigure> {
        let ratio = kept.findings.trimmed_to_used.map(findings::ratio_value);
        let figure = ratio.map(|ratio| KeyFigure::of_value("Trimmed / used", ratio, Better::Neither));
        figure.into_iter().collect()
    }
}
