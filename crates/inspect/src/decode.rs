//! What a number means that a drive or a kernel reports errors with.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A number, decoded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DecodeFindings {
    /// Where the number is from.
    pub register: Register,
    /// The number.
    pub value: u32,
    /// The bits that are set, the highest first; nothing of an NVMe status field.
    pub bits: Vec<BitMeaning>,
    /// An NVMe status field; none of another register.
    pub nvme: Option<NvmeStatusFindings>,
}

/// Where a number is from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Register {
    /// The `SError` register of a SATA link.
    Serr,
    /// The status register of an ATA device.
    AtaStatus,
    /// The error register of an ATA device.
    AtaError,
    /// The status field of an NVMe completion.
    NvmeStatus,
}

/// One bit that is set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BitMeaning {
    /// Its place, from 0.
    pub bit: u8,
    /// Its name in the specification, or the kernel's where that is shorter.
    pub name: String,
    /// What it means.
    pub meaning: String,
}

/// A status field of NVMe, taken apart.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NvmeStatusFindings {
    /// The status code type (SCT), 0 to 7.
    pub status_code_type: u8,
    /// The status code (SC).
    pub status_code: u8,
    /// What the type covers.
    pub kind: String,
    /// The code's name in the specification.
    pub name: String,
    /// Which of three command retry delays is asked for (CRD); 0 for none.
    pub retry_delay: u8,
    /// Whether the error log has more (M).
    pub more: bool,
    /// Whether the same command would fail again (DNR).
    pub do_not_retry: bool,
}
