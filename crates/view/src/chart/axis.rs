//! Axes.

use drivelab_documents::ClockTime;

use serde::{Serialize, Serializer};

use crate::Quantity;

/// What lies along an axis.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "DocumentAxis"))]
pub struct Axis {
    /// What is measured, without its unit, such as "Time".
    pub label: String,
    /// What its numbers are.
    pub quantity: Quantity,
    /// How values become places.
    pub scale: Scale,
    /// The least that the axis reaches over, so that charts can be compared; it grows where values lie outside.
    pub span: Option<(f64, f64)>,
    /// Where it is marked: in a document places with names, which may be null; null for round values.
    #[cfg_attr(test, ts(as = "Option<Vec<(f64, Option<String>)>>"))]
    pub ticks: Ticks,
    /// What a clock showed at 0, where the axis is one of seconds that are shown as times of that clock: in a document in
    /// seconds since it showed the beginning of 1970.
    #[serde(serialize_with = "clock_seconds")]
    #[cfg_attr(test, ts(as = "Option<f64>"))]
    pub clock: Option<ClockTime>,
    /// The command that shows a part of the axis, without that part, such as `drivelab trace show desktop`: with `--after` and
    /// `--before` in seconds it gives the figures of what was chosen on a page.
    pub command: Option<String>,
}

/// How values become places on an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "DocumentScale"))]
pub enum Scale {
    /// Equal steps are equally long; an axis of values that cannot be negative begins at zero.
    Linear,
    /// Equal factors are equally long.
    Log,
    /// Logarithmic at first; the page switches to linear.
    LogOrLinear,
}

/// Where an axis is marked.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Ticks {
    /// At round values.
    Round,
    /// At these values, in ascending order, such as the block sizes that were measured.
    At(#[serde(serialize_with = "unnamed")] Vec<f64>),
    /// At these values, in ascending order, each with a name of its own.
    Named(Vec<(f64, String)>),
}

/// In seconds since the clock showed the beginning of 1970.
#[expect(clippy::ref_option, reason = "as serde calls it")]
fn clock_seconds<S: Serializer>(clock: &Option<ClockTime>, serializer: S) -> Result<S::Ok, S::Error> {
    clock.map(ClockTime::clock_seconds).serialize(serializer)
}

fn unnamed<S: Serializer>(places: &[f64], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(places.iter().map(|place| (place, ())))
}

impl Axis {
    /// An axis that is marked at round values and reaches as far as they do.
    pub fn new(label: &str, quantity: Quantity, scale: Scale) -> Axis {
        Axis {
            label: label.to_owned(),
            quantity,
            scale,
            span: None,
            ticks: Ticks::Round,
            clock: None,
            command: None,
        }
    }

    /// An axis of times in seconds after `began`, shown as times of its clock to the second.
    pub fn of_clock(label: &str, began: ClockTime) -> Axis {
        Axis { clock: Some(began), ..Axis::new(label, Quantity::Seconds, Scale::Linear) }
    }

    /// A place on the axis with its unit, or as a time of its clock, such as `2026-11-26 17:32:15`.
    pub fn text(&self, place: f64) -> String {
        match self.clock_at(place) {
            Some(at) => format!("{} {}", at.day(), at.second()),
            None => self.quantity.text(place),
        }
    }

    /// What the clock shows at a place; none of an axis without a clock.
    pub(crate) fn clock_at(&self, place: f64) -> Option<ClockTime> {
        // To the nearest microsecond: a place in seconds has about as many digits.
        #[expect(clippy::cast_possible_truncation, reason = "saturates")]
        self.clock?.shifted(((place * 1e6).round() as i128).saturating_mul(1_000))
    }

    /// The axis, reaching at least from `low` to `high`.
    #[must_use]
    pub fn over(mut self, low: f64, high: f64) -> Axis {
        self.span = Some((low, high));
        self
    }

    /// The axis, marked at these values.
    #[must_use]
    pub fn marked_at(mut self, ticks: Vec<f64>) -> Axis {
        self.ticks = Ticks::At(ticks);
        self
    }
}
