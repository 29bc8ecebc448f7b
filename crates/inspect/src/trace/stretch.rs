//! Which part of a trace is shown.

use drivelab_record::{ClockTime, IssuedWithin};
use drivelab_view::Quantity;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The part of a trace that is shown: the I/Os that were issued in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StretchFindings {
    /// Its beginning, in nanoseconds after that of the trace.
    pub from_ns: u64,
    /// Its end, likewise; null where it reaches to the end of the trace.
    pub until_ns: Option<u64>,
    /// From when on by the clock; null where the source has no clock time.
    pub from: Option<ClockTime>,
    /// Until when by the clock; null where the source has no clock time, and where it reaches to the end.
    pub until: Option<ClockTime>,
}

impl StretchFindings {
    /// A part of a trace that began then.
    pub fn from_bounds(within: IssuedWithin, began: Option<ClockTime>) -> StretchFindings {
        let at = |nanos: u64| began.and_then(|began| began.after(nanos));
        StretchFindings {
            from_ns: within.from,
            until_ns: within.until,
            from: at(within.from),
            until: within.until.and_then(at),
        }
    }

    /// Its ends, such as `from 2026-11-26 03:10:00 +01:00 until 2026-11-26 03:30:00 +01:00`.
    pub fn in_words(&self) -> String {
        let from = format!("from {}", moment(self.from, self.from_ns));
        match self.until_ns {
            Some(until) => format!("{from} until {}", moment(self.until, until)),
            None => format!("{from} on"),
        }
    }
}

/// A moment of a trace: on the clock where that is known, else in seconds after its beginning.
pub(super) fn moment(at: Option<ClockTime>, nanos: u64) -> String {
    match at {
        Some(at) => at.in_words(),
        None => Quantity::Seconds.text((nanos / 1_000_000) as f64 / 1e3),
    }
}
