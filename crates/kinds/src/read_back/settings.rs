//! When and what is read back of verified writes.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// When what was written is read back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ReadBack {
    /// When as many blocks were written since as half the range holds, and the rest at the end.
    Continuous,
    /// When all is written: the writing is not disturbed.
    End,
    /// Not at all.
    No,
}

/// What the settings of verified writes mean on one drive: needed to read them back after a power cut.
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

/// The number in every sector of a run that is verified. In documents it has hexadecimal digits, since JSON's numbers end at
/// 2^53 for many readers.
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
