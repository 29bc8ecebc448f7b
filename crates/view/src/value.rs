//! A number that knows what it measures.

use drivelab_documents::IntervalEnds;
use serde::Serialize;

use crate::format;

/// What a number measures, in its base unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum Quantity {
    /// Things that are counted.
    Count,
    /// A number of a logical block.
    Lba,
    /// I/Os a second.
    Iops,
    /// Bytes a second, shown in decimal megabytes.
    BytesPerSecond,
    /// Files a second: made, looked at or deleted.
    FilesPerSecond,
    /// Bytes, shown in decimal units.
    Bytes,
    /// Bytes of a block, shown in binary units where they are whole ones.
    BlockSize,
    /// A short time in nanoseconds, shown in ns, us, ms or s.
    Nanoseconds,
    /// A time in seconds.
    Seconds,
    /// A share between 0 and 1, shown in per cent.
    Share,
    /// A ratio of two values of one kind.
    Factor,
    /// A number without a unit.
    Number,
    /// Watts.
    Watts,
    /// Amperes.
    Amperes,
    /// Joules.
    Joules,
    /// Joules for each decimal gigabyte.
    JoulesPerGigabyte,
    /// I/Os a second for each watt.
    IopsPerWatt,
    /// Degrees Celsius.
    Celsius,
}

/// Which of several values of a figure is the better one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Better {
    /// The higher one.
    High,
    /// The lower one.
    Low,
    /// Neither: the figure does not judge.
    Neither,
}

/// A number with what it measures, and how well it is known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Value {
    /// What it measures.
    pub quantity: Quantity,
    /// The number, in the base unit of its quantity.
    pub number: f64,
    /// The interval that holds the true value with 95 % confidence, where one is known.
    pub interval: Option<IntervalEnds>,
    /// Whether the number is a bound of the true value.
    pub bound: Bound,
    /// How many I/Os lie beyond a percentile, where they are too few (less than ten) to carry weight.
    pub few: Option<u64>,
}

/// Whether a number is a bound of the true value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// It is the value.
    Exact,
    /// The true value is at least so large.
    AtLeast,
    /// The true value is at most so large.
    AtMost,
}

impl Value {
    /// A number that is known exactly.
    pub fn new(quantity: Quantity, number: f64) -> Value {
        Value { quantity, number, interval: None, bound: Bound::Exact, few: None }
    }

    /// The value with a 95 % confidence interval.
    #[must_use]
    pub fn within(mut self, low: f64, high: f64) -> Value {
        self.interval = Some(IntervalEnds { low, high });
        self
    }

    /// The value with the confidence interval of these ends, where it has one.
    #[must_use]
    pub fn within_known(self, ends: Option<(f64, f64)>) -> Value {
        ends.map_or(self, |(low, high)| self.within(low, high))
    }

    /// The value as a bound.
    #[must_use]
    pub fn bounded(mut self, bound: Bound) -> Value {
        self.bound = bound;
        self
    }

    /// The value, which may be greater where `is_bound` says so.
    #[must_use]
    pub fn at_least_where(self, is_bound: bool) -> Value {
        if is_bound { self.bounded(Bound::AtLeast) } else { self }
    }

    /// The ends of its interval; the number itself twice where it has none.
    pub fn ends(&self) -> (f64, f64) {
        self.interval.map_or((self.number, self.number), |interval| (interval.low, interval.high))
    }

    /// The value with its unit, such as `≥ 1.24 ms` or `210 MB/s`, without its interval.
    pub fn text(&self) -> String {
        self.bound.with_sign(self.quantity.text(self.number))
    }

    /// The same as a sentence has it, such as `at least 1.24 ms`.
    pub fn in_words(&self) -> String {
        let number = self.quantity.text(self.number);
        match self.bound {
            Bound::Exact => number,
            Bound::AtLeast => format!("at least {number}"),
            Bound::AtMost => format!("at most {number}"),
        }
    }
}

impl Bound {
    /// The text of a number, after the sign of what the number bounds.
    pub(crate) fn with_sign(self, number: String) -> String {
        match self {
            Bound::Exact => number,
            Bound::AtLeast => format!("≥ {number}"),
            Bound::AtMost => format!("≤ {number}"),
        }
    }
}

impl Quantity {
    /// A number of this quantity with its unit.
    pub fn text(self, number: f64) -> String {
        match self.unit() {
            Some(unit) => format!("{} {unit}", self.bare(number)),
            None => self.bare(number),
        }
    }

    /// A number of this quantity as it stands below a head that names [`Quantity::unit`].
    pub fn bare(self, number: f64) -> String {
        match self {
            Quantity::Count | Quantity::Lba => format::count(number),
            Quantity::Iops | Quantity::FilesPerSecond | Quantity::Number => format::rate(number),
            Quantity::BytesPerSecond => format::rate(number / 1e6),
            Quantity::Bytes => format::bytes(number),
            Quantity::BlockSize => format::block_size(number),
            Quantity::Nanoseconds => format::nanos(number),
            Quantity::Seconds => format::seconds(number),
            Quantity::Share => format::percent(number),
            Quantity::Factor
            | Quantity::Watts
            | Quantity::Amperes
            | Quantity::Joules
            | Quantity::JoulesPerGigabyte
            | Quantity::IopsPerWatt => format::digits(number),
            Quantity::Celsius => format!("{number:.0}"),
        }
    }

    /// The unit of every number of this quantity; none where numbers have none, or bring units of different sizes.
    pub fn unit(self) -> Option<&'static str> {
        self.names().0
    }

    /// The name of the quantity's base unit in the head of a CSV column, such as `_ns` in `p99_ns`; empty where there is none.
    pub fn suffix(self) -> &'static str {
        self.names().1
    }

    fn names(self) -> (Option<&'static str>, &'static str) {
        match self {
            Quantity::Count | Quantity::Lba | Quantity::Number => (None, ""),
            Quantity::Iops => (Some("IOPS"), "_iops"),
            Quantity::BytesPerSecond => (Some("MB/s"), "_bytes_per_s"),
            Quantity::FilesPerSecond => (Some("files/s"), "_files_per_s"),
            Quantity::Bytes | Quantity::BlockSize => (None, "_bytes"),
            Quantity::Nanoseconds => (None, "_ns"),
            Quantity::Seconds => (None, "_s"),
            Quantity::Share => (None, "_share"),
            Quantity::Factor => (None, "_factor"),
            Quantity::Watts => (Some("W"), "_w"),
            Quantity::Amperes => (Some("A"), "_a"),
            Quantity::Joules => (Some("J"), "_j"),
            Quantity::JoulesPerGigabyte => (Some("J/GB"), "_j_per_gb"),
            Quantity::IopsPerWatt => (Some("IOPS/W"), "_iops_per_w"),
            Quantity::Celsius => (Some("°C"), "_celsius"),
        }
    }
}
