//! Drives that report one serial number, and what confirms one of them.

use std::fmt;

use drivelab_block::name_digits;

use crate::{DriveIdentity, DriveKind, System};

/// What confirms that a drive is the one that is meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Confirming {
    /// The serial number; the kernel's name of what has none.
    base: String,
    /// What tells the drive from the others of its serial number, the best first; none of what is connected nowhere.
    marks: Vec<TellingName>,
    /// Which devices have the same serial number, where any others have.
    pub shared: Option<SharedSerial>,
}

/// What a serial number is shared by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SharedBy {
    /// Namespaces of one NVMe drive, which all have its serial number.
    Namespaces,
    /// Several drives, or several paths to one, which cannot be told from these.
    Drives,
}

/// A serial number that several devices of the machine report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedSerial {
    /// The number.
    pub serial: String,
    /// Which devices these are.
    pub by: SharedBy,
    /// Each of them: the drive itself first, with its names.
    pub devices: Vec<String>,
}

impl fmt::Display for SharedSerial {
    /// Such as `sda (naa.5, pci-0000:00:17.0-ata-1) and sdb (naa.6, pci-0000:00:17.0-ata-2) have the same serial number, S5Y1`.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (last, before) = self.devices.split_last().ok_or(fmt::Error)?;
        write!(out, "{} and {last} ", before.join(", "))?;
        match self.by {
            SharedBy::Drives => write!(out, "have the same serial number, {}", self.serial),
            SharedBy::Namespaces => {
                write!(out, "are namespaces of one drive, with the serial number {}", self.serial)
            }
        }
    }
}

/// A name that may tell a drive from others.
#[derive(Clone, Debug, PartialEq, Eq)]
struct TellingName {
    text: String,
    /// Of a world-wide name its digits, however its kind is written before them.
    digits: Option<String>,
}

impl TellingName {
    fn of_text(text: String) -> TellingName {
        TellingName { text, digits: None }
    }

    fn is(&self, text: &str) -> bool {
        self.text == text || self.digits.as_ref().is_some_and(|digits| *digits == name_digits(text))
    }
}

impl Confirming {
    /// What confirms this drive, or the drive that it is a partition of, among all drives of the machine.
    pub fn list(system: &System, drive: &DriveIdentity) -> Confirming {
        let base = drive.confirmation().to_owned();
        if drive.serial.is_none() {
            // Its name is that of no other one now, and its path says which one it was.
            let marks = drive.by_path.iter().cloned().map(TellingName::of_text).collect();
            return Confirming { base, marks, shared: None };
        }
        let others = others_of_serial(system, drive);
        let of_others: Vec<TellingName> = others.iter().flat_map(marks_of).collect();
        let mut marks = marks_of(drive);
        marks.retain(|mark| !of_others.iter().any(|other| mark.is(&other.text)));
        if marks.is_empty() {
            marks.push(TellingName::of_text(drive.whole_name().to_owned()));
        }
        let shared = (!others.is_empty()).then(|| SharedSerial {
            serial: base.clone(),
            by: shared_by(drive, &others),
            devices: std::iter::once(drive).chain(&others).map(in_words).collect(),
        });
        Confirming { base, marks, shared }
    }

    /// The shortest that confirms the drive now: its serial number, and where others have the same, what tells it from these.
    pub fn shortest(&self) -> String {
        if self.shared.is_some() { self.whole() } else { self.base.clone() }
    }

    /// What confirms this drive alone, also where another one of its serial number appears later.
    pub fn whole(&self) -> String {
        self.marks.first().map_or_else(|| self.base.clone(), |mark| format!("{}@{}", self.base, mark.text))
    }

    /// Whether this, as it was typed, confirms the drive.
    pub fn is_met_by(&self, given: &str) -> bool {
        (given == self.base && self.shared.is_none()) || self.is_named_by(given)
    }

    /// Whether this, as it was typed, names the drive by more than its serial number, or the name of what has none. What is
    /// connected nowhere, such as a loop device, is named by that.
    pub fn is_named_by(&self, given: &str) -> bool {
        if self.marks.is_empty() {
            return given == self.base;
        }
        let mark = given.strip_prefix(&self.base).and_then(|rest| rest.strip_prefix('@'));
        mark.is_some_and(|typed| self.marks.iter().any(|mark| mark.is(typed)))
    }
}

/// What may tell a drive from another one of its serial number, the best first.
fn marks_of(drive: &DriveIdentity) -> Vec<TellingName> {
    let which = drive.which();
    let wwn =
        which.own_wwn().map(|name| TellingName { text: name.to_owned(), digits: Some(name_digits(name)) });
    let namespace = which.namespace.map(|number| format!("namespace-{number}"));
    let others = namespace.into_iter().chain(drive.by_path.iter().cloned());
    wwn.into_iter().chain(others.map(TellingName::of_text)).collect()
}

/// A drive with the names that tell it from others.
fn in_words(drive: &DriveIdentity) -> String {
    let marks: Vec<String> = marks_of(drive).into_iter().map(|mark| mark.text).collect();
    match &marks[..] {
        [] => drive.whole_name().to_owned(),
        _ => format!("{} ({})", drive.whole_name(), marks.join(", ")),
    }
}

/// Namespaces are of one subsystem, and differ in their numbers.
fn shared_by(drive: &DriveIdentity, others: &[DriveIdentity]) -> SharedBy {
    let is_namespace = |other: &DriveIdentity| {
        drive.subsystem.is_some()
            && drive.subsystem == other.subsystem
            && drive.namespace.is_some()
            && drive.namespace != other.namespace
    };
    if others.iter().all(is_namespace) { SharedBy::Namespaces } else { SharedBy::Drives }
}

/// Every other whole drive that reports the serial number of this one, or of the one that this is a partition of. What is built
/// on drives has none of its own, and the paths that the kernel joins itself are not shown as drives.
fn others_of_serial(system: &System, drive: &DriveIdentity) -> Vec<DriveIdentity> {
    let is_made = |kind| {
        matches!(kind, DriveKind::Loop | DriveKind::Zram | DriveKind::RaidArray | DriveKind::DeviceMapper)
    };
    if is_made(drive.kind) {
        return Vec::new();
    }
    let whole = drive.whole_number();
    let shown = DriveIdentity::drives(system).filter(|other| !system.is_hidden(&other.kernel_name));
    shown
        .filter(|other| other.number != whole && !is_made(other.kind) && trimmed(other) == trimmed(drive))
        .collect()
}

fn trimmed(drive: &DriveIdentity) -> Option<&str> {
    drive.serial.as_deref().map(str::trim)
}
