//! What a drive holds: signatures of file systems, partition tables, arrays, and anything but zeros.

use std::fmt;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use serde::{Deserialize, Serialize};

use crate::opening::opened_to_look;
use crate::sampling::{UnreadablePlace, sample};
use crate::tool::{NoToolAnswer, answer};
use crate::usage_scan::family::partitions;
use crate::wording::shown;
use crate::{DeviceNumber, DriveIdentity, System};

/// The mark of a file system, a partition table, an array member and the like.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Signature {
    /// The kernel name of the drive or partition that holds it.
    pub device: String,
    /// libblkid's name for it: `ext4`, `gpt`, `LVM2_member`.
    pub kind: String,
    /// The label, where it has one.
    pub label: Option<String>,
}

impl fmt::Display for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} holds {}", self.device, noun(&self.kind))?;
        match &self.label {
            Some(label) => write!(f, " labelled {}", shown(label)),
            None => Ok(()),
        }
    }
}

/// What a drive holds, as far as a look at it tells.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Contents {
    /// Every signature on it and on its partitions.
    pub signatures: Vec<Signature>,
    /// The first byte that is not zero, of those that were looked at.
    pub nonzero_at: Option<u64>,
    /// Whether signatures were not looked for at all, because the program that knows them is not installed.
    pub not_probed: bool,
    /// What could not be looked at, each a sentence without its full stop.
    pub not_known: Vec<String>,
    /// That the drive did not answer, as a sentence without its full stop.
    pub does_not_answer: Option<String>,
}

impl Contents {
    /// Of a drive that could not be looked at; why is a sentence without its full stop.
    pub(crate) fn not_seen(why: String) -> Contents {
        Contents { not_known: vec![why], ..Contents::default() }
    }

    /// Whether everything was looked at and nothing was found.
    pub fn is_empty(&self) -> bool {
        !self.not_probed
            && self.signatures.is_empty()
            && self.nonzero_at.is_none()
            && self.not_known.is_empty()
            && self.does_not_answer.is_none()
    }
}

/// Looks for signatures on the drive, through an open descriptor of it, and on its partitions.
pub(crate) fn signatures(system: &System, drive: &DriveIdentity, opened: &OwnedFd) -> Contents {
    let mut contents = Contents::default();
    probe(&drive.kernel_name, opened.as_fd(), &mut contents);
    for (number, name) in partitions(system, drive.number) {
        match open_node(system, number, &name) {
            Ok(partition) => probe(&name, partition.as_fd(), &mut contents),
            Err(why) => {
                contents.not_known.push(format!("{name} could not be opened to see what it holds ({why})"));
            }
        }
    }
    contents
}

/// Looks for signatures and for data; `seed` chooses the places that are sampled. `progress` is called now and then while the
/// drive answers.
pub(crate) fn contents(
    system: &System,
    drive: &DriveIdentity,
    opened: &OwnedFd,
    seed: u64,
    progress: &mut dyn FnMut(),
) -> Contents {
    let mut contents = signatures(system, drive, opened);
    match sample(opened.as_fd(), (drive.size, drive.logical_block), seed, progress) {
        Ok(nonzero_at) => contents.nonzero_at = nonzero_at,
        Err(UnreadablePlace { at, why }) => contents.not_known.push(format!(
            "{} could not be read at byte {at} to see whether it holds anything ({why})",
            drive.kernel_name
        )),
    }
    contents
}

/// Opens the node of a device for reading, and makes sure that it is that device.
pub(crate) fn open_node(system: &System, number: DeviceNumber, name: &str) -> Result<OwnedFd, String> {
    let node = opened_to_look(&system.dev(name)).map_err(|error| error.to_string())?;
    let found = rustix::fs::fstat(&node).map_err(|error| error.to_string())?;
    if DeviceNumber::from_raw(found.st_rdev) == number {
        Ok(node)
    } else {
        Err("its node is another device".into())
    }
}

#[derive(Deserialize)]
struct WipefsAnswer {
    signatures: Vec<WipefsSignature>,
}

#[derive(Deserialize)]
struct WipefsSignature {
    #[serde(rename = "type")]
    kind: String,
    label: Option<String>,
}

/// Adds the signatures of one device. `wipefs` reports every signature where `blkid` gives up on more than
/// one; it is given the descriptor, so that what is looked at is what was opened.
fn probe(name: &str, device: BorrowedFd<'_>, contents: &mut Contents) {
    let answered = device
        .try_clone_to_owned()
        .map_err(|error| NoToolAnswer::Failed(error.to_string()))
        .and_then(|input| answer("wipefs", &["--no-act", "--json", "/proc/self/fd/0"], Some(input)));
    match answered {
        Ok(output) => add_answer(name, &output, contents),
        Err(NoToolAnswer::Absent) => contents.not_probed = true,
        Err(NoToolAnswer::Failed(why)) => {
            contents.not_known.push(format!("the signatures on {name} are not known ({why})"));
        }
    }
}

