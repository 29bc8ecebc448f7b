//! Why something is not written to, what to do about it, and how a claim ends where it is not granted.

use std::path::Path;
use std::{fmt, io};

use drivelab_block::ByteCount;

use crate::wording::shown;
use crate::{SharedSerial, Signature, Unseen, Use};

/// One reason for which nothing is written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Reason {
    /// It is in use.
    #[error("{0}")]
    InUse(Use),
    /// The kernel lets nobody write to this device or file.
    #[error("{0} is read-only: make it writable first (blockdev --setrw, or its write-protect switch)")]
    ReadOnly(String),
    /// The exclusive claim of this device or file failed, although no use of it is known.
    #[error(
        "{0} is claimed by the kernel or by another program: release it there (lsblk and fuser show who may have it), or \
         choose another drive"
    )]
    Claimed(String),
    /// Another program holds the lock of this file, or runs it.
    #[error("{} is locked or being run by another program: end that first (lslocks and fuser show it)", shown(.0))]
    Locked(String),
    /// It may be in use: not everything that may use it could be looked at.
    #[error(
        "the {} may be in use: {unseen}{}",
        if *.is_file { "file" } else { "drive" },
        if *.is_file { "; or add --assume-unused where you know that nothing uses the file" } else { "" }
    )]
    UsersNotSeen {
        /// What could not be.
        unseen: Unseen,
        /// Whether it is a file: who knows that nothing uses it may say so.
        is_file: bool,
    },
    /// The drive was not confirmed; this would confirm it.
    #[error("{0}")]
    Unconfirmed(Expected),
    /// Another drive was confirmed.
    #[error(fmt = write_wrongly_confirmed)]
    WronglyConfirmed {
        /// What was given.
        given: String,
        /// The drive, and what would confirm it.
        expected: Expected,
    },
    /// It holds a file system, a partition table or the like.
    #[error("{0}: add --destroy-data to overwrite it")]
    HoldsSignature(Signature),
    /// It holds something else than zeros.
    #[error("{what} is not empty (data at byte {}): add --destroy-data to overwrite it", .at.get())]
    HoldsBytes {
        /// The device.
        what: String,
        /// The first byte seen that is not zero.
        at: ByteCount,
    },
    /// Bytes are stored in the file; what they are was not looked at.
    #[error(
        "{what} is not empty (bytes are stored from byte {} on, be they zeros): add --destroy-data to overwrite it",
        .at.get()
    )]
    StoresBytes {
        /// The file.
        what: String,
        /// The first that is stored.
        at: ByteCount,
    },
    /// What it holds could not be seen: what was not, and why.
    #[error("{0}: add --destroy-data to overwrite whatever is there")]
    ContentsNotKnown(String),
    /// It does not answer what it is asked: which drive, and how long it was waited for.
    #[error(
        "{0}: a disk that has stopped may need longer, so list it again (drivelab drives); if it stays silent, look at the \
         kernel's log (dmesg)"
    )]
    DoesNotAnswer(String),
    /// It is no longer what was checked.
    #[error("{what} is no longer what was checked ({difference} differs): start again")]
    Changed {
        /// The device or file.
        what: String,
        /// What differs.
        difference: &'static str,
    },
    /// The security lock of this drive is on: it refuses every read and write.
    #[error(
        "{0} is locked with a password: where a purge by drivelab was cut off, run drivelab purge again; otherwise unlock it \
         first (hdparm --security-unlock)"
    )]
    SecurityLocked(String),
    /// Another machine has reserved this drive.
    #[error("{0} is reserved by another machine: release the reservation there, or choose another drive")]
    Reserved(String),
    /// The drive's health forbids it: what is wrong, a sentence without its full stop.
    #[error("{}: choose a healthy drive", shown(.0))]
    Unhealthy(String),
}

/// What has to be typed for a drive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expected {
    /// The kernel name of the target.
    pub device: String,
    /// The serial, where others have the same with what tells the drive from them, or the kernel name that stands for it.
    pub confirmation: String,
    /// Whether it is a serial.
    pub is_serial: bool,
    /// The devices that have one serial, where there are several.
    pub shared: Option<SharedSerial>,
    /// Whether what was typed instead confirms another drive of the machine.
    pub is_of_another: bool,
}

