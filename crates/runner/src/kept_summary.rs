//! Results by their key figures, without their records.

use std::path::Path;

use drivelab_block::PlacedDrive;
use drivelab_documents::{Condition, HiddenSerials, Manifest};
use drivelab_kinds::surroundings::surroundings;
use drivelab_kinds::{AskedSetting, Ended, ResultKind};
use drivelab_view::{Curve, KeyFigure};

use crate::{Failure, results};

/// A result as far as its manifest and its findings say it. Its records were not read: whether they are still whole is not known.
#[derive(Clone, Debug)]
pub struct KeptSummary {
    /// The kind in words, such as "quick test".
    pub kind: &'static str,
    /// What was run, without the serial number of the drive where that is not to be shown.
    pub run: Manifest,
    /// What is not to be shown of the drive.
    pub hidden: HiddenSerials,
    /// Which drive it is of, also where its serial number is not to be shown.
    pub drive: PlacedDrive,
    /// What was asked for, as far as results are ranked by it.
    pub asked: Vec<AskedSetting>,
    /// What of the machine and its settings changes figures.
    pub surroundings: Vec<Condition>,
    /// Its key figures; none of a run that did not end by itself.
    pub figures: Vec<KeyFigure>,
    /// How its main figure went on in time.
    pub curve: Option<Curve>,
    /// How the run ended.
    pub ended: Ended,
    /// What the drive did not do as it was asked, in words; none where it did everything.
    pub lapses: Option<String>,
    /// Whether nothing stood against it when it ended.
    pub passes: bool,
}

pub(crate) fn of_folder<K: ResultKind>(path: &Path) -> Result<KeptSummary, Failure> {
    let of_manifest = |run: &Manifest| (run.placed_drive(), run.hidden_serials());
    let (kept, (drive, hidden)) = results::open_without_records::<K, _>(path, of_manifest)?;
    let ended = kept.ended();
    let has_figures = ended == Ended::Whole && kept.withheld().is_none();
    Ok(KeptSummary {
        kind: K::WORDS,
        drive,
        hidden,
        surroundings: surroundings(&kept.run.conditions).cloned().collect(),
        asked: kept.asked(),
        figures: if has_figures { kept.key_figures() } else { Vec::new() },
        curve: (K::HOOKS.curve)(&kept).filter(|_| has_figures),
        ended,
        lapses: kept.lapses().map(|lapses| lapses.sentence),
        passes: kept.passes(),
        run: kept.run,
    })
}
