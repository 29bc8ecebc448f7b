//! The buffer that a stream needs, and how often smaller ones are too small.

use drivelab_stats::Backlog;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The least buffer that is called large enough, in bytes.
const LEAST: u64 = 4 << 20;

/// The buffer that a stream of one rate needs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BufferNeed {
    /// The stream's rate.
    pub stream_mb_s: f64,
    /// Whether it was asked for.
    pub asked: bool,
    /// The largest backlog that the run would have built.
    pub largest_backlog_bytes: u64,
    /// Whether the drive keeps up with the stream on average; where not, the backlog grows with the run.
    pub sustained: bool,
    /// Whether the run itself wrote as fast; where not, the drive rested between writes, which the stream would not allow.
    pub reached: bool,
    /// How often buffers of a quarter, of a half and of the whole of a size that was large enough are too small for a
    /// block; empty where the drive does not keep up, since no size is large enough then.
    pub overflow: Vec<OverflowShare>,
}

/// How often a buffer is too small.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OverflowShare {
    /// Its size.
    pub buffer_bytes: u64,
    /// The share of blocks for which it is too small.
    pub share: f64,
}

/// The buffer that was large enough for a backlog of so many bytes: the least power of two that holds it.
pub(crate) fn large_enough(backlog: u64) -> u64 {
    backlog.max(LEAST).checked_next_power_of_two().unwrap_or(1 << 63)
}

impl BufferNeed {
    /// What a replayed backlog shows of a run that wrote so many bytes a second itself. Between the writes of a slower one the
    /// drive rested; a hundredth less is the last write's.
    pub(super) fn from_backlog(backlog: &Backlog, own_rate: Option<f64>, asked: bool) -> BufferNeed {
        let enough = large_enough(backlog.largest);
        let overflow = [enough / 4, enough / 2, enough]
            .map(|buffer| OverflowShare { buffer_bytes: buffer, share: backlog.overflow(buffer) });
        BufferNeed {
            stream_mb_s: backlog.rate / 1e6,
            asked,
            largest_backlog_bytes: backlog.largest,
            sustained: backlog.sustained,
            reached: own_rate.is_some_and(|own| own >= backlog.rate * 0.99),
            overflow: if backlog.sustained { overflow.into() } else { Vec::new() },
        }
    }
}
