//! Every result below some folders, by drives: one row a drive, its figures in columns.

mod collect;
mod findings;
mod view;

use drivelab_block::PlacedDrive;
use drivelab_documents::{ClockTime, Condition, Drive, Manifest, Started};
use drivelab_view::{Curve, KeyFigure};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use findings::{DriveFindings, FigureFindings, IndexFindings, ResultFindings};
pub use view::view;

/// A result that goes into an index.
#[derive(Clone, Debug)]
pub struct IndexedResult {
    /// What the document of the index has of it; [`Index::new`] adds what differs.
    pub found: ResultFindings,
    /// Which drive it is of.
    pub placed: PlacedDrive,
    /// The drive as it is shown: its model is what it is called, which is the target where that says more.
    pub drive: Drive,
    /// Whether its label is a name that the user gave it.
    pub is_named: bool,
    /// The name that the user gave it, as it was typed.
    pub given_name: Option<String>,
    /// When its findings were written, in nanoseconds since 1970: the age of a result that has no date.
    pub written_unix_ns: u64,
    /// Its page, as a link from the page of the index; none where it has none.
    pub page: Option<String>,
    /// What the drive did not do as it was asked, in words; none where it did everything.
    pub lapses: Option<String>,
    /// What it was asked, as far as results of its kind are ranked by it: names and values in words.
    pub asked: Vec<(String, String)>,
    /// Results of one index are compared where this is equal: they were asked for alike. None of a run that did not end as
    /// planned, and before [`Index::new`].
    pub asked_alike: Option<usize>,
    /// What of the machine and its settings changes figures.
    pub surroundings: Vec<Condition>,
    /// Its key figures.
    pub figures: Vec<KeyFigure>,
    /// How its main figure went on in time.
    pub curve: Option<Curve>,
}

impl IndexedResult {
    /// By what the newest of several is known.
    fn age(&self) -> (Option<ClockTime>, u64) {
        (self.found.started.as_ref().map(|started| started.at), self.written_unix_ns)
    }
}

/// The drive of a run as an index shows it. The manifest does not hold what is not to be shown.
pub fn shown_drive(run: &Manifest) -> Drive {
    let is_named = !run.drive.simulated && !run.drive.model.is_empty();
    let name = if is_named { &run.drive.model } else { &run.target };
    Drive { model: name.clone(), ..run.drive.clone() }
}

/// How the run of a result ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ResultState {
    /// As planned, and nothing stands against it.
    Passed,
    /// As planned, and its own check failed.
    CheckFailed,
    /// The drive or the machine ended it before everything was measured.
    BrokeOff,
    /// By its user, or by the drive's temperature.
    Interrupted,
    /// It was killed, or is still under way.
    Killed,
}

/// A trace.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "IndexedTraceFindings")]
pub struct IndexedTrace {
    /// Its folder.
    pub folder: String,
    /// Its page, as a link from the page of the index; none where it has none.
    #[serde(skip)]
    pub page: Option<String>,
    /// The format that it was imported from, or `recorded`.
    pub source: String,
    /// When and where it began, where that is known.
    pub started: Option<Started>,
    /// The time of its first I/O in UTC, of a trace that was imported, where that is known.
    #[serde(skip)]
    pub began: Option<ClockTime>,
}

/// Everything that was found.
#[derive(Clone, Debug, Default)]
pub struct Index {
    /// The drives, in the order of their names.
    pub drives: Vec<DriveOfIndex>,
    /// The names of all figures, in the order in which results have them.
    pub figure_names: Vec<String>,
    /// Traces of block I/O.
    pub traces: Vec<IndexedTrace>,
    /// Why results are not among these, a sentence each.
    pub left_out: Vec<String>,
}

/// A drive with its results.
#[derive(Clone, Debug)]
pub struct DriveOfIndex {
    /// The drive, as its newest result knows it.
    pub drive: Drive,
    /// Its figures, those of one kind of result next to each other, each from its newest result that has it.
    pub figures: Vec<FigureOfIndex>,
    /// How its main figure went on in time, as the newest result shows it that was asked for as those of most drives were.
    pub curve: Option<Curve>,
    /// What the user calls it; none where no name was given, or several.
    pub called: Option<String>,
    /// Its results, the newest one of each kind first.
    pub results: Vec<IndexedResult>,
    /// Why its results may be of several drives, in a sentence; none where nothing says so.
    pub doubt: Option<String>,
}

/// A figure of a drive.
#[derive(Clone, Debug)]
pub struct FigureOfIndex {
    /// The figure.
    pub figure: KeyFigure,
    /// The place of the result that it is from.
    pub result: usize,
}

/// Something in which a result differs from most of its kind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Differing {
    /// What it is, such as "duration".
    pub name: String,
    /// Its value; none where it has none.
    pub own: Option<String>,
    /// The value of most results.
    pub usual: Option<String>,
}

impl Differing {
    /// The same in words, such as "duration 20 s instead of 2000 s".
    pub fn in_words(&self) -> String {
        let said = |value: &Option<String>| value.clone().unwrap_or_else(|| "not known".to_owned());
        format!("{} {} instead of {}", self.name, said(&self.own), said(&self.usual))
    }
}

impl Index {
    /// How many results there are, traces among them.
    pub fn results(&self) -> usize {
        self.drives.iter().map(|drive| drive.results.len()).sum::<usize>() + self.traces.len()
    }
}
