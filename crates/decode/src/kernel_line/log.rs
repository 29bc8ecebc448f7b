//! Lines of the kernel's log in their order: what one means may follow from those before it.

use std::collections::BTreeSet;

use super::meanings;

/// What says that a SATA link was lost while it was used, in the lines of libata (`drivers/ata/libata-eh.c`). A port without a
/// drive has no link either ("SATA link down"), in every log of a boot.
const LINK_LOST: &[&str] = &["PHYRdyChg", "PHY RDY changed", "DevExch", "Emask 0x10 ", "(ATA bus error)"];
/// What ends the handling of an error of a port.
const HANDLED: &str = "EH complete";
/// How libata words a command for which it has no status of the drive (`ata_to_sense_error`).
const MADE_UP: &[&str] = &["Sense Key : Illegal Request", "Unaligned write command"];

/// Explains the lines of a log, one after the other.
#[derive(Clone, Debug, Default)]
pub struct KernelLogDecoder {
    /// The numbers of the ports that lost their link, and whose error is still handled.
    without_link: BTreeSet<u32>,
}

impl KernelLogDecoder {
    /// What the codes in the next line mean, a sentence each without its full stop; nothing where the line has none that are
    /// known.
    #[must_use]
    pub fn meanings(&mut self, line: &str) -> Vec<String> {
        if let Some(port) = port_of(line) {
            if LINK_LOST.iter().any(|mark| line.contains(mark)) {
                self.without_link.insert(port);
            }
            if line.contains(HANDLED) {
                self.without_link.remove(&port);
            }
        }
        let is_made_up = MADE_UP.iter().any(|mark| line.contains(mark));
        if is_made_up && let Some(port) = self.without_link.first() {
            return vec![format!(
                "the drive did not say this: the link of ata{port} was lost before (see above), and libata words a command \
                 without an answer so; look at the cable, the power, and link power management"
            )];
        }
        meanings(line)
    }
}

/// The number of the port that a line of libata is about: `ata9:`, `ata9.00:`.
fn port_of(line: &str) -> Option<u32> {
    line.split_ascii_whitespace().find_map(|word| {
        let number = word.strip_prefix("ata")?.strip_suffix(':')?;
        number.split('.').next()?.parse().ok()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const DROP: &str = "ata9.00: exception Emask 0x10 SAct 0xc00 SErr 0x4050000 action 0xe frozen";
    const SENSE: &str = "sd 8:0:0:0: [sdi] tag#10 Sense Key : Illegal Request [current]";
    const ADDED: &str = "sd 8:0:0:0: [sdi] tag#10 Add. Sense: Unaligned write command";

    #[test]
    fn what_follows_a_lost_link_is_put_down_to_it() {
        let mut log = KernelLogDecoder::default();
        assert!(!log.meanings(DROP).is_empty());
        for line in [SENSE, ADDED] {
            let found = log.meanings(line);
            assert!(found.len() == 1 && found[0].contains("the link of ata9 was lost"), "{found:?}");
        }
        let _ = log.meanings("ata9: EH complete");
        let found = log.meanings(SENSE);
        assert!(found[0].contains("the drive does not have the command"), "{found:?}");
    }

    /// Every boot has ports without a drive, and ports have errors of their own.
    #[test]
    fn a_port_without_a_drive_and_the_end_of_another_ports_error_change_nothing() {
        let mut log = KernelLogDecoder::default();
        let _ = log.meanings("ata5: SATA link down (SStatus 0 SControl 300)");
        assert!(log.meanings(SENSE)[0].contains("the drive does not have the command"));
        let _ = log.meanings(DROP);
        let _ = log.meanings("ata5: EH complete");
        assert!(log.meanings(SENSE)[0].contains("the link of ata9 was lost"));
    }

    #[test]
    fn an_unaligned_write_is_explained_without_a_lost_link_too() {
        let found = KernelLogDecoder::default().meanings(ADDED);
        assert!(found.len() == 1 && found[0].contains("write pointer"), "{found:?}");
    }
}