fn add_answer(name: &str, output: &[u8], contents: &mut Contents) {
    // Without a signature, some versions answer with nothing at all.
    if output.trim_ascii().is_empty() {
        return;
    }
    if let Ok(answer) = serde_json::from_slice::<WipefsAnswer>(output) {
        add_signatures(name, answer, contents);
    } else {
        let why = format!("the signatures on {name} are not known (wipefs gave no JSON)");
        contents.not_known.push(why);
    }
}

fn add_signatures(name: &str, answer: WipefsAnswer, contents: &mut Contents) {
    for found in answer.signatures {
        let signature = Signature {
            device: name.to_owned(),
            kind: shown(found.kind),
            label: found.label.filter(|label| !label.is_empty()),
        };
        // A partition table has a copy at the end, a ZFS label four: one line tells enough.
        if !contents.signatures.contains(&signature) {
            contents.signatures.push(signature);
        }
    }
}

/// What a kind of signature is called in a sentence.
fn noun(kind: &str) -> String {
    match kind {
        "gpt" => "a GPT partition table".to_owned(),
        "dos" => "an MBR partition table".to_owned(),
        "PMBR" => "a protective MBR".to_owned(),
        "LVM2_member" | "LVM1_member" => "an LVM physical volume".to_owned(),
        "linux_raid_member" => "a member of a Linux RAID array".to_owned(),
        "crypto_LUKS" => "an encrypted volume (LUKS)".to_owned(),
        "swap" | "swsuspend" => "a swap area".to_owned(),
        "zfs_member" => "a member of a ZFS pool".to_owned(),
        "bcache" => "a bcache device".to_owned(),
        "BitLocker" => "an encrypted volume (BitLocker)".to_owned(),
        _ if kind.ends_with("_raid_member") => format!("a member of a RAID array ({kind})"),
        _ => {
            let article = if kind.starts_with(['a', 'e', 'i', 'o', 'u', 'x']) { "an" } else { "a" };
            format!("{article} {kind} file system")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_contents_has_a_name_that_a_person_knows() {
        for (kind, said) in [
            ("gpt", "a GPT partition table"),
            ("dos", "an MBR partition table"),
            ("PMBR", "a protective MBR"),
            ("LVM2_member", "an LVM physical volume"),
            ("linux_raid_member", "a member of a Linux RAID array"),
            ("isw_raid_member", "a member of a RAID array (isw_raid_member)"),
            ("crypto_LUKS", "an encrypted volume (LUKS)"),
            ("swap", "a swap area"),
            ("zfs_member", "a member of a ZFS pool"),
            ("bcache", "a bcache device"),
            ("BitLocker", "an encrypted volume (BitLocker)"),
            ("ext4", "an ext4 file system"),
            ("vfat", "a vfat file system"),
        ] {
            assert_eq!(noun(kind), said);
        }
    }

    #[test]
    fn a_signature_with_copies_is_told_once_and_by_its_label_where_it_has_one() {
        let found =
            |label: Option<&str>| WipefsSignature { kind: "ext4".into(), label: label.map(String::from) };
        let signatures = vec![found(Some("photos")), found(Some("photos")), found(Some("")), found(None)];
        let mut contents = Contents::default();
        add_signatures("sda", WipefsAnswer { signatures }, &mut contents);
        let said: Vec<String> = contents.signatures.iter().map(ToString::to_string).collect();
        assert_eq!(said, ["sda holds an ext4 file system labelled photos", "sda holds an ext4 file system"]);
    }

    #[test]
    fn an_answer_of_nothing_is_that_of_an_empty_drive_and_one_that_is_no_json_tells_nothing() {
        let contents = |output: &str| {
            let mut contents = Contents::default();
            add_answer("sda", output.as_bytes(), &mut contents);
            contents
        };
        for output in ["", "\n", r#"{"signatures": []}"#] {
            assert_eq!(contents(output), Contents::default(), "{output}");
        }
        assert_eq!(
            contents("wipefs: error\n").not_known,
            ["the signatures on sda are not known (wipefs gave no JSON)"]
        );
        let found = contents(r#"{"signatures": [{"device": "fd/0", "type": "gpt", "label": null}]}"#);
        assert_eq!(found.signatures.iter().map(|one| one.kind.as_str()).collect::<Vec<_>>(), ["gpt"]);
    }

    #[test]
    fn a_drive_is_empty_only_where_everything_was_looked_at_and_nothing_found() {
        let signature = Signature { device: "sda".into(), kind: "ext4".into(), label: None };
        assert!(Contents::default().is_empty());
        for contents in [
            Contents { signatures: vec![signature], ..Contents::default() },
            Contents { nonzero_at: Some(0), ..Contents::default() },
            Contents { not_probed: true, ..Contents::default() },
            Contents { not_known: vec!["sda1 could not be opened".into()], ..Contents::default() },
        ] {
            assert!(!contents.is_empty(), "{contents:?}");
        }
    }
}