/// The flag of the command line that lifts a refusal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Flag {
    /// `--serial=` with this value.
    Serial(String),
    /// `--destroy-data`.
    DestroyData,
    /// `--assume-unused`.
    AssumeUnused,
}

impl fmt::Display for Flag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Flag::Serial(serial) if serial.contains(char::is_whitespace) => write!(f, "--serial='{serial}'"),
            Flag::Serial(serial) => write!(f, "--serial={serial}"),
            Flag::DestroyData => f.write_str("--destroy-data"),
            Flag::AssumeUnused => f.write_str("--assume-unused"),
        }
    }
}

impl Reason {
    /// The flag that lifts this reason; `None` where none does.
    pub fn lifted_by(&self) -> Option<Flag> {
        match self {
            Reason::Unconfirmed(expected) | Reason::WronglyConfirmed { expected, .. } => {
                Some(Flag::Serial(expected.confirmation.clone()))
            }
            Reason::HoldsSignature(_)
            | Reason::HoldsBytes { .. }
            | Reason::StoresBytes { .. }
            | Reason::ContentsNotKnown(_) => Some(Flag::DestroyData),
            Reason::UsersNotSeen { is_file: true, .. } => Some(Flag::AssumeUnused),
            _ => None,
        }
    }

    /// Whether nothing helps but another drive.
    fn is_final(&self) -> bool {
        match self {
            Reason::InUse(used) => used.is_by_the_system(),
            Reason::Unhealthy(_) => true,
            _ => false,
        }
    }
}

/// What is said of a confirmation that is not that of the drive.
fn write_wrongly_confirmed(given: &str, expected: &Expected, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    match &expected.shared {
        Some(shared) if shared.serial == given => {
            write!(f, "{} confirms no single drive; {expected}", shown(given))
        }
        _ if expected.is_of_another => {
            write!(f, "{} was confirmed, which is another drive; {expected}", shown(given))
        }
        _ => write!(f, "{} names no drive; {expected}", shown(given)),
    }
}

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let flag = Flag::Serial(self.confirmation.clone());
        if let Some(shared) = &self.shared {
            write!(f, "{shared}, which does not tell them apart: for {} add {flag}", self.device)
        } else if self.is_serial {
            write!(f, "the serial of {} must be confirmed: add {flag}", self.device)
        } else {
            write!(f, "{} has no serial, so its name must be confirmed: add {flag}", self.device)
        }
    }
}

/// What was asked of a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// To read it.
    Read,
    /// To write to it.
    Write,
}

/// Nothing was done, for these reasons: all that were found, not only the first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// What was refused.
    pub access: Access,
    /// The target, in words: `sda (Samsung SSD 870, serial S5Y1, 500.1 GB)`.
    pub target: String,
    /// Why; at least one.
    pub reasons: Vec<Reason>,
}

impl Refusal {
    /// What refuses to write to a target, for this reason alone.
    pub(crate) fn to_write(target: String, reason: Reason) -> Refusal {
        Refusal { access: Access::Write, target, reasons: vec![reason] }
    }

    /// The flags that together lift the refusal; `None` where no flag does.
    pub fn lifted_by(&self) -> Option<Vec<Flag>> {
        let mut flags = Vec::new();
        for reason in &self.reasons {
            let flag = reason.lifted_by()?;
            if !flags.contains(&flag) {
                flags.push(flag);
            }
        }
        Some(flags)
    }
}

impl fmt::Display for Refusal {
    /// The target, then one line a reason. Where nothing helps but another drive, no flag is suggested.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.access {
            Access::Read => write!(f, "refused to read {}", self.target)?,
            Access::Write => write!(f, "refused to write to {}", self.target)?,
        }
        let is_final = self.reasons.iter().any(Reason::is_final);
        let mut told = self.reasons.iter().filter(|reason| !is_final || reason.lifted_by().is_none());
        told.try_for_each(|reason| write!(f, "\n  {reason}"))
    }
}

impl std::error::Error for Refusal {}

