//! The targets of a review as they are connected now.

use std::fs;
use std::time::UNIX_EPOCH;

use drivelab_block::SameDrive;
use drivelab_documents::Drive;
use drivelab_documents::review::ReviewedTarget;
use drivelab_runner::{Failure, SafetyOptions, TargetName, drive_of, output, refused};
use drivelab_safety::{Confirming, DriveIdentity, Flag, System, Target, devices_that_fit};

use crate::commands::identity::{KeptDrive, all_drives, from_anywhere, identity_of};

/// How a file is named as the identity of a target.
const A_FILE: &str = "the file ";
/// How a sentence on the kept drive begins.
const BEGUN_ON: &str = "--resume: the review was begun on";
/// The same of a drive that is there, and what helps if it is another one.
const BEGUN: (&str, &str) = ("the review was begun on", "connect that drive, or begin a new review");

/// A target as it is connected now.
pub struct Connected {
    /// Its name, as a command takes it; a drive may have another one than at the begin of the review.
    pub target: String,
    /// Which drive or file it is, in words; none of a simulated drive.
    pub identity: Option<String>,
    /// What tells the parameters of a simulated drive from others, whose profile is a file; none of every other target.
    pub profile: Option<String>,
    pub kind: ConnectedKind,
}

pub enum ConnectedKind {
    Simulated,
    /// A drive, as it is now.
    Drive(Box<DriveIdentity>),
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
        Err(refused!(
            "--resume: the review was begun on {}, and {is_now}: put the file back, or begin a new review",
            kept.identity.as_ref().unwrap_or(&kept.target)
        ))
    }

    pub fn look_up(target: &str) -> Result<Connected, Failure> {
        let mut of_file = None;
        let (identity, kind) = match TargetName::parse(target)? {
            TargetName::Simulated(profile) => {
                of_file = profile.is_of_file.then(|| format!("{:016x}", profile.fingerprint()));
                (None, ConnectedKind::Simulated)
            }
            TargetName::Path(path) => match Target::resolve(&System::live(), path.as_path())? {
                Target::Drive(drive) => {
                    let identity = drive.identity().clone();
                    (Some(identity_of(&identity)), ConnectedKind::Drive(Box::new(identity)))
                }
                Target::File(_) => (Some(format!("{A_FILE}{}", from_anywhere(target))), ConnectedKind::File),
            },
        };
        Ok(Connected { target: target.to_owned(), identity, profile: of_file, kind })
    }

    /// Looks up the target that a review was begun on: under its name, or, where that names another one now, as a drive that
    /// the kernel gave another name. Of several drives that fit, the one is taken that one of `given` names, as confirmations
    /// are typed. Refused where it cannot be told from another one, or the file of a simulated drive's profile was changed.
    pub fn again(kept: &ReviewedTarget, given: &[String]) -> Result<Connected, Failure> {
        let (target, identity) = (kept.target.as_str(), kept.identity.as_ref());
        let named = Connected::look_up(target);
        let is_of_drive = kept.drive.is_some()
            || (kept.file_made_ns.is_none() && identity.is_some_and(|text| !text.starts_with(A_FILE)));
        if is_of_drive {
            return Connected::drive_again(kept, named.as_ref(), given);
        }
        if let Ok(named) = &named
            && named.identity.as_ref() == identity
            && kept.profile.is_some()
            && kept.profile != named.profile
        {
            return Err(refused!(
                "--resume: the profile file of {target} was changed since the review was begun: put it back as it was, or begin \
                 a new review"
            ));
        }
        let is_it = named.as_ref().is_ok_and(|named| named.identity.as_ref() == identity);
        // A simulated drive without its profile's file says so itself.
        if is_it || identity.is_none() && named.is_err() {
            return named;
        }
        Err(not_connected(kept, named.as_ref()))
    }

    /// The drive that a review was begun on.
    fn drive_again(
        kept: &ReviewedTarget,
        named: Result<&Connected, &Failure>,
        given: &[String],
    ) -> Result<Connected, Failure> {
        let mut fitting = fitting(kept);
        if fitting.is_empty() {
            return Err(not_connected(kept, named));
        }
        let system = System::live();
        // An earlier version kept the words alone, which are those of this drive.
        let drive = kept.drive.clone().unwrap_or_else(|| Drive {
            kernel_name: None,
            path: None,
            ..drive_of(&fitting[0])
        });
        let known = KeptDrive { drive: &drive, target: &kept.target };
        let place = known.place();
        let is_named = |drive: &&DriveIdentity| {
            let confirming = Confirming::list(&system, drive);
            given.iter().any(|given| confirming.is_named_by(given))
        };
        let mut of_given: Vec<DriveIdentity> = fitting.iter().filter(is_named).cloned().collect();
        // What names several targets of the review names each of them: this one is where it was.
        if of_given.len() > 1 {
            of_given.retain(|drive| {
                place.path.as_ref().map_or(Some(&drive.kernel_name) == place.kernel_name.as_ref(), |path| {
                    drive.by_path.contains(path)
                })
            });
        }
        let found = match (of_given.len(), fitting.len()) {
            (1, _) => of_given.remove(0),
            (_, 1) => fitting.remove(0),
            _ => return Err(several_fit(&system, &known, &fitting)),
        };
        let is_under_its_name = named.is_ok_and(|named| named.is_device(&found));
        let now = if is_under_its_name { kept.target.clone() } else { format!("/dev/{}", found.kernel_name) };
        let doubt = known.check((&now, &found), given, BEGUN)?;
        doubt.iter().for_each(output::say);
        Connected::look_up(&now)
    }

    fn is_device(&self, drive: &DriveIdentity) -> bool {
        matches!(&self.kind, ConnectedKind::Drive(own) if own.number == drive.number)
    }

    pub fn is_same(&self, other: &Connected) -> bool {
        match (&self.kind, &other.kind) {
            (ConnectedKind::Drive(own), ConnectedKind::Drive(others)) => {
                // A loop device with the same file has the same contents, and drives with one name of their own are one.
                own.number == others.number || own.which().compare(&others.which()) == SameDrive::Same
            }
            _ => self.target == other.target || (self.identity.is_some() && self.identity == other.identity),
        }
    }

    /// The drive, as a review keeps it.
    pub fn drive(&self) -> Option<Drive> {
        match &self.kind {
            ConnectedKind::Drive(drive) => Some(drive_of(drive)),
            ConnectedKind::Simulated | ConnectedKind::File => None,
        }
    }

    /// What confirms that a test may write to it, of what the user gave for all targets.
    pub fn confirmed(&self, given: &SafetyOptions) -> SafetyOptions {
        let nothing = SafetyOptions::default();
        match &self.kind {
            ConnectedKind::Simulated => nothing,
            ConnectedKind::Drive(drive) => {
                let confirming = Confirming::list(&System::live(), drive);
                // A step names the drive by all that it has: another one of its serial number may appear during the review.
                let is_own = given.serial.iter().any(|serial| confirming.is_met_by(serial));
                let only = given.serial.first().filter(|_| given.serial.len() == 1);
                let own = is_own.then(|| confirming.whole()).or(only.cloned());
                let serial = own.into_iter().collect();
                SafetyOptions { destroy_data: given.destroy_data, serial, ..nothing }
            }
            ConnectedKind::File => {
                let SafetyOptions { destroy_data, assume_unused, file_size, .. } = *given;
                SafetyOptions { destroy_data, assume_unused, file_size, ..nothing }
            }
        }
    }

    /// The same as if the user had confirmed everything, for a test that only says what it would do.
    pub fn as_if_confirmed(&self, given: &SafetyOptions) -> SafetyOptions {
        let serial = match &self.kind {
            ConnectedKind::Drive(drive) => vec![Confirming::list(&System::live(), drive).whole()],
            ConnectedKind::Simulated | ConnectedKind::File => Vec::new(),
        };
        self.confirmed(&SafetyOptions { serial, destroy_data: true, assume_unused: true, ..given.clone() })
    }
}

