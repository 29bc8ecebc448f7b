//! The permission to write, and the descriptor it was given for: one object.

use std::ops::Range;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use drivelab_block::{Geometry, Sector};

use crate::confirmation::ClaimOptions;
use crate::passing::settled;
use crate::usage_scan::OpenHandles;
use crate::{Identity, Note, SafetyError, System, checks, file_checks};

/// The permission to write to one target, and the exclusively opened descriptor that was checked.
///
/// Only [`claim_for_writing`](crate::claim_for_writing) makes one. As long as it lives no other program can
/// mount the drive or claim it; when it is dropped the claim ends.
#[derive(Debug)]
pub struct WriteGrant {
    pub(crate) system: System,
    pub(crate) descriptor: OwnedFd,
    /// Holds the lock that keeps udev and other careful programs away; for a partition that of its drive.
    /// Nothing reads it: it has only to live as long as the grant.
    pub(crate) _drive_lock: Option<OwnedFd>,
    pub(crate) path: PathBuf,
    pub(crate) identity: Identity,
    pub(crate) geometry: Geometry,
    pub(crate) direct: bool,
    pub(crate) options: ClaimOptions,
    pub(crate) lending: Lending,
    pub(crate) notes: Vec<Note>,
}

impl WriteGrant {
    /// What a workload has to know before it can address the target.
    pub fn geometry(&self) -> Geometry {
        self.geometry
    }

    /// Who the target is.
    pub fn identity(&self) -> &Identity {
        &self.identity
    }

    /// The path by which the target was asked for.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The sectors that may be written: from the first to the one after the last.
    pub fn allowed_range(&self) -> Range<Sector> {
        Sector::new(0)..Sector::new(self.geometry.capacity.whole_sectors())
    }

    /// Whether I/O bypasses the page cache; a file system may not allow it.
    pub fn direct(&self) -> bool {
        self.direct
    }

    /// What does not forbid the run but belongs beside its results.
    pub fn notes(&self) -> &[Note] {
        &self.notes
    }

    /// Checks again that the descriptor is the target that was granted and that nobody else has begun to use
    /// it. To be called before each destructive phase.
    ///
    /// # Errors
    /// [`SafetyError::Refused`] where something has changed; [`SafetyError::Environment`] where the
    /// descriptor itself cannot be looked at, as after a drive was pulled out.
    pub fn verify_again(&self) -> Result<(), SafetyError> {
        let reasons = match &self.identity {
            Identity::Drive(drive) => {
                let mut reasons = checks::same_object(&self.system, drive, self.descriptor.as_fd())?;
                let openers = OpenHandles::StrangersWhoWrite;
                reasons.extend(settled(&self.system, |scan| {
                    checks::use_reasons(scan, drive, &self.options.output_folders, openers)
                }));
                reasons
            }
            Identity::File(file) => {
                file_checks::reasons_again(&self.system, file, self.descriptor.as_fd(), &self.options)?
            }
        };
        checks::refuse_for(self.identity.to_string(), reasons)
    }
}

impl AsFd for WriteGrant {
    /// The descriptor: opened for reading and writing, exclusively.
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.descriptor.as_fd()
    }
}

/// How often a claim was given up and taken back, for those who look at the target meanwhile. A grant, what it was released as,
/// and the one that is taken back share it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lending(Arc<AtomicU64>);

impl Lending {
    /// The claim was given up, or taken back.
    pub(crate) fn changed(&self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }

    /// How often the claim was given up or taken back by now, to be asked about later: odd while it is given up.
    pub(crate) fn changes(&self) -> u64 {
        self.0.load(Ordering::SeqCst)
    }

    /// Whether the claim was held since it had been given up or taken back so often.
    pub(crate) fn was_held_since(&self, changes: u64) -> bool {
        changes.is_multiple_of(2) && self.changes() == changes
    }
}
