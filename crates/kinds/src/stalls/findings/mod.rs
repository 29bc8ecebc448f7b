//! What a stream finds.

mod stream;
mod times;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use stream::StreamFindings;
pub(super) use stream::shares_of;
pub(super) use times::large_enough;
pub use times::{
    BacklogCourse, BufferNeed, CompletionTimes, DELAYS_MAX, DelayFound, DeviceTimesFindings, LongestWrites,
    OverflowShare, Spread, TimesSummary,
};

use crate::read_back::VerificationFindings;
use crate::watched::HealthFindings;

/// What a stream of writes found.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StallsFindings {
    /// The writes and their times; none where nothing was written, and where the records of a killed run are not all there.
    pub stream: Option<StreamFindings>,
    /// Why the writes are not known, a sentence without its final stop; none where they are.
    pub withheld: Option<String>,
    /// What was read back; none where nothing was.
    pub verification: Option<VerificationFindings>,
    /// The drive's own health.
    pub health: HealthFindings,
}
