//! Why a threshold of slow I/Os holds, as documents keep it.

use drivelab_stats::ThresholdOrigin;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Why a threshold holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ThresholdReason {
    /// It was chosen from this trace, which is shown alone.
    Own,
    /// It was asked for.
    Asked,
    /// It was chosen from all traces that are compared.
    Common,
    /// It is that of the trace which was replayed.
    OfTrace,
    /// None could be chosen: 100 ms.
    Instant,
}

impl From<ThresholdOrigin> for ThresholdReason {
    fn from(origin: ThresholdOrigin) -> ThresholdReason {
        match origin {
            ThresholdOrigin::Asked => ThresholdReason::Asked,
            ThresholdOrigin::Own => ThresholdReason::Own,
            ThresholdOrigin::Common => ThresholdReason::Common,
            ThresholdOrigin::OfTrace => ThresholdReason::OfTrace,
            ThresholdOrigin::Instant => ThresholdReason::Instant,
        }
    }
}
