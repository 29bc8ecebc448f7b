//! Which part of a trace, or of a run that is read as one, is shown.

use drivelab_documents::{ChosenPhases, ClockTime, PhaseReason};
use drivelab_record::IssuedWithin;
use drivelab_view::Quantity;
use drivelab_view::format::{by_number, each_once, things};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The phases of a run that are shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TracePhases {
    /// Their names, in order.
    pub shown: Vec<String>,
    /// The names of all phases of the run, in order.
    pub of: Vec<String>,
    /// Why these.
    pub chosen: PhaseReason,
    /// I/Os of the run's other phases, which are not in the figures.
    pub left_out_requests: u64,
    /// The longest time for which the program had no processor in these phases, though it could have run, in nanoseconds: I/Os
    /// that took no longer may have waited for the machine. Absent where that was for less than half a per cent of the time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub processor_wait_ns: Option<u64>,
}

impl TracePhases {
    /// The phases that were chosen of a run, where `left_out` I/Os of others were left out.
    pub fn from_chosen(chosen: &ChosenPhases, left_out: u64) -> TracePhases {
        TracePhases {
            shown: chosen.taken_names(),
            of: chosen.names.clone(),
            chosen: chosen.reason,
            left_out_requests: left_out,
            processor_wait_ns: chosen.longest_wait_ns(),
        }
    }

    /// Which phases are `done` (shown, exported, replayed), of which, and what is left out.
    pub fn sentence(&self, done: &str) -> String {
        let (shown, of) = (listed(&self.shown), listed(&self.of));
        if self.shown.len() == self.of.len() {
            return match self.of.len() {
                1 => format!("The run's only phase, {shown}, is {done}."),
                _ => format!("All phases of the run are {done}: {of}."),
            };
        }
        let (number, left_out) = (self.shown.len() as u64, self.left_out_requests);
        let (phases, are) = (by_number(number, "Phase", "Phases"), by_number(number, "is", "are"));
        let why = match self.chosen {
            PhaseReason::Measured => format!("{phases} {shown}, which the run measured, {are} {done}"),
            PhaseReason::Asked => format!("{phases} {shown} {are} {done}, as asked"),
        };
        let (ios, are) = (things(left_out, "I/O"), by_number(left_out, "is", "are"));
        format!("{why}; the run has {of}. {ios} of other phases {are} left out.")
    }
}

/// The names in quotes, each once.
fn listed(names: &[String]) -> String {
    each_once(names.iter().map(|name| format!("\"{name}\""))).join(", ")
}

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
