//! What a stream is asked to be.

use crate::AskedRange;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a stream of writes is asked to be.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StallsSettings {
    /// Bytes of a write.
    pub block_bytes: u64,
    /// The part of the drive that is written.
    pub range: AskedRange,
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
    /// Rates that a buffer is shown for, in bytes a second. They change nothing of the test.
    pub stream_rates_bytes_s: Vec<f64>,
    /// What tells the blocks of this stream from those of every other.
    pub stream: StreamNumber,
    /// What the settings mean on the drive under test; none before it is known.
    pub on_drive: Option<StreamOnDrive>,
}

/// When what was written is read back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ReadBack {
    /// Half a round behind the writing, and the rest at the end.
    Continuous,
    /// When all is written: the writing is not disturbed.
    End,
    /// Not at all.
    No,
}

/// What a stream's settings mean on one drive: needed to read it back after a power cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StreamOnDrive {
    /// Bytes of a logical block, which an LBA counts.
    pub logical_block_bytes: u32,
    /// The part of the drive that is written: the first byte, and the one past the last.
    pub range_bytes: [u64; 2],
    /// How much is written at most; none where only the time ends it.
    pub bytes: Option<u64>,
}

/// The number in every sector of a stream. In documents it has hexadecimal digits, since JSON's numbers end at 2^53 for many
/// readers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String")]
pub struct StreamNumber(pub u64);

impl From<StreamNumber> for String {
    fn from(number: StreamNumber) -> String {
        format!("{:016x}", number.0)
    }
}

impl TryFrom<String> for StreamNumber {
    type Error = std::num::ParseIntError;

    fn try_from(text: String) -> Result<StreamNumber, Self::Error> {
        u64::from_str_radix(&text, 16).map(StreamNumber)
    }
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

    /// Bytes of a logical block of the drive, where it was known.
    pub(super) fn logical_block_bytes(&self) -> u32 {
        self.on_drive.map_or(512, |on_drive| on_drive.logical_block_bytes)
    }
}
