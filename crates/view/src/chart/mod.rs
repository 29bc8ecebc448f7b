//! What a chart shows. Every chart of every page, SVG file and PNG file is drawn from this one description; its values are
//! also its table and its CSV file.

mod axis;
mod series;

pub use axis::{Axis, Scale, Ticks};
pub use series::{Data, Extra, Series, Shape, Spread};

use serde::Serialize;

use crate::Quantity;

/// A chart.
#[derive(Clone, Debug, PartialEq)]
pub struct Chart {
    /// Its name in links and file names, unique in its view, such as `rate`.
    pub id: String,
    /// Its title, such as "IOPS of every second".
    pub title: String,
    /// What the picture shows, for those who cannot see it.
    pub about: String,
    /// What lies along the horizontal axis; where there are several, the first one is shown and the page switches between
    /// them.
    pub across: Vec<Axis>,
    /// What lies along the vertical axis.
    pub up: Axis,
    /// Values against the horizontal axis.
    pub series: Vec<Series>,
    /// Counts over both axes, in a frame of their own for each subject.
    pub heats: Vec<Heat>,
    /// Places on the horizontal axis that have a name.
    pub landmarks: Vec<Landmark>,
    /// By what series have their colours.
    pub colours: Colours,
    /// How much room it takes.
    pub size: Size,
    /// What has to be said of it: the width of bins, the number of values, how they were timed.
    pub notes: Vec<String>,
}

/// A place on the horizontal axis that has a name, such as the cliff of a run.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "DocumentLandmark"))]
pub struct Landmark {
    /// Its name.
    pub label: String,
    /// The subject that it belongs to.
    pub subject: Option<usize>,
    /// Where it lies on each of the chart's horizontal axes.
    #[cfg_attr(test, ts(as = "Vec<Option<f64>>"))]
    pub at: Vec<f64>,
}

/// By what series have their colours and marks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Colours {
    /// By their subject: series of one subject differ in their line. All subjects share a frame, or have one each where
    /// they are many.
    OfSubjects,
    /// By their name: each subject has a frame of its own.
    OfNames,
}

/// How much room a chart takes on a wide page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// The whole width.
    Wide,
    /// Two or three stand next to each other.
    Small,
}

impl Chart {
    /// A chart that is as wide as the page, without anything in it.
    pub fn new(id: &str, title: &str, across: Vec<Axis>, up: Axis) -> Chart {
        Chart {
            id: id.to_owned(),
            title: title.to_owned(),
            about: title.to_owned(),
            across,
            up,
            series: Vec::new(),
            heats: Vec::new(),
            landmarks: Vec::new(),
            colours: Colours::OfSubjects,
            size: Size::Wide,
            notes: Vec::new(),
        }
    }

    /// Whether it shows nothing at all.
    pub fn is_empty(&self) -> bool {
        self.series.iter().all(|series| series.ys.is_empty())
            && self.heats.iter().all(|heat| heat.columns.is_empty())
    }
}

/// Counts over both axes: columns of equal width along the horizontal axis, rows between the edges of the vertical one.
#[derive(Clone, Debug, PartialEq)]
pub struct Heat {
    /// Its name, where a subject has several.
    pub name: String,
    /// The subject that it belongs to.
    pub subject: usize,
    /// Where the first column begins on the chart's first horizontal axis.
    pub start: f64,
    /// The width of a column.
    pub width: f64,
    /// The edges of the rows in ascending order, one more than there are rows.
    pub edges: Data,
    /// The columns.
    pub columns: Vec<HeatColumn>,
    /// What a cell counts, such as "I/Os".
    pub unit: String,
    /// What the numbers of cells are; colours follow their logarithm.
    pub quantity: Quantity,
}

/// A column of a heat map: its counts from a row on; rows outside hold nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HeatColumn {
    /// The lowest row with a count.
    pub first: usize,
    /// The counts from there on.
    pub counts: Vec<u32>,
}

impl HeatColumn {
    /// The counts of all rows, from the first to the last that is not zero: most columns hold little.
    pub fn trimmed(counts: &[u32]) -> HeatColumn {
        let used = |count: &u32| *count > 0;
        let ends = counts.iter().position(used).zip(counts.iter().rposition(used));
        ends.map_or_else(HeatColumn::default, |(first, last)| HeatColumn {
            first,
            counts: counts[first..=last].to_vec(),
        })
    }
}
