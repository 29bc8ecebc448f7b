//! Whether a drive throttles, and what that does to its rate: by its own counter where it has one that is read every second, or
//! by its rate and its temperature.

mod by_counter;
mod by_rate;

pub use by_counter::counted_throttling;
pub use by_rate::{ThrottleFrom, throttling};

/// A rate at or below this share of the one before has fallen.
pub const FALLEN_SHARE: f64 = 0.9;

/// What was read in one interval of a run, in which the load was the same all the time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HeatPoint {
    /// The start of the interval, in seconds of the run.
    pub at_s: f64,
    /// The rate; `None` where it is not known, or the drive had nothing to do.
    pub rate: Option<f64>,
    /// The temperature in degrees Celsius; `None` where it is not known.
    pub celsius: Option<f64>,
    /// For how many seconds of the interval the drive throttled by its own counter; `None` where it does not count that, or not
    /// every second.
    pub counted_s: Option<f64>,
}

/// A drive that throttled.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Throttling {
    /// When it began first, in seconds of the run.
    pub began_s: f64,
    /// The temperature then, in degrees Celsius.
    pub celsius: f64,
    /// For which share of the time it throttled, from 0 to 1: of all intervals where the drive counted it, else of those with a
    /// rate.
    pub share: f64,
    /// For how many seconds it throttled by its own counter; `None` where rate and temperature say that it throttled.
    pub counted_s: Option<f64>,
    /// The rate without throttling: before it began first, or, where the drive counted it, next to the change whose ratio is the
    /// median of all. `None` where no rates could be compared.
    pub rate_before: Option<f64>,
    /// The rate with it, in the first intervals, or next to the same change: a later fall in the same time may have another
    /// cause, such as a full write cache.
    pub rate: Option<f64>,
    /// At how many begins and ends of throttling rates were compared; `None` where rate and temperature say that it throttled. At
    /// a single one, another cause may have come at the same time.
    pub changes: Option<u32>,
    /// Whether the rate came back later; `None` where the drive counted that it throttled. One that did not may have fallen for
    /// a reason that only coincided with the heat.
    pub came_back: Option<bool>,
}
