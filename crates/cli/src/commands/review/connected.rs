//! The targets of a review as they are connected now.

use std::fs;
use std::time::UNIX_EPOCH;

use drivelab_review::ReviewedTarget;
use drivelab_runner::{Failure, SafetyOptions, TargetName};
use drivelab_safety::{System, Target, list_drives};

use crate::commands::identity::identity_of;
use crate::commands::target_names::from_anywhere;

/// A target as it is connected now.
pub struct Connected {
    /// Its name, as a command takes it; a drive may have another one than at the begin of the review.
    pub target: String,
    /// Which drive or file it is, so that a review goes on with no other; none of a simulated drive.
    pub identity: Option<String>,
    /// What tells the parameters of a simulated drive from others, whose profile is a file; none of every other target.
    pub profile: Option<String>,
    /// What it is.
    pub kind: ConnectedKind,
}

/// What a target is.
pub enum ConnectedKind {
    /// A simulated drive.
    Simulated,
    /// A drive, and what confirms it.
    Drive {
        /// Its serial number, or of a loop or zram device its kernel name.
        confirmation: String,
    },
    /// A file.
    File,
}

impl Connected {
    /// When a file was made that is there now, in nanoseconds since 1970. A file that took its place has another time, also where
    /// the file system gave it the same inode. None of every other target, and where the file system does not keep it.
    pub fn file_made_ns(&self) -> Option<u64> {
        let file = fs::metadata(&self.target).ok().filter(|_| matches!(self.kind, ConnectedKind::File))?;
        let made = file.created().ok()?.duration_since(UNIX_EPOCH).ok()?;
        u64::try_from(made.as_nanos()).ok()
    }

    /// Refuses a file that is not the one that a review was begun on.
    pub fn check_file(&self, kept: &ReviewedTarget) -> Result<(), Failure> {
        if kept.file_made_ns.is_none() || self.file_made_ns() == kept.file_made_ns {
            return Ok(());
        }
        let is_there = fs::exists(&self.target).unwrap_or(true);
        let is_now = if is_there { "another file is there now" } else { "it is not there now" };
        Err(Failure::Refused(format!(
            "--resume: the review was begun on {}, and {is_now}: put the file back, or begin a new review",
            kept.identity.as_ref().unwrap_or(&kept.target)
        )))
    }

    /// Looks a target up.
    ///
    /// # Errors
    /// It is not there.
    pub fn look_up(target: &str) -> Result<Connected, Failure> {
        let mut of_file = None;
        let (identity, kind) = match TargetName::parse(target)? {
            TargetName::Simulated(profile) => {
                of_file = profile.is_of_file().then(|| format!("{:016x}", profile.fingerprint()));
                (None, ConnectedKind::Simulated)
            }
            TargetName::Path(path) => match Target::resolve(&System::live(), path.as_path())? {
                Target::Drive(drive) => {
                    let identity = drive.identity();
                    let confirmation = identity.confirmation().to_owned();
                    (Some(identity_of(identity)), ConnectedKind::Drive { confirmation })
                }
                Target::File(_) => (Some(format!("the file {}", from_anywhere(target))), ConnectedKind::File),
            },
        };
        Ok(Connected { target: target.to_owned(), identity, profile: of_file, kind })
    }

    /// Looks up the target that a review was begun on: under its name, or, where that names another one now, as a drive that the
    /// kernel gave another name.
    ///
    /// # Errors
    /// It is not there, or the file of a simulated drive's profile was changed.
    pub fn again(kept: &ReviewedTarget) -> Result<Connected, Failure> {
        let (target, identity) = (kept.target.as_str(), kept.identity.as_ref());
        let named = Connected::look_up(target);
        if let Ok(named) = &named
            && named.identity.as_ref() == identity
            && kept.profile.is_some()
            && kept.profile != named.profile
        {
            return Err(Failure::Refused(format!(
                "--resume: the profile file of {target} was changed since the review was begun: put it back as it was, or begin \
                 a new review"
            )));
        }
        let is_it = named.as_ref().is_ok_and(|named| named.identity.as_ref() == identity);
        // A simulated drive without its profile's file says so itself.
        if is_it || identity.is_none() && named.is_err() {
            return named;
        }
        let drives = list_drives(&System::live());
        let is_it =
            |listing: &&drivelab_safety::DriveListing| Some(&identity_of(&listing.identity)) == identity;
        if let Some(listing) = drives.iter().find(is_it) {
            return Connected::look_up(&format!("/dev/{}", listing.identity.kernel_name));
        }
        let is_now = match named {
            Ok(Connected { identity: Some(other), .. }) => format!("{target} is {other} now"),
            Ok(_) => format!("{target} is a simulated drive now"),
            Err(failure) => failure.to_string(),
        };
        let begun_on = identity.map_or("a simulated drive", String::as_str);
        Err(Failure::Refused(format!(
            "--resume: the review was begun on {begun_on}, and {is_now}: connect that drive, or begin a new review"
        )))
    }

    /// What confirms that a test may write to it, of what the user gave for all targets.
    pub fn confirmed(&self, given: &SafetyOptions) -> Vec<String> {
        let (is_drive, is_file) =
            (matches!(self.kind, ConnectedKind::Drive { .. }), matches!(self.kind, ConnectedKind::File));
        let mut arguments = Vec::new();
        if given.destroy_data && (is_drive || is_file) {
            arguments.push("--destroy-data".to_owned());
        }
        if let ConnectedKind::Drive { confirmation } = &self.kind {
            let own = given.serial.iter().find(|serial| *serial == confirmation);
            let only = given.serial.first().filter(|_| given.serial.len() == 1);
            arguments.extend(own.or(only).map(|serial| format!("--serial={serial}")));
        }
        if is_file {
            arguments.extend(given.assume_unused.then(|| "--assume-unused".to_owned()));
            arguments.extend(given.file_size.map(|size| format!("--file-size={}B", size.get())));
        }
        arguments
    }

    /// The same as if the user had confirmed everything, for a test that only says what it would do.
    pub fn as_if_confirmed(&self, given: &SafetyOptions) -> Vec<String> {
        let serial = match &self.kind {
            ConnectedKind::Drive { confirmation } => vec![confirmation.clone()],
            ConnectedKind::Simulated | ConnectedKind::File => Vec::new(),
        };
        self.confirmed(&SafetyOptions { serial, destroy_data: true, assume_unused: true, ..given.clone() })
    }
}
