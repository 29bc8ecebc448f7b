//! Whether a drive throttles, and what that does to its rate: by its own counter where it has one that is read every second, or
//! by its rate and its temperature.

mod by_counter;
mod by_rate;

pub use by_counter::counted_throttling;
pub use by_rate::{ThrottleFrom, throttling};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A rate at or below this share of the one before has fallen.
const FALLEN_SHARE: f64 = 0.9;

/// What was read in one interval of a run, in which the load was the same all the time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HeatPoint {
    /// The start of the interval, in seconds from the start of its phase.
    pub at_s: f64,
    /// The rate in decimal megabytes a second; `None` where it is not known, or the drive had nothing to do.
    pub rate: Option<f64>,
    /// The temperature in degrees Celsius; `None` where it is not known.
    pub celsius: Option<f64>,
    /// For how many seconds of the interval the drive throttled by its own counter; `None` where it does not count that, or not
    /// every second.
    pub counted_s: Option<f64>,
}

/// A phase in which a drive throttled.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ThrottledPhase {
    /// The name of the phase.
    pub phase: String,
    /// When it began first, in seconds from the start of the phase.
    pub began_s: f64,
    /// The temperature then, in degrees Celsius.
    pub celsius: f64,
    /// For which share of the phase it throttled, from 0 to 1; idle seconds are left out where the drive did not count it.
    pub share: f64,
    /// For how many seconds of the phase it throttled by its own counter, which was read every second; absent where it counts
    /// none in time: then rate and temperature say that it throttled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counted_s: Option<f64>,
    /// The rate without throttling, read and written together, in decimal megabytes a second: the median of the 60 seconds
    /// before; or, where the drive counted it, of three seconds next to a begin or an end of throttling. Null where no rates
    /// could be compared.
    pub rate_before_mb_s: Option<f64>,
    /// The rate with it, in decimal megabytes a second: the median of the first ten seconds; or, where the drive counted it, of
    /// three seconds next to the same begin or end. Null where no rates could be compared.
    pub rate_mb_s: Option<f64>,
    /// At how many begins and ends of throttling rates were compared, of which the one is shown whose ratio is the median; absent
    /// where the drive did not count it. At a single one, another cause may have come at the same time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changes: Option<u32>,
    /// Whether the rate came back within the phase; absent where the drive counted it, and in results that were made before this
    /// was kept. A rate that did not come back may have fallen for a reason that only coincided with the heat.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub came_back: Option<bool>,
}

/// What throttling did to the rate of a drive.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ThrottlingEffect {
    /// It fell by a tenth or more.
    Fell {
        /// Without throttling, in decimal megabytes a second.
        before_mb_s: f64,
        /// With it, in decimal megabytes a second.
        then_mb_s: f64,
    },
    /// It did not fall so far.
    DidNotFall,
    /// Not shown: there were no rates to compare.
    NotShown,
}

impl ThrottledPhase {
    /// What it did to the rate.
    pub fn effect(&self) -> ThrottlingEffect {
        match self.rate_before_mb_s.zip(self.rate_mb_s) {
            Some((before_mb_s, then_mb_s)) if then_mb_s <= before_mb_s * FALLEN_SHARE => {
                ThrottlingEffect::Fell { before_mb_s, then_mb_s }
            }
            Some(_) => ThrottlingEffect::DidNotFall,
            None => ThrottlingEffect::NotShown,
        }
    }

    /// Whether the rate fell by a tenth or more.
    pub fn has_slowed(&self) -> bool {
        matches!(self.effect(), ThrottlingEffect::Fell { .. })
    }

    /// Whether it is shown that the drive throttled: it counted that, or the rate came back.
    pub fn is_shown(&self) -> bool {
        self.counted_s.is_some() || self.came_back == Some(true)
    }
}
