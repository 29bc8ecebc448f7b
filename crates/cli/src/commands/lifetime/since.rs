//! What happened to a drive since an earlier look, which has to have been one at the same drive.

use drivelab_block::SameDrive;
use drivelab_inspect::lifetime::{
    DriveLifetime, Ext4Counters, LifetimeFindings, ext4_without_counters, since,
};
use drivelab_record::{Notice, Severity};
use drivelab_runner::Failure;
use drivelab_safety::{DriveIdentity, System, Unrecognised, recognise};

use super::drive::note;

/// An earlier look, and what of it is compared.
pub struct Since<'a> {
    /// What was found then.
    pub earlier: &'a LifetimeFindings,
    /// When this look is, in seconds since 1970.
    pub now_unix_s: u64,
    /// Whether the user named the drive.
    pub is_named: bool,
}

/// Notes what happened to a drive since an earlier document.
///
/// # Errors
/// The drive was named, and it cannot be told whether the document is of it or of another one.
pub fn compare(
    drive: &mut DriveLifetime,
    identity: &DriveIdentity,
    looks: &Since<'_>,
) -> Result<(), Failure> {
    let before = match find(drive, identity, looks.earlier) {
        Ok(before) => before,
        Err(NotFound::Absent(why)) => {
            drive.notices.push(note(why));
            return Ok(());
        }
        Err(NotFound::Doubtful(why)) if looks.is_named => {
            return Err(Failure::Refused(format!(
                "--since: {why}: keep a document of the drive as it is connected now (-o DIR), and compare with that one later"
            )));
        }
        Err(NotFound::Doubtful(why)) => {
            let text = format!("What was written since the earlier document is not known: {why}.");
            drive.notices.push(Notice { severity: Severity::Warning, text });
            return Ok(());
        }
    };
    match since(before, drive, looks.now_unix_s.saturating_sub(looks.earlier.taken_unix_s)) {
        Ok(found) => {
            let unknown: Vec<String> = ext4_without_counters(&found, drive).map(not_known).collect();
            drive.notices.extend(unknown.into_iter().map(note));
            drive.since = Some(found);
        }
        Err(why) => drive.notices.push(Notice {
            severity: Severity::Warning,
            text: format!("What was written since then is not known: {why}."),
        }),
    }
    Ok(())
}

/// Why a drive is not compared.
enum NotFound {
    /// The earlier document does not have it; a sentence.
    Absent(String),
    /// It may have it, or another one; a sentence without its full stop.
    Doubtful(String),
}

/// What the earlier document has of this drive.
fn find<'a>(
    drive: &DriveLifetime,
    identity: &DriveIdentity,
    earlier: &'a LifetimeFindings,
) -> Result<&'a DriveLifetime, NotFound> {
    let (which, device) = (drive.which(), &drive.device);
    let fitting: Vec<&DriveLifetime> =
        earlier.drives.iter().filter(|before| before.which().compare(&which).fits()).collect();
    let proved = |before: &&&DriveLifetime| before.which().compare(&which) == SameDrive::Same;
    let nameless = which.serial.is_none() && which.own_wwn().is_none();
    let before = match &fitting[..] {
        [] => return Err(NotFound::Absent(absent(drive, earlier))),
        [only] => *only,
        // What has no names is known by where it is.
        several if nameless => match several.iter().find(|before| before.device == *device) {
            Some(before) => *before,
            None => return Err(NotFound::Absent(absent(drive, earlier))),
        },
        several => match several.iter().find(proved) {
            Some(before) => *before,
            None => return Err(NotFound::Doubtful(fits_several(device, several))),
        },
    };
    match recognise(&System::live(), (&before.which(), &before.place()), identity, &[]) {
        Ok(_) => Ok(before),
        Err(Unrecognised::Another(_)) => Err(NotFound::Absent(absent(drive, earlier))),
        Err(doubtful @ Unrecognised::Doubtful { .. }) => {
            Err(NotFound::Doubtful(format!("{device} {doubtful}")))
        }
    }
}

fn fits_several(device: &str, several: &[&DriveLifetime]) -> String {
    let names: Vec<&str> = several.iter().map(|before| before.device.as_str()).collect();
    format!(
        "{device} may be {} of the earlier document, which cannot be told from each other",
        names.join(" or ")
    )
}

/// What is to be said of a drive that the earlier document does not have.
fn absent(drive: &DriveLifetime, earlier: &LifetimeFindings) -> String {
    let of_serial =
        earlier.drives.iter().find(|before| before.serial.is_some() && before.serial == drive.serial);
    let Some(before) = of_serial else { return "The earlier document does not have this drive.".to_owned() };
    let SameDrive::Another(facts) = before.which().compare(&drive.which()) else {
        return "The earlier document does not have this drive.".to_owned();
    };
    let facts: Vec<String> = facts.iter().map(ToString::to_string).collect();
    format!(
        "The earlier document does not have this drive: {} has the same serial number there, and another {}.",
        before.device,
        facts.join(" and ")
    )
}

fn not_known(ext4: &Ext4Counters) -> String {
    let device = &ext4.device;
    if ext4.uuid.is_none() {
        return format!(
            "What was written to the ext4 on {device} since then is not known: its UUID cannot be read, by which it is \
             known from the earlier document."
        );
    }
    format!(
        "What was written to the ext4 on {device} since then is not known: it was not mounted at the earlier document, or \
         is another one."
    )
}
