//! How requests were timed.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

// During a stall a closed loop asks for nothing, so it under-reports stalls (coordinated omission): everything shown from it says
// so. In an open one the response time counts from the schedule.
/// How requests were timed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "LoopLabel")]
pub enum LoopKind {
    /// Each completion is followed by a new request.
    #[default]
    Closed,
    /// Requests follow a schedule.
    Open,
}
