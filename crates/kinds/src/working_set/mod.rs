//! How fast random reads are as the part of the drive that they go to grows, from a GiB or a 64th of it to all of it: a
//! drive whose memory holds the map of a part only reads slower where its map no longer fits.

mod findings;
mod plan;
mod settings;
mod view;
mod work;

use drivelab_view::{Better, FigureUse, KeyFigure, Quantity, View};

pub use findings::{FallFindings, PartFindings, WorkingSetFindings};
pub use plan::WorkingSetPlan;
pub use settings::WorkingSetSettings;

use crate::{Comparison, Hooks, ResultKind, StandstillRule, StoredResult};

/// The kind of result.
#[derive(Clone, Copy, Debug)]
pub struct WorkingSet;

impl ResultKind for WorkingSet {
    const NAME: &'static str = "working-set";
    const WORDS: &'static str = "reads by working set";
    const VERSION: u32 = 1;
    const STANDSTILLS: StandstillRule = StandstillRule::Include;
    type Settings = WorkingSetSettings;
    type Findings = WorkingSetFindings;
    const VIEW: fn(&Comparison<'_, WorkingSet>) -> View = view::view;

    const HOOKS: Hooks<WorkingSet> = Hooks {
        is_complete: |kept| kept.findings.judged().len() as u64 == kept.findings.planned,
        ..Hooks::NONE
    };

    fn key_figures(kept: &StoredResult<WorkingSet>) -> Vec<KeyFigure> {
        let (found, hot) = (&kept.findings, view::hot(kept));
        let part = |name: &str, part: Option<&PartFindings>| {
            let is_shown = |part: &&PartFindings| part.is_judged() && !hot.contains(part);
            let iops = part.filter(is_shown).map(|part| part.iops);
            KeyFigure::new(name, Quantity::Iops, Better::High, iops)
        };
        let whole = found.parts.last().filter(|_| found.parts.len() as u64 == found.planned);
        let figures = [
            part("Random reads of the smallest part", found.parts.first()),
            part("Random reads of all", whole),
        ];
        let of_reads = |figure: KeyFigure| figure.speaks_of(FigureUse::ReadsAndShortWrites);
        figures.into_iter().flatten().map(of_reads).collect()
    }
}