/// Why there is no grant, or no access.
#[derive(Debug, thiserror::Error)]
pub enum SafetyError {
    /// Refused for safety (exit code 4).
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// There is no such drive or file (exit code 3).
    #[error("{0}")]
    NotFound(String),
    /// The system does not let it be done (exit code 3).
    #[error("{message}")]
    Environment {
        /// What could not be done, and what to do about it.
        message: String,
        /// The system's own error.
        #[source]
        source: Option<io::Error>,
    },
    /// What was asked makes no sense (exit code 2).
    #[error("{0}")]
    Usage(String),
}

impl SafetyError {
    /// An error of the system, with what was being done.
    pub(crate) fn from_io(doing: impl Into<String>, source: impl Into<io::Error>) -> SafetyError {
        let source = source.into();
        let hint = hint(source.kind(), rustix::process::geteuid().is_root());
        SafetyError::Environment {
            message: format!("{} ({source}){hint}", doing.into()),
            source: Some(source),
        }
    }

    /// An error of the system where it was to say what is at a path.
    pub(crate) fn not_looked_at(path: &Path, source: impl Into<io::Error>) -> SafetyError {
        SafetyError::from_io(format!("{} cannot be looked at", path.display()), source)
    }

    /// The exit code by which the command line tells it: 4 refused, 3 device or environment, 2 usage.
    pub fn exit_code(&self) -> u8 {
        match self {
            SafetyError::Refused(_) => 4,
            SafetyError::NotFound(_) | SafetyError::Environment { .. } => 3,
            SafetyError::Usage(_) => 2,
        }
    }
}

/// What to do about an error of the system.
fn hint(kind: io::ErrorKind, is_root: bool) -> &'static str {
    match kind {
        io::ErrorKind::PermissionDenied if is_root => {
            ": the system keeps even root from it (such as a container's rules for devices)"
        }
        io::ErrorKind::PermissionDenied => ": run as root, or as a member of the drive's group",
        io::ErrorKind::ReadOnlyFilesystem => ": name one on a file system that can be written to",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use io::ErrorKind::{NotFound, PermissionDenied, ReadOnlyFilesystem};

    use super::*;

    fn refusal(essential: bool) -> String {
        let at = "/mnt".into();
        let (device, file_system) = ("sda1".to_owned(), "ext4".to_owned());
        let mounted = Use::Mounted { device, at, file_system, essential, process: None };
        let used = Use::Behind { device: "loop0".to_owned(), used: Box::new(mounted) };
        let expected = Expected {
            device: "loop0".to_owned(),
            confirmation: "loop0".to_owned(),
            is_serial: false,
            shared: None,
            is_of_another: false,
        };
        told(Reason::InUse(used), expected)
    }

    /// What is said against a drive with this use that is not confirmed either.
    fn told(reason: Reason, expected: Expected) -> String {
        let reasons = vec![reason, Reason::Unconfirmed(expected)];
        Refusal { access: Access::Write, target: "loop0".to_owned(), reasons }.to_string()
    }

    #[test]
    fn no_flag_is_suggested_for_a_drive_that_is_never_allowed() {
        assert!(refusal(false).ends_with("add --serial=loop0"), "{}", refusal(false));
        assert!(!refusal(true).contains("--serial"), "{}", refusal(true));
        assert!(refusal(true).contains("choose another drive"));
        let confirmation = "WD 12".to_owned();
        let expected = Expected {
            device: "sda".to_owned(),
            confirmation,
            is_serial: true,
            shared: None,
            is_of_another: false,
        };
        let failing = Reason::Unhealthy("the drive says that it fails".to_owned());
        assert!(!told(failing, expected.clone()).contains("--serial"));
        let read_only = Reason::ReadOnly("sda".to_owned());
        assert!(told(read_only, expected).ends_with("add --serial='WD 12'"), "a shell takes it in one piece");
    }

    #[test]
    fn who_is_root_already_is_not_told_to_become_root() {
        assert!(hint(PermissionDenied, false).contains("run as root"));
        assert!(hint(PermissionDenied, true).contains("keeps even root from it"));
        for is_root in [false, true] {
            assert!(hint(ReadOnlyFilesystem, is_root).contains("can be written to"));
            assert_eq!(hint(NotFound, is_root), "");
        }
    }
}
