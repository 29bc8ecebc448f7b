//! Locks that lie in the drive itself: ATA security, and reservations by other machines.

use serde_json::Value;

use crate::tool::{NoToolAnswer, answer};
use crate::{DriveIdentity, DriveKind, Note, Reason, System};

/// What the drive's own locks say.
#[derive(Debug, Default)]
pub(crate) struct Locks {
    pub reasons: Vec<Reason>,
    pub notes: Vec<Note>,
}

/// Asks the drive for its locks, as far as there are programs that can ask.
pub(crate) fn locks(system: &System, drive: &DriveIdentity) -> Locks {
    let mut locks = Locks::default();
    let name = drive.whole_name();
    let node = system.dev(name).to_string_lossy().into_owned();
    match drive.kind {
        DriveKind::Scsi => {
            ata_security(name, &node, &mut locks);
            reservation(name, &node, &mut locks);
        }
        DriveKind::Nvme => namespace_reservation(name, &node, &mut locks),
        _ => {}
    }
    locks
}

impl Locks {
    fn not_checked(&mut self, what: &str, why: impl Into<String>) {
        self.notes.push(Note::NotChecked { what: what.to_owned(), why: why.into() });
    }

    /// Notes what word 128 says.
    fn in_state(&mut self, name: &str, state: u64) {
        if state & 0b100 != 0 {
            self.reasons.push(Reason::SecurityLocked(name.to_owned()));
        } else if state & 0b10 != 0 {
            self.notes.push(Note::PasswordSet);
        }
        if state & 0b1000 != 0 {
            self.notes.push(Note::SecurityFrozen);
        }
    }

    /// Notes whether the drive is reserved, as `program` has answered; `None` where that cannot be read.
    fn reserved(&mut self, name: &str, program: &str, answered: Result<Option<bool>, NoToolAnswer>) {
        let why = match answered {
            Ok(Some(true)) => return self.reasons.push(Reason::Reserved(name.to_owned())),
            Ok(Some(false)) => return,
            Ok(None) => format!("{program} answered otherwise than expected"),
            Err(NoToolAnswer::Absent) => format!("{program} is not installed"),
            Err(NoToolAnswer::Failed(why)) => why,
        };
        self.not_checked("reservations", why);
    }
}

fn ata_security(name: &str, node: &str, locks: &mut Locks) {
    let what = "the state of ATA security";
    let output = match answer("smartctl", &["--json=c", "--get=security", node], None) {
        Ok(output) => output,
        Err(NoToolAnswer::Absent) => return locks.not_checked(what, "smartctl is not installed"),
        // A SCSI or USB drive has no such state, and smartctl says so by failing.
        Err(NoToolAnswer::Failed(why)) => return locks.not_checked(what, why),
    };
    match security_state(&output) {
        Some(state) => locks.in_state(name, state),
        None => locks.not_checked(what, "the drive does not tell it"),
    }
}

/// Word 128 of the drive's identification: bit 1 a password is set, bit 2 locked, bit 3 frozen.
fn security_state(output: &[u8]) -> Option<u64> {
    serde_json::from_slice::<Value>(output).ok()?["ata_security"]["state"].as_u64()
}

fn reservation(name: &str, node: &str, locks: &mut Locks) {
    let answered = answer("sg_persist", &["--in", "--read-reservation", node], None);
    locks.reserved(name, "sg_persist", answered.map(|output| Some(is_reserved(&output))));
}

fn namespace_reservation(name: &str, node: &str, locks: &mut Locks) {
    let asked = |command, more: &[&str]| {
        answer("nvme", &[&[command, node, "--output-format=json"], more].concat(), None)
    };
    let held = asked("id-ctrl", &[]).map(|output| has_reservations(&output)).and_then(|has| match has {
        // A controller tells of hosts by 128 bits or by 64, and refuses the other.
        Some(true) => asked("resv-report", &["--eds"])
            .or_else(|_| asked("resv-report", &[]))
            .map(|output| is_namespace_reserved(&output)),
        known => Ok(known),
    });
    locks.reserved(name, "nvme (package nvme-cli)", held);
}

/// Whether a controller has reservations, by the optional commands of Identify Controller, bit 5; none where it does not tell.
fn has_reservations(output: &[u8]) -> Option<bool> {
    Some(serde_json::from_slice::<Value>(output).ok()?["oncs"].as_u64()? & 1 << 5 != 0)
}

