//! Which drive a run is on, so that it goes on with no other, and how its target is named.

use std::path::Path;

use drivelab_block::DrivePlace;
use drivelab_documents::Drive;
use drivelab_runner::{Failure, refused};
use drivelab_safety::{DriveIdentity, Recognised, System, Unrecognised, list_drives, recognise};
use drivelab_view::format::capitalised;

/// What a result has kept of its drive.
#[derive(Clone, Copy, Debug)]
pub struct KeptDrive<'a> {
    pub drive: &'a Drive,
    /// The target as it was typed.
    pub target: &'a str,
}

impl KeptDrive<'_> {
    /// Where it was. An earlier version kept the target alone, which may be the name of the kernel.
    pub fn place(&self) -> DrivePlace {
        let mut place = self.drive.place();
        if place.kernel_name.is_none() {
            let typed = Path::new(self.target);
            let name = typed.strip_prefix("/dev").ok().filter(|name| name.components().count() == 1);
            place.kernel_name = name.map(|name| name.to_string_lossy().into_owned());
        }
        place
    }

    /// Refuses to go on with a drive, which `target` names now, if it is another one, or may be and is not named by one of
    /// `given`. If it may be and is named, what is to be said of that. `begun` says what was begun on the kept drive, such as
    /// "the run was begun on", and `mend` what helps if it is another drive.
    pub fn check(
        &self,
        (target, drive): (&str, &DriveIdentity),
        given: &[String],
        (begun, mend): (&str, &str),
    ) -> Result<Option<String>, Failure> {
        let which = self.drive.which();
        match recognise(&System::live(), (&which, &self.place()), drive, given) {
            Ok(Recognised::Known) => Ok(None),
            Ok(Recognised::Named(doubt)) => {
                let text = format!("{begun} {}, and {target} {doubt}.", self.in_words());
                Ok(Some(capitalised(&text)))
            }
            Err(unrecognised) => {
                let mend = match &unrecognised {
                    Unrecognised::Another(_) => mend.to_owned(),
                    Unrecognised::Doubtful { flag, .. } => format!("if it is that drive, add {flag}"),
                };
                Err(refused!("{begun} {}, and {target} {unrecognised}: {mend}", self.in_words()))
            }
        }
    }

    /// Such as `/dev/sda (QEMU HARDDISK, serial SAME, naa.5)`.
    pub fn in_words(&self) -> String {
        let Drive { model, serial, wwn, .. } = self.drive;
        let serial = serial.as_ref().map(|serial| format!("serial {serial}"));
        let parts: Vec<String> = [Some(model.clone()), serial, wwn.clone()]
            .into_iter()
            .flatten()
            .filter(|part| !part.is_empty())
            .collect();
        if parts.is_empty() {
            self.target.to_owned()
        } else {
            format!("{} ({})", self.target, parts.join(", "))
        }
    }
}

/// The drive in words, as an earlier version kept it in place of a [`Drive`], and as pages show it: its size, and what tells it
/// from others. A kernel's name may name another drive tomorrow, so one without a serial number is known by a name of its own, or
/// else by the file behind it too, or, where it is gone with the machine's memory, by its place among all drives that have
/// appeared since the machine started.
pub fn identity_of(drive: &DriveIdentity) -> String {
    let model = drive.model.as_deref().unwrap_or("a drive without a name");
    let size = drive.geometry().capacity.get();
    let kernel_name = &drive.kernel_name;
    // Namespaces of one drive share its serial number.
    let own: Vec<&str> = [&drive.serial, &drive.wwn].into_iter().flatten().map(String::as_str).collect();
    let own = if own.is_empty() { drive.by_id.first().cloned() } else { Some(own.join(" ")) };
    let which = match (own, drive.which().behind) {
        (Some(own), _) => {
            let whole = drive.parent.as_ref().and_then(|whole| kernel_name.strip_prefix(&whole.kernel_name));
            own + &whole.map_or_else(String::new, |number| format!(" part {number}"))
        }
        (None, Some(behind)) => format!("{kernel_name}, {behind}"),
        (None, None) => kernel_name.clone(),
    };
    format!("{model}, {which}, of {size} bytes")
}

/// Every drive and partition of this machine.
pub fn all_drives(system: &System) -> impl Iterator<Item = DriveIdentity> + use<> {
    list_drives(system).into_iter().map(|listing| listing.identity)
}

/// How a target begins that is an image of a drive.
pub const IMAGE: &str = "image:";

/// The target as it is named from every folder, for a run that goes on from another.
pub fn from_anywhere(target: &str) -> String {
    let (kind, path) = target.strip_prefix(IMAGE).map_or(("", target), |path| (IMAGE, path));
    let absolute = std::path::absolute(path).ok();
    absolute.and_then(|path| Some(format!("{kind}{}", path.to_str()?))).unwrap_or_else(|| target.to_owned())
}
