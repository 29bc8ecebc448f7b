//! What tests in rounds ask of a drive, one after the other.

use drivelab_block::{ByteRange, Nanos};
use drivelab_method::LoadPlan;
use drivelab_stats::{Distribution, PtsSample};

use crate::PurgeOption;

/// What tests in rounds ask of a drive at once.
#[derive(Clone, Debug)]
pub enum PtsRequest {
    /// To be purged: by a command of its own, or by discards of a range.
    Purge {
        /// How.
        asked: PurgeOption,
        /// The first byte of the range, and the one past its last.
        range: ByteRange,
    },
    /// To rest for so long.
    Rest(Nanos),
    /// To do a load.
    Load(Box<LoadPlan>),
}

/// What a load came to; nothing of a purge and of a rest.
#[derive(Clone, Debug, Default)]
pub struct MeasuredLoad {
    /// Its figures.
    pub sample: PtsSample,
    /// How its service times are distributed.
    pub service: Distribution,
}
