//! One block that is not as it was written.

use drivelab_workload::verify::{ExpectedSector, Fault, FaultReport, Piece};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One block that is not as it was written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FaultFound {
    /// What is wrong with it.
    pub kind: Fault,
    /// The first logical block of the block.
    pub lba: u64,
    /// The first logical block that is not as it should be.
    pub wrong_lba: u64,
    /// The first byte of the target that is not as it should be: of changed bits that byte itself, else the first of its sector.
    pub wrong_byte: u64,
    /// The number of the write that should be there, from 1: of all writes of a stream, of those to the block in a random load.
    pub expected_write: u64,
    /// Whether a later write may be there as well, since the records end while writes were in flight; absent where not.
    #[serde(default, skip_serializing_if = "is_false")]
    pub or_later: bool,
    /// What is there instead.
    pub found: FoundThere,
}

/// What is in the place of what was expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "is", rename_all = "snake_case", deny_unknown_fields)]
pub enum FoundThere {
    /// Another write of the same place.
    Write {
        /// Its number, from 1.
        number: u64,
    },
    /// What was written for another place.
    OtherPlace {
        /// The logical block that it was written for; null where that is not known.
        lba: Option<u64>,
        /// The byte of the target that it was written for; null where that is not known.
        byte: Option<u64>,
    },
    /// What another run wrote to the place.
    OtherRun,
    /// The expected write, with changed bits.
    ChangedBits,
    /// No self-describing sector: zeros, or what another program wrote.
    NoSector,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks with a reference")]
fn is_false(value: &bool) -> bool {
    !value
}

impl FaultFound {
    /// A fault on a drive with logical blocks of this size in bytes.
    pub(super) fn from_report(report: &FaultReport, logical_block_bytes: u32) -> FaultFound {
        let lba = |byte: u64| byte / u64::from(logical_block_bytes.max(1));
        let (number, or_later) = match report.expected {
            ExpectedSector::Write(number) => (number, false),
            ExpectedSector::WriteOrLater(number) => (number, true),
            // Of such a place nothing is reported.
            ExpectedSector::Nothing | ExpectedSector::Unknown => (0, false),
        };
        FaultFound {
            kind: report.fault,
            lba: lba(report.block.byte_offset()),
            wrong_lba: lba(report.sector.byte_offset()),
            wrong_byte: report.byte,
            expected_write: number + 1,
            or_later,
            found: match report.found {
                Piece::Write(number) => FoundThere::Write { number: number + 1 },
                Piece::OtherRun => FoundThere::OtherRun,
                Piece::Elsewhere(sector) => {
                    let byte = sector.map(drivelab_block::Sector::byte_offset);
                    FoundThere::OtherPlace { lba: byte.map(lba), byte }
                }
                Piece::Flipped(_) => FoundThere::ChangedBits,
                Piece::Nothing => FoundThere::NoSector,
            },
        }
    }
}