/// Whether a namespace is reserved, by the type in a Reservation Report, 0 for none; none where it does not tell.
fn is_namespace_reserved(output: &[u8]) -> Option<bool> {
    Some(serde_json::from_slice::<Value>(output).ok()?["rtype"].as_u64()? != 0)
}

fn is_reserved(output: &[u8]) -> bool {
    String::from_utf8_lossy(output).contains("Reservation follows")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_security_word_is_found_where_there_is_one() {
        assert_eq!(security_state(br#"{"ata_security":{"state":41,"string":"Disabled, frozen"}}"#), Some(41));
        assert_eq!(security_state(b"{}"), None);
        assert_eq!(security_state(b"nonsense"), None);
    }

    #[test]
    fn a_reservation_of_a_namespace_is_told_from_none() {
        assert_eq!(has_reservations(br#"{"vid":1,"oncs":95}"#), Some(false));
        assert_eq!(has_reservations(br#"{"vid":1,"oncs":32}"#), Some(true));
        assert_eq!(has_reservations(b"{}"), None);
        assert_eq!(is_namespace_reserved(br#"{"gen":1,"rtype":0,"regctl":1,"regctls":[]}"#), Some(false));
        assert_eq!(is_namespace_reserved(br#"{"gen":1,"rtype":3}"#), Some(true));
        assert_eq!(is_namespace_reserved(b"NVMe status: Invalid Field"), None);
    }

    #[test]
    fn each_bit_of_the_security_word_has_its_own_consequence() {
        let locked = vec![Reason::SecurityLocked("sda".to_owned())];
        for (state, reasons, notes) in [
            (0b0010_0001, vec![], vec![]),
            (0b0010_1001, vec![], vec![Note::SecurityFrozen]),
            (0b0010_0011, vec![], vec![Note::PasswordSet]),
            (0b0010_1011, vec![], vec![Note::PasswordSet, Note::SecurityFrozen]),
            (0b0010_0111, locked, vec![]),
        ] {
            let mut locks = Locks::default();
            locks.in_state("sda", state);
            assert_eq!((locks.reasons, locks.notes), (reasons, notes), "{state:b}");
        }
    }

    #[test]
    fn a_reservation_is_told_from_none() {
        let reserved = vec![Reason::Reserved("sda".to_owned())];
        for (said, reasons) in [
            ("  PR generation=0x1, Reservation follows:\n    Key=0x123abc\n", reserved),
            ("  PR generation=0x0, there is NO reservation held\n", vec![]),
        ] {
            let mut locks = Locks::default();
            locks.reserved("sda", "sg_persist", Ok(Some(is_reserved(said.as_bytes()))));
            assert_eq!((locks.reasons, locks.notes.len()), (reasons, 0), "{said}");
        }
        let mut locks = Locks::default();
        locks.reserved("nvme0n1", "nvme", Ok(None));
        assert_eq!((locks.reasons.len(), locks.notes.len()), (0, 1), "an answer that cannot be read");
    }

    #[test]
    fn a_lock_that_nothing_could_be_asked_for_stands_beside_the_results() {
        for (name, expected) in [
            ("sda", vec!["the state of ATA security", "reservations"]),
            ("nvme0n1", vec!["reservations"]),
            ("vda", vec![]),
        ] {
            let folder = tempfile::tempdir().expect("a folder");
            let system = System::rooted_at(folder.path());
            std::fs::create_dir_all(system.sys("devices").join(name)).expect("a drive");
            std::fs::create_dir_all(system.sys("dev/block")).expect("a folder");
            std::os::unix::fs::symlink(system.sys("devices").join(name), system.sys("dev/block/8:0"))
                .expect("a link");
            let drive = DriveIdentity::read(&system, crate::DeviceNumber { major: 8, minor: 0 });
            // Its node is not there, so that no program has an answer.
            let notes = locks(&system, &drive.expect("a drive")).notes;
            let what = notes.iter().map(|note| match note {
                Note::NotChecked { what, .. } => what.as_str(),
                _ => "",
            });
            assert!(what.eq(expected), "{name}: {notes:?}");
        }
    }
}
