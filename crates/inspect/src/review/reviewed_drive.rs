//! What the results of a review give of one of its targets.

use drivelab_record::LapsesDocument;
use drivelab_record::review::ReviewedTarget;
use drivelab_view::KeyFigure;

/// What the results give of one target.
#[derive(Clone, Debug, Default)]
pub struct ReviewedDrive {
    /// What the user calls it; none where no name was given, or its results have several.
    pub called: Option<String>,
    /// Its key figures, in the order of the steps.
    pub figures: Vec<KeyFigure>,
    /// The answer of each of its results, in the order of the steps, after the kind of result in words.
    pub answers: Vec<(String, String)>,
    /// What the drive did not do as it was asked, in the order of the steps.
    pub lapses: Vec<ReviewedLapses>,
}

/// What a drive did not do as it was asked in a test.
#[derive(Clone, Debug)]
pub struct ReviewedLapses {
    /// The kind of the test in words.
    pub kind: String,
    /// What it did not do.
    pub found: LapsesDocument,
}

impl ReviewedDrive {
    /// Its name, which is else the target.
    pub fn name<'a>(&'a self, target: &'a ReviewedTarget) -> &'a str {
        self.called.as_deref().unwrap_or(&target.target)
    }

    /// The worst that the drive did not do: blocks that are not as they were written, before I/Os that failed, before times
    /// without an answer; of equals the first.
    pub fn worst(&self) -> Option<&ReviewedLapses> {
        let rank = |one: &&ReviewedLapses| match &one.found {
            LapsesDocument { not_as_written: Some(_), .. } => 0,
            LapsesDocument { failed, silence: Some(_), .. } if failed.is_empty() => 2,
            _ => 1,
        };
        self.lapses.iter().min_by_key(rank)
    }
}