/// The devices of this machine that may be the one that a review was begun on.
fn fitting(kept: &ReviewedTarget) -> Vec<DriveIdentity> {
    let system = System::live();
    match (&kept.drive, &kept.identity) {
        (Some(drive), _) => devices_that_fit(&system, &drive.which()),
        (None, Some(words)) => all_drives(&system).filter(|drive| identity_of(drive) == *words).collect(),
        (None, None) => Vec::new(),
    }
}

/// Why a review does not go on with any of several drives, and what names each.
fn several_fit(system: &System, known: &KeptDrive<'_>, fitting: &[DriveIdentity]) -> Failure {
    let mut ways: Vec<String> = Vec::new();
    for drive in fitting {
        let flag = Flag::Serial(Confirming::list(system, drive).whole());
        ways.push(format!("{flag} if it is {}", drive.kernel_name));
    }
    refused!(
        "{BEGUN_ON} {}, and {} drives fit, which cannot be told from each other: add {}",
        known.in_words(),
        fitting.len(),
        ways.join(", ")
    )
}

/// Why a review cannot go on: its target is not there, or is another one.
fn not_connected(kept: &ReviewedTarget, named: Result<&Connected, &Failure>) -> Failure {
    let target = &kept.target;
    let is_now = match named {
        Ok(Connected { identity: Some(other), .. }) => format!("{target} is {other} now"),
        Ok(_) => format!("{target} is a simulated drive now"),
        Err(failure) => failure.to_string(),
    };
    let begun_on = kept.identity.as_deref().unwrap_or("a simulated drive");
    refused!("{BEGUN_ON} {begun_on}, and {is_now}: connect that drive, or begin a new review")
}
