//! Where I/Os of a run failed.

use drivelab_block::Op;
use drivelab_stats::{FailedPlace, PhaseAnalysis};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::status_words;

/// I/Os of one kind that failed at one place in the same way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FailedAt {
    /// What was asked for.
    pub operation: Op,
    /// The first sector, in units of 512 bytes.
    pub sector: u64,
    /// How many sectors of 512 bytes.
    pub sectors: u32,
    /// Why, in words.
    pub error: String,
    /// How often.
    pub count: u64,
}

impl FailedAt {
    /// The places of a phase, in the order of their addresses.
    pub(super) fn all(phase: &PhaseAnalysis) -> Vec<FailedAt> {
        phase.failed_ios().places().map(FailedAt::from_place).collect()
    }

    fn from_place(place: FailedPlace) -> FailedAt {
        FailedAt {
            operation: place.op,
            sector: place.extent.start.get(),
            sectors: place.extent.length.get(),
            error: status_words(place.status),
            count: place.count,
        }
    }
}
