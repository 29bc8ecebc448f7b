//! Which phases of a run are shown where it is read as a trace.

use drivelab_record::{ChosenPhases, PhaseReason};
use drivelab_view::format::count;
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
        let (phases, are) = if self.shown.len() == 1 { ("Phase", "is") } else { ("Phases", "are") };
        let why = match self.chosen {
            PhaseReason::Measured => format!("{phases} {shown}, which the run measured, {are} {done}"),
            PhaseReason::Asked => format!("{phases} {shown} {are} {done}, as asked"),
        };
        let left_out = self.left_out_requests;
        let (ios, are) = if left_out == 1 { ("I/O", "is") } else { ("I/Os", "are") };
        format!("{why}; the run has {of}. {} {ios} of other phases {are} left out.", count(left_out as f64))
    }
}

/// The names in quotes, each once.
fn listed(names: &[String]) -> String {
    let mut listed: Vec<String> = Vec::new();
    for name in names.iter().map(|name| format!("\"{name}\"")) {
        if !listed.contains(&name) {
            listed.push(name);
        }
    }
    listed.join(", ")
}
