//! The document of an index.

use drivelab_documents::Started;
use drivelab_view::Better;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Differing, DriveOfIndex, FigureOfIndex, Index, IndexedTrace, ResultState};

/// What an index holds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct IndexFindings {
    /// The drives, in the order of their names.
    pub drives: Vec<DriveFindings>,
    /// Traces of block I/O.
    pub traces: Vec<IndexedTrace>,
    /// Why other results are not among these, a sentence each.
    pub left_out: Vec<String>,
}

/// A drive with its figures and its results.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DriveFindings {
    /// Its model, or the target of a simulated drive or a file.
    pub name: String,
    /// What the user calls it; null where no name was given, or its results have several.
    pub label: Option<String>,
    /// Its serial number; null where it has none, or hides it.
    pub serial: Option<String>,
    /// Its world-wide name; null where it has none.
    pub wwn: Option<String>,
    /// Why its results may be of several drives, in a sentence; null where nothing says so.
    pub doubt: Option<String>,
    /// The version of its firmware.
    pub firmware: Option<String>,
    /// Its user capacity; null where it is not known.
    pub size_bytes: Option<u64>,
    /// Its figures.
    pub figures: Vec<FigureFindings>,
    /// Its results.
    pub results: Vec<ResultFindings>,
}

/// A figure of a drive.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FigureFindings {
    /// Its name.
    pub name: String,
    /// Its value in the base unit: bytes, bytes a second, nanoseconds, seconds, I/Os a second.
    pub value: f64,
    /// The value with its unit, as pages show it.
    pub text: String,
    /// Which of two values is the better one; null where neither is.
    pub better: Option<BetterFindings>,
    /// The place of the result that it is from, among the drive's results.
    pub result: usize,
}

/// Which of two values is the better one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BetterFindings {
    /// The greater one.
    Greater,
    /// The lesser one.
    Lesser,
}

/// A result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ResultFindings {
    /// The kind in words.
    pub kind: String,
    /// What a reader calls it.
    pub label: String,
    /// Its folder.
    pub folder: String,
    /// When and where it began; null of a simulated drive.
    pub started: Option<Started>,
    /// How it ended.
    pub state: ResultState,
    /// What differs from more than half of the results of its kind.
    pub differing: Vec<Differing>,
}

impl IndexFindings {
    /// The document of an index.
    pub fn from_index(index: &Index) -> IndexFindings {
        IndexFindings {
            drives: index.drives.iter().map(drive).collect(),
            traces: index.traces.clone(),
            left_out: index.left_out.clone(),
        }
    }
}

fn drive(of: &DriveOfIndex) -> DriveFindings {
    let drive = of.drive.clone();
    DriveFindings {
        name: drive.model,
        label: of.called.clone(),
        serial: drive.serial,
        wwn: drive.wwn,
        doubt: of.doubt.clone(),
        firmware: drive.firmware,
        size_bytes: Some(drive.size_bytes).filter(|size| *size > 0),
        figures: of.figures.iter().map(figure).collect(),
        results: of.results.iter().map(|one| one.found.clone()).collect(),
    }
}

fn figure(of: &FigureOfIndex) -> FigureFindings {
    let value = of.figure.value;
    FigureFindings {
        name: of.figure.name.clone(),
        value: value.number,
        text: value.text(),
        better: match of.figure.better {
            Better::High => Some(BetterFindings::Greater),
            Better::Low => Some(BetterFindings::Lesser),
            Better::Neither => None,
        },
        result: of.result,
    }
}
