//! Kinds of results that verify what they wrote.

use drivelab_block::{ByteRange, Geometry};
use drivelab_method::PhasePlan;
use drivelab_workload::verify::{Ledger, RunId};

use super::{StreamOnDrive, VerificationFindings};
use crate::{PlanError, ResultKind};

/// What reads back what a run wrote, after the run.
#[derive(Debug)]
pub struct ReadBackPlan {
    /// What tells the blocks of the run from those of every other.
    pub run: RunId,
    /// The blocks, of which no write is noted yet.
    pub ledger: Ledger,
    /// The phase of reading.
    pub reading: PhasePlan,
}

/// A kind of result that verifies what it wrote, where that is asked for.
pub trait VerifiedKind: ResultKind {
    /// How its writes are numbered, in a sentence.
    const COUNTED: &'static str;

    /// What was read back; none where nothing was.
    fn verification(findings: &Self::Findings) -> Option<&VerificationFindings>;

    /// Takes what was read back after the run.
    fn keep_verification(findings: &mut Self::Findings, found: VerificationFindings);

    /// What the settings mean on the drive; none of a run that verifies nothing, or before that is known.
    fn on_drive(settings: &Self::Settings) -> Option<StreamOnDrive>;

    /// How often the run flushes, in writes; none where it does not.
    fn flush_every(_settings: &Self::Settings) -> Option<u32> {
        None
    }

    /// Which boot of the machine the run was made in, as the kernel names it; none where that is not kept.
    fn boot(_settings: &Self::Settings) -> Option<&str> {
        None
    }

    /// What reads back what a run with these settings wrote to these bytes: the first, and the one past the last.
    ///
    /// # Errors
    /// Where a target of this geometry has no such bytes, or the run verifies nothing.
    fn read_back(
        settings: &Self::Settings,
        range: ByteRange,
        geometry: Geometry,
    ) -> Result<ReadBackPlan, PlanError>;

    /// Bytes of a logical block of the drive, where it was known; of a sector else.
    fn logical_block_bytes(settings: &Self::Settings) -> u32 {
        Self::on_drive(settings).map_or(512, |on_drive| on_drive.logical_block_bytes)
    }
}
