//! The settings of a stream.

use std::fmt;

use drivelab_block::{ByteCount, Nanos};
use serde::{Deserialize, Serialize};

use crate::{AskedRange, SettingValue};

/// What a stream of writes was asked to be, and what it takes to read it back after a power cut.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StallsSettings {
    /// Bytes of a write.
    pub block_bytes: u64,
    /// Bytes of a logical block of the drive.
    pub logical_block_bytes: u32,
    /// The part of the drive that was asked for; none in what an earlier version wrote.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range: Option<AskedRange>,
    /// The same in bytes: the first, and the one past the last.
    pub range_bytes: [u64; 2],
    /// How much; none where the time alone ends it.
    pub bytes: Option<u64>,
    /// How long; none where the bytes alone end it.
    pub duration_ns: Option<u64>,
    /// Bytes a second of a schedule; none where the drive's answers pace it.
    pub rate_bytes_s: Option<f64>,
    /// Writes in flight.
    pub queue_depth: u32,
    /// When what was written is read back.
    pub verify: VerifyWhen,
    /// Rates that a buffer is shown for, in bytes a second.
    pub stream_rates_bytes_s: Vec<f64>,
    /// The number of the run, in each of its sectors: hexadecimal, since JSON's numbers end at 2^53 for many readers.
    #[serde(with = "hexadecimal")]
    pub run: u64,
}

/// When what was written is read back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum VerifyWhen {
    /// Behind the writing.
    Continuous,
    /// When all is written.
    End,
    /// Not at all.
    No,
}

impl StallsSettings {
    pub(crate) fn values(&self) -> Vec<SettingValue> {
        // The bytes of the range and of a logical block are the drive's, the rates a reader's, and the number no setting.
        let StallsSettings {
            block_bytes,
            logical_block_bytes: _,
            range,
            range_bytes: _,
            bytes,
            duration_ns,
            rate_bytes_s,
            queue_depth,
            verify,
            stream_rates_bytes_s: _,
            run: _,
        } = self;
        let mut values = vec![
            SettingValue::BlockSize(ByteCount::new(*block_bytes)),
            SettingValue::QueueDepth(*queue_depth),
            SettingValue::ByteRate(*rate_bytes_s),
            SettingValue::Duration(duration_ns.map(Nanos::new)),
            SettingValue::Bytes(bytes.map(ByteCount::new)),
            SettingValue::Verification(*verify),
        ];
        values.extend(range.map(SettingValue::Range));
        values
    }
}

impl fmt::Display for VerifyWhen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            VerifyWhen::Continuous => "continuous",
            VerifyWhen::End => "at the end",
            VerifyWhen::No => "no",
        })
    }
}

/// A number in hexadecimal digits.
mod hexadecimal {
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands fields over so")]
    pub fn serialize<S: Serializer>(number: &u64, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&format!("{number:016x}"))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
        let text = String::deserialize(deserializer)?;
        u64::from_str_radix(&text, 16).map_err(Error::custom)
    }
}
