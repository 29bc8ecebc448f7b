//! Whether a drive is the one that a result was made on.

use drivelab_block::{DrivePlace, IdentityFact, SameDrive, WhichDrive};

use crate::{Confirming, DriveIdentity, Flag, System};

/// A drive that may be gone on with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Recognised {
    /// It is the one, or nothing speaks against it: it is where it was, and no other one fits.
    Known,
    /// The user named it, although it may be another one.
    Named(Doubt),
}

/// Why it is not proved that a drive is the one that a result was made on, as it goes on after the name of the drive.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Doubt {
    /// Other drives fit as well: the kernel names of all of them.
    #[error("may be another drive: {} cannot be told from each other", .0.join(" and "))]
    FitsSeveral(Vec<String>),
    /// It has no world-wide name, or the result has none, and it is not where it was.
    #[error(
        "may be another drive: no world-wide name proves that it is the same, and it was {was} and is {is} now"
    )]
    Moved {
        /// Where it was.
        was: String,
        /// Where it is.
        is: String,
    },
    /// It has no world-wide name, or the result has none, and the result does not say where it was.
    #[error(
        "may be another drive: no world-wide name proves that it is the same, and where it was connected is not known"
    )]
    PlaceNotKept,
}

/// Why a drive is not gone on with, as it goes on after the name of the drive.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unrecognised {
    /// It is another one: these facts differ.
    #[error(
        "is another drive (its {} {})",
        .0.iter().map(ToString::to_string).collect::<Vec<_>>().join(" and "),
        if .0.len() == 1 { "differs" } else { "differ" }
    )]
    Another(Vec<IdentityFact>),
    /// It may be another one.
    #[error("{doubt}")]
    Doubtful {
        /// Why.
        doubt: Doubt,
        /// What names it.
        flag: Flag,
    },
}

/// Every device of the machine that is not surely another one than this.
pub fn devices_that_fit(system: &System, kept: &WhichDrive) -> Vec<DriveIdentity> {
    let fits = |drive: &DriveIdentity| fits(kept, drive) && kept.compare(&drive.which()).fits();
    DriveIdentity::devices(system).filter(fits).collect()
}

/// What has neither serial number nor name of its own is told by its kind at least, and whether it is a partition.
fn fits(kept: &WhichDrive, drive: &DriveIdentity) -> bool {
    let which = drive.which();
    let has_names = kept.serial.is_some() || kept.own_wwn().is_some();
    let has_own = which.serial.is_some() || which.own_wwn().is_some();
    has_names == has_own && kept.behind.is_some() == which.behind.is_some()
}

/// Says whether a drive is the one that a result was made on, which kept `kept` of it, and that it was at `place`. A drive that
/// fits, but may be another one, is named by one of `given`, as confirmations are typed.
///
/// # Errors
/// It is another one, or may be and is not named.
pub fn recognise(
    system: &System,
    (kept, place): (&WhichDrive, &DrivePlace),
    drive: &DriveIdentity,
    given: &[String],
) -> Result<Recognised, Unrecognised> {
    let compared = kept.compare(&drive.which());
    if let SameDrive::Another(facts) = compared {
        return Err(Unrecognised::Another(facts));
    }
    let devices: Vec<String> =
        devices_that_fit(system, kept).into_iter().map(|other| other.kernel_name).collect();
    let others = devices.iter().any(|name| *name != drive.kernel_name);
    let doubt = match compared {
        _ if others => Doubt::FitsSeveral(devices),
        SameDrive::Same => return Ok(Recognised::Known),
        _ => match moved(place, drive) {
            Some(doubt) => doubt,
            None => return Ok(Recognised::Known),
        },
    };
    let confirming = Confirming::list(system, drive);
    if given.iter().any(|given| confirming.is_named_by(given)) {
        return Ok(Recognised::Named(doubt));
    }
    Err(Unrecognised::Doubtful { doubt, flag: Flag::Serial(confirming.whole()) })
}

/// Whether a drive may be somewhere else than it was.
fn moved(place: &DrivePlace, drive: &DriveIdentity) -> Option<Doubt> {
    if place.kernel_name.is_none() && place.path.is_none() {
        return Some(Doubt::PlaceNotKept);
    }
    let name = place.kernel_name.as_ref().filter(|name| **name != drive.kernel_name);
    let path = place.path.as_ref().filter(|path| !drive.by_path.contains(path));
    if name.is_none() && path.is_none() {
        return None;
    }
    Some(Doubt::Moved { was: in_words(place), is: in_words(&drive.place()) })
}

fn in_words(place: &DrivePlace) -> String {
    let parts: Vec<&str> =
        [&place.kernel_name, &place.path].into_iter().flatten().map(String::as_str).collect();
    parts.join(" at ")
}
