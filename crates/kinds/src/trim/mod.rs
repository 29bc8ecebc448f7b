//! A validation of TRIM: whether it makes a used drive fast again, and what trimmed blocks return.

mod findings;
mod plan;
mod sentences;
mod settings;
mod view;
mod work;

use drivelab_block::{ByteCount, Geometry, Nanos};
use drivelab_record::MeasuredPhases;
use drivelab_view::format::{long_time, things};
use drivelab_view::{Better, KeyFigure, View};
use drivelab_workload::Seed;

pub use findings::{
    DriveState, RoundAmplification, SpeedRatio, StateRates, TrimConclusion, TrimCurve, TrimDoubt,
    TrimFindings, TrimSpan, TrimmedReads,
};
pub use plan::{ROUNDS_MAX, TrimPlan};
pub use settings::{TrimPrecondition, TrimSettings};

use crate::{
    Comparison, Hooks, Outline, PlanError, PlannedTime, PurgeOption, ResultKind, StoredResult, Test,
    TestNeeds, TestRules,
};

/// Why a file is no target.
const NOT_OF_FILES: &str =
    "the TRIM of a file is its file system's, and shows nothing of a drive: name a block device";

/// The kind of result.
#[derive(Clone, Copy, Debug)]
pub struct Trim;

impl ResultKind for Trim {
    const NAME: &'static str = "trim";
    const WORDS: &'static str = "TRIM validation";
    const VERSION: u32 = 3;
    type Settings = TrimSettings;
    type Findings = TrimFindings;

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
        let ratio = kept.findings.trimmed_to_used.map(SpeedRatio::value);
        let figure = ratio.map(|ratio| KeyFigure::of_value("Trimmed / used", ratio, Better::Neither));
        figure.into_iter().collect()
    }

    fn view(compared: &Comparison<'_, Trim>) -> View {
        view::view(compared)
    }
}

impl Test for Trim {
    type Plan = TrimPlan;
    type Input = ();

    const RULES: TestRules =
        TestRules { is_announced: true, not_of_files: Some(NOT_OF_FILES), ..TestRules::USUAL };

    fn needs(settings: &TrimSettings, (): &()) -> TestNeeds {
        TestNeeds { purge: settings.purge, ..TestNeeds::new(true, MeasuredPhases::Every) }
    }

    fn comparable(settings: TrimSettings, geometry: Geometry) -> TrimSettings {
        TrimSettings { range: settings.range.on_capacity(geometry.capacity), ..settings }
    }

    fn plan(settings: &TrimSettings, (): &(), geometry: Geometry, seed: Seed) -> Result<TrimPlan, PlanError> {
        TrimPlan::new(geometry, settings, seed)
    }

    fn outline(plan: &TrimPlan) -> Outline {
        let (rounds, spans) = (u64::from(plan.rounds()), plan.spans());
        let mut sentences = vec![
            format!(
                "{} of a fill, twice {}, a TRIM, and three curves of {} spans of {}",
                things(rounds, "round"),
                wear(plan),
                spans.count,
                spans.bytes
            ),
            format!(
                "{} written in sequence and {} in curves, as fast as the drive goes",
                ByteCount::new(rounds * plan.length().get()),
                plan.curve_bytes()
            ),
            random_writes(plan),
        ];
        if plan.purge() != PurgeOption::Discard {
            sentences.splice(0..0, plan.purge().outline("the range"));
        }
        let passes = plan.one_pass().map_or(0, |pass| pass.bytes().get().saturating_mul(2 * rounds));
        let unpaced = rounds * plan.length().get() + plan.curve_bytes().get();
        let unpaced = ByteCount::new(unpaced.saturating_add(passes));
        let timed = Nanos::new(plan.preconditioning().get().saturating_mul(2 * rounds));
        Outline {
            sentences,
            written: None,
            time: Some(PlannedTime { timed, unpaced, ..PlannedTime::default() }),
        }
    }
}

/// What wears the drive once.
fn wear(plan: &TrimPlan) -> String {
    let at_most = if plan.preconditioning_bytes().is_some() { "at most " } else { "" };
    match plan.one_pass() {
        Some(pass) => pass.in_words(),
        None => format!("{at_most}{} of random writes", long_time(plan.preconditioning().as_secs_f64())),
    }
}

/// How long and how much random writes go on in all.
fn random_writes(plan: &TrimPlan) -> String {
    let times = 2 * u64::from(plan.rounds());
    if let Some(pass) = plan.one_pass() {
        let bytes = ByteCount::new(pass.bytes().get().saturating_mul(times));
        return format!("{bytes} written at random in {times} passes, as fast as the drive goes");
    }
    let time = long_time(plan.preconditioning().as_secs_f64() * times as f64);
    match plan.preconditioning_bytes() {
        None => format!("random writes for {time}; how much they write depends on the drive"),
        Some(bytes) => {
            let bytes = ByteCount::new(bytes.get().saturating_mul(times));
            format!("random writes for {time} at most, or less where {bytes} are written before")
        }
    }
}
