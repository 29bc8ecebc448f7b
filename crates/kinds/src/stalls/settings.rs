//! What a stream is asked to be.

use crate::RangeOption;
use crate::read_back::{ReadBack, StreamNumber, StreamOnDrive};
use drivelab_block::PhaseId;
use drivelab_method::PhaseObserver;
use drivelab_stats::StreamWrites;
use serde::{Deserialize, Serialize};

/// What a stream of writes is asked to be.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StallsSettings {
    /// Bytes of a write.
    pub block_bytes: u64,
    /// The part of the drive that is written.
    pub range: RangeOption,
    /// How much is written; none where nothing was asked for.
    pub bytes: Option<u64>,
    /// How long; none where nothing was asked for. Where neither is, the range is written four times.
    pub duration_ns: Option<u64>,
    /// Bytes a second of a schedule; none where the drive's answers pace it.
    pub rate_bytes_s: Option<f64>,
    /// Writes in flight.
    pub queue_depth: u32,
    /// When what was written is read back.
    pub verify: ReadBack,
    /// Whether the kernel's own times of the drive's requests are recorded.
    pub device_times: bool,
    /// How long the drive is read at most until it is warm, before it is written; absent where that was not asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until_warm_ns: Option<u64>,
    /// Rates that a buffer is shown for, in bytes a second. They change nothing of the test.
    pub stream_rates_bytes_s: Vec<f64>,
    /// What tells the blocks of this stream from those of every other.
    pub stream: StreamNumber,
    /// What the settings mean on the drive under test; none before it is known.
    pub on_drive: Option<StreamOnDrive>,
}

impl StallsSettings {
    /// What two streams have to have in common for their figures to be ranked: everything but what the drive decides, and the
    /// rates that a reader asks a buffer for.
    #[must_use]
    pub(super) fn ranked_by(&self) -> StallsSettings {
        StallsSettings {
            stream_rates_bytes_s: Vec::new(),
            stream: StreamNumber::default(),
            on_drive: None,
            ..self.clone()
        }
    }

    /// What the phase of writing is also analysed as.
    pub(super) fn observer(&self, writing: PhaseId) -> PhaseObserver {
        let writes = StreamWrites::new(writing, self.block_bytes);
        PhaseObserver::Stream(writes.paced(self.rate_bytes_s.is_some()))
    }

    /// Bytes of the range that was written, on a drive of this size.
    pub(super) fn range_bytes(&self, drive_bytes: u64) -> u64 {
        let range = self.on_drive.map(|on_drive| on_drive.range_bytes);
        range.map_or(drive_bytes, |[start, end]| end.saturating_sub(start))
    }

    /// The share of a drive of this size that the range is, where it is a part of it.
    pub(super) fn part_of(&self, drive_bytes: u64) -> Option<f64> {
        let share = self.range_bytes(drive_bytes) as f64 / drive_bytes.max(1) as f64;
        // Whole blocks are written, and less than one may be left at the end.
        (share <= 0.999).then_some(share)
    }
}
