//! Response times at given loads: the peak in a closed loop, and then I/Os that arrive at random (Poisson): at shares of
//! it, or at rates.

mod findings;
mod plan;
mod sentences;
mod settings;
mod view;
mod work;

use drivelab_view::format::{capitalised, nanos};
use drivelab_view::{Better, FigureUse, KeyFigure, Quantity, Value, View};

pub use findings::{OfferedFindings, OfferedLoadFindings, Schedule};
pub use plan::OfferedLoadPlan;
pub use settings::{LoadOption, OfferedLoadSettings};

use crate::{Comparison, Hooks, ResultKind, StandstillRule, StoredResult};

/// The kind of result.
#[derive(Clone, Copy, Debug)]
pub struct OfferedLoad;

impl ResultKind for OfferedLoad {
    const NAME: &'static str = "offered-load";
    const WORDS: &'static str = "response times at offered loads";
    const VERSION: u32 = 1;
    const STANDSTILLS: StandstillRule = StandstillRule::Include;
    type Settings = OfferedLoadSettings;
    type Findings = OfferedLoadFindings;
    const VIEW: fn(&Comparison<'_, OfferedLoad>) -> View = view::view;

    const HOOKS: Hooks<OfferedLoad> = Hooks {
        is_complete: |kept| kept.findings.loads.len() as u64 == kept.findings.planned,
        ..Hooks::NONE
    };

    fn key_figures(kept: &StoredResult<OfferedLoad>) -> Vec<KeyFigure> {
        let what = capitalised(&kept.settings.operation.to_string());
        let figure = |one: &OfferedFindings| {
            let (name, better) = match one.asked {
                // The peaks of two drives differ, and with them what is offered.
                LoadOption::Percent(_) => {
                    (format!("{what}, p99 at {} of the peak", one.asked), Better::Neither)
                }
                LoadOption::Iops(_) => (format!("{what}, p99 at {}", one.asked), Better::Low),
            };
            KeyFigure::new(name, Quantity::Nanoseconds, better, one.p99_ns().map(|p99| p99 as f64))
        };
        let found = &kept.findings;
        let half = found.loads.iter().find(|one| one.percent >= 50.0).and_then(figure);
        let peak = KeyFigure::new(format!("{what}, peak"), Quantity::Iops, Better::High, found.peak_iops);
        let limit = kept.settings.limit_ns.zip(found.within_limit_iops).map(|(limit, iops)| {
            let is_bound = found.beyond_limit_iops.is_none();
            let value = Value::new(Quantity::Iops, iops).at_least_where(is_bound);
            let name = format!("{what}, load with a p99 of at most {}", nanos(limit as f64));
            let lasts = found.is_within_what_lasts();
            KeyFigure::of_value(name, value, Better::High).if_settled(lasts)
        });
        let figures = [peak, half, limit].into_iter().flatten();
        let of_reads = |figure: KeyFigure| figure.speaks_of(FigureUse::ReadsAndShortWrites);
        figures
            .map(|figure| if kept.settings.operation.writes() { figure } else { of_reads(figure) })
            .collect()
    }
}
