//! When the program stood still during a run, as the manifest keeps it.

use drivelab_block::{Instant, QueueId};
use drivelab_stats::{Standstill, StandstillCause};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A time in which the program did not run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StandstillDocument {
    /// Its begin on the clock of the records, in nanoseconds.
    pub from_ns: u64,
    /// Its end.
    pub until_ns: u64,
    /// Why the program did not run.
    pub cause: StandstillCauseLabel,
    /// The queue whose worker did not run; absent where nothing of the program ran.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue: Option<u16>,
}

/// Why the program did not run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum StandstillCauseLabel {
    /// The process was stopped, or its virtual machine was paused.
    Stopped,
    /// The machine was suspended.
    Suspended,
    /// The hypervisor gave the processor to another virtual machine.
    Stolen,
    /// The kernel gave the processor to other programs.
    Starved,
    /// Not known.
    Unknown,
}

impl From<Standstill> for StandstillDocument {
    fn from(standstill: Standstill) -> StandstillDocument {
        StandstillDocument {
            from_ns: standstill.from.as_nanos(),
            until_ns: standstill.until.as_nanos(),
            cause: match standstill.cause {
                StandstillCause::Stopped => StandstillCauseLabel::Stopped,
                StandstillCause::Suspended => StandstillCauseLabel::Suspended,
                StandstillCause::Stolen => StandstillCauseLabel::Stolen,
                StandstillCause::Starved => StandstillCauseLabel::Starved,
                StandstillCause::Unknown => StandstillCauseLabel::Unknown,
            },
            queue: standstill.queue.map(|queue| queue.0),
        }
    }
}

impl From<StandstillDocument> for Standstill {
    fn from(kept: StandstillDocument) -> Standstill {
        Standstill {
            from: Instant::from_nanos(kept.from_ns),
            until: Instant::from_nanos(kept.until_ns.max(kept.from_ns)),
            queue: kept.queue.map(QueueId),
            cause: match kept.cause {
                StandstillCauseLabel::Stopped => StandstillCause::Stopped,
                StandstillCauseLabel::Suspended => StandstillCause::Suspended,
                StandstillCauseLabel::Stolen => StandstillCause::Stolen,
                StandstillCauseLabel::Starved => StandstillCause::Starved,
                StandstillCauseLabel::Unknown => StandstillCause::Unknown,
            },
        }
    }
}
