//! What was read back, and what was wrong with it.

use drivelab_documents::NotAsWrittenDocument;
use drivelab_workload::verify::{ExpectedSector, Fault, FaultReport, Piece, Verification};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Blocks that were read back, and what was wrong with them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct VerificationFindings {
    /// Blocks that were read back and judged.
    pub blocks: u64,
    /// The sectors of 512 bytes in these blocks, each of which was judged.
    pub sectors: u64,
    /// With a few bits changed.
    pub flipped: u64,
    /// With a part that is not of the write.
    pub torn: u64,
    /// With a part that was written for another place.
    pub misplaced: u64,
    /// Of an older write.
    pub stale: u64,
    /// Of no write at all.
    pub missing: u64,
    /// Of an older write or of none, where a power cut may take the expected one, as no flush was completed after it; absent
    /// where there is none. They are no faults.
    #[serde(default, skip_serializing_if = "drivelab_stats::is_zero")]
    pub unflushed: u64,
    /// Reads that failed.
    pub unreadable: u64,
    /// Blocks whose writes were acknowledged and that were not read back, without those that could not be read.
    pub left: u64,
    /// The sectors of 512 bytes in these blocks.
    pub left_sectors: u64,
    /// Blocks of which is not known what they should hold, since the last write to them failed.
    pub not_judged: u64,
    /// The first thousand faults.
    pub faults: Vec<FaultFound>,
    /// How it was read after the run had ended; none where it was read by the run itself.
    pub later: Option<ReadLater>,
}

/// How what was written was read back after its run had ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReadLater {
    /// What was read.
    pub target: String,
    /// Whether all records of what was acknowledged were there to judge by.
    pub complete: bool,
    /// What the reader has to know of it, a sentence each.
    pub notices: Vec<String>,
    /// After what it was judged, of a run that made flushes; absent of others, of which everything that was acknowledged is
    /// expected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judged_after: Option<JudgedAfter>,
    /// Where the blocks lie that are not as they were written; absent if there are none, or nothing shows that they
    /// are the run's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_as_written: Option<NotAsWrittenDocument>,
}

/// What may have happened since the run, by which its flushes count or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum JudgedAfter {
    /// The machine was not started since: everything that was acknowledged is expected.
    Kill,
    /// The machine was started since, or may have been: what was not flushed may be lost.
    PowerCut,
}

impl VerificationFindings {
    /// What was found of blocks on a drive with logical blocks of so many bytes, where so many reads failed.
    pub fn from_found(
        found: &Verification,
        logical_block_bytes: u32,
        unreadable: u64,
    ) -> VerificationFindings {
        let of_block = u64::from(found.ledger.span().block().get());
        let left = found.ledger.left();
        VerificationFindings {
            blocks: found.blocks,
            sectors: found.blocks * of_block,
            flipped: found.count(Fault::Flipped),
            torn: found.count(Fault::Torn),
            misplaced: found.count(Fault::Misplaced),
            stale: found.count(Fault::Stale),
            missing: found.count(Fault::Missing),
            unflushed: found.count(Fault::Unflushed),
            unreadable,
            left,
            left_sectors: left * of_block,
            not_judged: found.not_judged + found.ledger.unknown(),
            faults: found
                .reports
                .iter()
                .map(|report| FaultFound::from_report(report, logical_block_bytes))
                .collect(),
            later: None,
        }
    }

    /// Blocks that are not as they were written.
    pub fn faulty(&self) -> u64 {
        self.flipped + self.torn + self.misplaced + self.stale + self.missing + self.unreadable
    }

    /// Where the blocks lie that are not as they were written, if the run itself did not read them.
    pub(crate) fn not_as_written_later(&self) -> Option<&NotAsWrittenDocument> {
        self.later.as_ref()?.not_as_written.as_ref()
    }

    /// Whether nothing at all is there of what the run wrote, though not only what a power cut may take is missing: what was read
    /// may be another drive.
    pub fn is_nothing_there(&self) -> bool {
        self.missing > 0 && self.missing + self.unflushed == self.blocks
    }

    /// Whether everything that was read is as it was written, and was judged by all records.
    pub fn is_well(&self) -> bool {
        self.faulty() == 0 && self.later.as_ref().is_none_or(|later| later.complete)
    }
}

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
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
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
