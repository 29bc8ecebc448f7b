//! A fill: how fast a drive is written from its first byte to its last, where the rate changes, and how much of the fast part
//! comes back after rests.
//!
//! The purge gives every block back to the drive, and the range is written once, in sequence. Its plateaus and knees are those of
//! `drivelab_stats::Plateaus`. For recovery the range is given back and filled up to a level; what is written last fills
//! the cache; after the rest it is written on until the rate has fallen again.

mod findings;
mod plan;
mod sentences;
mod settings;
mod view;
mod work;

use drivelab_view::{Better, FigureUse, KeyFigure, Quantity, View};

pub use findings::{FillFindings, KneeFindings, NoRecovery, PlateauFindings, RecoveryFindings};
pub use plan::FillPlan;
pub use settings::FillSettings;

use crate::{Comparison, Hooks, ResultKind, StandstillRule, StoredResult};

/// The kind of result.
#[derive(Clone, Copy, Debug)]
pub struct Fill;

impl ResultKind for Fill {
    const NAME: &'static str = "fill";
    const WORDS: &'static str = "fill";
    const VERSION: u32 = 1;
    const STANDSTILLS: StandstillRule = StandstillRule::Include;
    const HOOKS: Hooks<Fill> = Hooks {
        recovers_killed_runs: true,
        // A run that ended by itself has its steps from its work.
        observer: findings::observer,
        take_records: findings::take_records,
        is_complete: |kept| kept.findings.written_bytes >= kept.findings.planned_bytes,
        ..Hooks::NONE
    };
    type Settings = FillSettings;
    type Findings = FillFindings;
    const VIEW: fn(&Comparison<'_, Fill>) -> View = view::view;

    /// What is measured after the fill changes nothing of it.
    fn ranked_by(settings: &FillSettings) -> FillSettings {
        FillSettings { rests_ns: Vec::new(), filled_percent: Vec::new(), ..settings.clone() }
    }

    fn key_figures(kept: &StoredResult<Fill>) -> Vec<KeyFigure> {
        let found = &kept.findings;
        let speed = |name: &str, mb_s: Option<f64>| {
            KeyFigure::new(name, Quantity::BytesPerSecond, Better::High, mb_s.map(|rate| rate * 1e6))
        };
        let first = found.plateaus.first().map(|plateau| plateau.mean_mb_s);
        let fast = found.first_fall().map(|fall| fall.at_bytes as f64);
        // One figure of many: after the longest rest, with the least filled before.
        let shown = found.recovery.iter().filter(|one| one.is_shown());
        let longest = shown.min_by(|one, other| {
            one.filled_percent.total_cmp(&other.filled_percent).then(other.rest_ns.cmp(&one.rest_ns))
        });
        let recovered = longest.map(|one| {
            let (percent, rest_s) = (one.filled_percent, one.rest_ns as f64 / 1e9);
            let name = format!("Filling: fast again after {rest_s} s, level {percent} %");
            let better = if one.at_least { Better::Neither } else { Better::High };
            KeyFigure::new(name, Quantity::Bytes, better, Some(one.fast_bytes as f64))
        });
        let fast = KeyFigure::new("Filling: fast until", Quantity::Bytes, Better::High, fast);
        let of = |usage, figures: Vec<Option<KeyFigure>>| {
            figures.into_iter().flatten().map(move |figure| figure.speaks_of(usage))
        };
        let long = vec![
            speed("Filling: slowest plateau", found.slowest_mb_s()),
            speed("Filling: all of it", found.mean_mb_s),
        ];
        of(FigureUse::ReadsAndShortWrites, vec![speed("Filling: first rate", first), fast])
            .chain(of(FigureUse::LongSequentialWrites, long))
            .chain(of(FigureUse::ReadsAndShortWrites, vec![recovered.flatten()]))
            .collect()
    }
}
