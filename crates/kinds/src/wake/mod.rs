//! How long the first read takes after the drive has rested: single reads after rests of several lengths, in random order.

mod findings;
mod plan;
mod sentences;
mod settings;
mod view;
mod work;

use drivelab_block::Nanos;
use drivelab_view::format::long_time;
use drivelab_view::{Better, FigureUse, KeyFigure, Quantity, View};

pub use findings::{ReadAfterRest, RestFindings, StepFindings, WakeFindings};
pub use plan::WakePlan;
pub use settings::WakeSettings;

use crate::{Comparison, Hooks, ResultKind, StandstillRule, StoredResult};

/// The kind of result.
#[derive(Clone, Copy, Debug)]
pub struct Wake;

impl ResultKind for Wake {
    const NAME: &'static str = "wake";
    const WORDS: &'static str = "wake-up time";
    const VERSION: u32 = 1;
    const STANDSTILLS: StandstillRule = StandstillRule::Include;
    type Settings = WakeSettings;
    type Findings = WakeFindings;
    const VIEW: fn(&Comparison<'_, Wake>) -> View = view::view;

    const HOOKS: Hooks<Wake> = Hooks {
        is_complete: |kept| kept.findings.reads.len() as u64 == kept.findings.planned,
        ..Hooks::NONE
    };

    fn key_figures(kept: &StoredResult<Wake>) -> Vec<KeyFigure> {
        let figure = |rest: &RestFindings| {
            let rested = long_time(Nanos::new(rest.rest_ns).as_secs_f64());
            let name = format!("First read after {rested}");
            KeyFigure::new(name, Quantity::Nanoseconds, Better::Low, Some(rest.median_ns))
                .map(|figure| figure.speaks_of(FigureUse::ReadsAndShortWrites))
        };
        kept.findings.rests.last().and_then(figure).into_iter().collect()
    }
}
