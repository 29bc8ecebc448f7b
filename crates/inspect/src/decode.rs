//! What a number means that a drive or a kernel reports errors with.

use drivelab_block::worded_enum;
use drivelab_decode::{Bit, NvmeStatus};
use schemars::JsonSchema;
use serde::Serialize;

/// A number, decoded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DecodeFindings {
    /// Where the number is from.
    pub register: Register,
    /// The number.
    pub value: u32,
    /// The bits that are set, the highest first; nothing of an NVMe status field.
    pub bits: Vec<Bit>,
    /// An NVMe status field; none of another register.
    pub nvme: Option<NvmeStatus>,
}

worded_enum! {
    /// Where a number is from.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
    #[serde(rename_all = "kebab-case")]
    pub enum Register {
        /// The `SError` register of a SATA link.
        Serr = "serr",
        /// The status register of an ATA device.
        AtaStatus = "ata-status",
        /// The error register of an ATA device.
        AtaError = "ata-error",
        /// The status field of an NVMe completion.
        NvmeStatus = "nvme-status",
    }
}
