//! Giving a claim up for a while, so that a file system can be made and mounted, and taking it back.

use std::fs::Metadata;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};

use crate::checks::refuse_for;
use crate::claim::DriveClaim;
use crate::grant::Lending;
use crate::passing::settled;
use crate::usage_scan::OpenHandles;
use crate::{
    ClaimOptions, Confirmation, DeviceNumber, DriveIdentity, DriveTarget, FileTarget, Identity, Reason,
    SafetyError, System, Target, Use, WriteGrant, claim_for_writing,
};

/// A target whose claim was given up by the one who held it. What it holds from then on is the run's own, so
/// taking it back asks for nothing but that it is still the same and that nobody uses it.
#[derive(Debug)]
pub struct Released {
    system: System,
    path: PathBuf,
    identity: Identity,
    options: ClaimOptions,
    lending: Lending,
}

impl WriteGrant {
    /// Gives the claim up, so that `mkfs` and `mount` can have the drive.
    #[must_use]
    pub fn release(self) -> Released {
        // Hours pass until the claim is taken back: a link that is turned to another drive meanwhile leads nowhere from here.
        let path = match &self.identity {
            Identity::Drive(_) => std::fs::canonicalize(&self.path).unwrap_or(self.path),
            Identity::File(_) => self.path,
        };
        self.lending.changed();
        let (system, identity, options) = (self.system, self.identity, self.options);
        Released { system, path, identity, options, lending: self.lending }
    }
}

impl Released {
    /// The path of the target itself: of a drive its node, with all links followed when the claim was given up.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Checks that the target is still the same and is used by nobody but at `mounts`, where the run has
    /// mounted it itself. To be called right before `mkfs` and right before `mount`.
    ///
    /// # Errors
    /// [`SafetyError::Refused`] where it is another drive by now, or somebody uses it.
    pub fn verify(&self, mounts: &[PathBuf]) -> Result<(), SafetyError> {
        let own = |used: &Use| matches!(used, Use::Mounted { at, .. } if mounts.contains(at));
        let mut reasons = settled(&self.system, |scan| {
            let uses = match &self.identity {
                Identity::Drive(drive) => {
                    scan.uses_of_drive(drive, &self.options.output_folders, OpenHandles::Everybody)
                }
                Identity::File(file) => scan.uses_of_file(file),
            };
            uses.into_iter().filter(|used| !own(used)).map(Reason::InUse).collect()
        });
        if let Identity::Drive(drive) = &self.identity {
            reasons.extend(self.changed(drive));
        }
        refuse_for(self.identity.to_string(), reasons)
    }

    /// Claims the target again, after everything of the run's own was unmounted.
    ///
    /// # Errors
    /// As [`claim_for_writing`]: somebody may have taken the drive meanwhile.
    pub fn retake(self) -> Result<WriteGrant, SafetyError> {
        let grant = match self.identity {
            Identity::Drive(drive) => {
                let target = DriveTarget { path: self.path, identity: *drive };
                let (system, target, options) = (&self.system, &target, &self.options);
                // It was confirmed before. Another one of its serial number that has appeared meanwhile changes nothing: what
                // was claimed was known by its device number.
                DriveClaim { system, target, options, may_destroy: true, unconfirmed: None }.claim()
            }
            Identity::File(file) => {
                let target = Target::File(FileTarget { path: self.path, existing: Some(file) });
                let confirmation = Confirmation { serial: None, destroy_data: true };
                claim_for_writing(&self.system, &target, &confirmation, &self.options)
            }
        }?;
        self.lending.changed();
        Ok(WriteGrant { lending: self.lending, ..grant })
    }

    /// What is different by now: behind its path, where programs will look for it, or of the drive itself.
    fn changed(&self, drive: &DriveIdentity) -> Option<Reason> {
        let what = drive.kernel_name.clone();
        let is_its_node = std::fs::metadata(&self.path)
            .is_ok_and(|node| node.file_type().is_block_device() && number_of(&node) == drive.number);
        if !is_its_node {
            return Some(Reason::Changed { what, difference: "its node" });
        }
        let difference = match DriveIdentity::read(&self.system, drive.number) {
            Some(now) => drive.difference(&now)?,
            None => "its presence",
        };
        Some(Reason::Changed { what, difference })
    }
}

fn number_of(node: &Metadata) -> DeviceNumber {
    DeviceNumber::from_raw(node.rdev())
}
