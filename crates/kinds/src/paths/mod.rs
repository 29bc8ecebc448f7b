//! The same data by several paths: which path from a program to a drive is the fastest, and where the time goes.
//!
//! Its drives are written through plain system calls as well as through the engine, so it is a test in cells.

mod cells;
mod findings;
mod plan;
mod settings;
mod view;
mod work;

use drivelab_view::{Better, KeyFigure, Quantity, View};

pub use cells::{PathCell, PathRun, ProcessorShares, ProcessorUse, TimeShares, Window, Windows};
pub use findings::{PathLeftOut, PathsFindings};
pub use plan::{Cell, FileDirectory, FileWrites, PathsInput, PathsPlan, REQUEST};
pub use settings::{DataPath, FileLocation, PathsSettings};
pub use work::{WrittenCell, rounded_lengths};

use crate::{Comparison, ResultKind, StandstillRule, StoredResult};

/// The kind of result.
#[derive(Clone, Copy, Debug)]
pub struct Paths;

impl ResultKind for Paths {
    const NAME: &'static str = "paths";
    const WORDS: &'static str = "comparison of paths";
    const VERSION: u32 = 3;
    const STANDSTILLS: StandstillRule = StandstillRule::Include;
    type Settings = PathsSettings;
    type Findings = PathsFindings;
    const VIEW: fn(&Comparison<'_, Paths>) -> View = view::view;

    fn key_figures(kept: &StoredResult<Paths>) -> Vec<KeyFigure> {
        let found = &kept.findings;
        let Some(longest) = found.file_lengths().into_iter().max() else { return Vec::new() };
        let rate = |path: DataPath| {
            let rate = found.cell(path, longest)?.rate_mb_s;
            let name = format!("Writing by {}", path.word());
            let value = rate.value(Quantity::BytesPerSecond, 1e6);
            (rate.runs > 0).then_some(KeyFigure::of_value(name, value, Better::High))
        };
        found.paths().into_iter().filter_map(rate).collect()
    }
}
