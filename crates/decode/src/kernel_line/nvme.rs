//! Lines of the NVMe driver (`drivers/nvme/host`).

use super::text::{decimal, hexadecimal, number_behind};
use crate::nvme_status;

/// Bits of the controller's status (NVM Express Base Specification 2.0, 3.1.3.6).
const CSTS: [(u64, &str); 4] = [
    (1, "RDY: the controller is ready for commands"),
    (1 << 1, "CFS: the controller met an error that it cannot recover from"),
    (1 << 4, "NSSRO: the subsystem was reset"),
    (1 << 5, "PP: processing of commands is paused"),
];

pub(super) fn meanings(line: &str) -> Vec<String> {
    if !line.contains("nvme") {
        return Vec::new();
    }
    let mut found: Vec<String> = request(line).into_iter().collect();
    if let Some(status) = status(line) {
        let status = nvme_status(status);
        found.push(format!("NVMe: {} ({})", status.name, status.kind));
        if line.contains(" DNR") {
            found.push("NVMe DNR: do not retry, the same command would fail again".to_owned());
        }
    }
    found.extend(controller(line));
    found.extend(timeout(line));
    found
}

/// What `nvme_timeout` of the PCI driver says of a command (`drivers/nvme/host/pci.c`).
fn timeout(line: &str) -> Option<String> {
    let (_, does) = line.split_once("I/O ")?.1.split_once(" QID ")?.1.split_once(" timeout")?;
    if does.contains("completion polled") {
        return Some(
            "timeout: the drive had completed the command, and its interrupt was lost: the kernel found the answer by looking"
                .to_owned(),
        );
    }
    let then = if does.contains("aborting") {
        "the kernel asks the drive to abort it"
    } else if does.contains("reset") {
        "the kernel resets the controller"
    } else if does.contains("disable") {
        "the kernel gives the controller up"
    } else {
        return Some("timeout: the drive did not complete a command in time".to_owned());
    };
    Some(format!("timeout: the drive did not complete a command in time, and {then}"))
}

/// `I/O Cmd(0x2) @ LBA 2056, 8 blocks`, or `Read(0x2) @ LBA ...`.
fn request(line: &str) -> Option<String> {
    let (before, rest) = line.split_once(") @ LBA ")?;
    let verb = match hexadecimal(before.rsplit_once("(0x")?.1)? {
        0x0 => "a flush",
        0x1 => "a write",
        0x2 => "a read",
        0x4 => "a write uncorrectable",
        0x5 => "a compare",
        0x8 => "a write zeroes",
        0x9 => "a dataset management (discard)",
        _ => "a command",
    };
    let blocks = decimal(rest.split_once(", ")?.1)?;
    Some(format!("NVMe: {verb} of {blocks} blocks from LBA {} failed", decimal(rest)?))
}

fn status(line: &str) -> Option<u16> {
    let pair = number_behind(line, &["sct "]).zip(number_behind(line, &["sc "]));
    let field = match pair {
        Some((kind, code)) => Some(kind << 8 | code),
        None => number_behind(line, &["status: ", "status "]),
    };
    u16::try_from(field?).ok().filter(|field| *field != 0)
}

/// `CSTS=0x3`.
fn controller(line: &str) -> Vec<String> {
    match number_behind(line, &["CSTS="]) {
        None => Vec::new(),
        Some(0xffff_ffff) => {
            vec![
                "CSTS: all bits are set: the controller does not answer, it was removed or has failed"
                    .to_owned(),
            ]
        }
        Some(value) => {
            let set = CSTS.iter().filter(|(bit, _)| value & bit != 0);
            set.map(|(_, meaning)| format!("CSTS {meaning}")).collect()
        }
    }
}
