//! Which requests of a trace are replayed.

use drivelab_block::{DeviceId, Nanos, Op, TracedIo};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What of a trace is to be replayed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    /// Only this device; all of them where there is none.
    pub device: Option<DeviceId>,
    /// Whether writes are replayed.
    pub writes: bool,
    /// Whether discards are replayed.
    pub discards: bool,
    /// Only this long from the first request that is chosen, in the trace's own time.
    pub duration: Option<Nanos>,
}

impl Default for Choice {
    /// All of it.
    fn default() -> Choice {
        Choice { device: None, writes: true, discards: true, duration: None }
    }
}

// Of nothing are reads, writes and discards that no drive can be asked for.
/// Requests of a trace that were not replayed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LeftOutRequests {
    /// Writes, as was asked.
    pub writes: u64,
    /// Discards, as was asked.
    pub discards: u64,
    /// Requests for nothing.
    pub empty: u64,
}

/// What becomes of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestChoice {
    Taken,
    LeftOut,
    /// It and all that follow lie behind the part that was chosen.
    Behind,
}

/// Chooses among the requests of a trace, in the order of their issue.
#[derive(Clone, Debug)]
pub struct Chooser {
    choice: Choice,
    first: Option<u64>,
    pub left_out: LeftOutRequests,
}

impl Chooser {
    pub fn new(choice: Choice) -> Chooser {
        Chooser { choice, first: None, left_out: LeftOutRequests::default() }
    }

    #[inline]
    pub fn judge(&mut self, io: &TracedIo) -> RequestChoice {
        if self.choice.device.is_some_and(|device| device != io.device) {
            return RequestChoice::LeftOut;
        }
        let at = io.issued_at.as_nanos();
        let first = *self.first.get_or_insert(at);
        if self.choice.duration.is_some_and(|duration| at.saturating_sub(first) >= duration.get()) {
            return RequestChoice::Behind;
        }
        let reason = match io.op {
            Op::Write if !self.choice.writes => &mut self.left_out.writes,
            Op::Discard if !self.choice.discards => &mut self.left_out.discards,
            Op::Read | Op::Write | Op::Discard if io.extent.length.get() == 0 => &mut self.left_out.empty,
            _ => return RequestChoice::Taken,
        };
        *reason += 1;
        RequestChoice::LeftOut
    }
}
