//! Lines of the kernel's log in their order: what one means may follow from those before it.

use super::meanings;

/// What says that a SATA link was lost, in the lines of libata (`drivers/ata/libata-eh.c`).
const LINK_LOST: &[&str] =
    &["PHYRdyChg", "PHY RDY changed", "DevExch", "Emask 0x10 ", "(ATA bus error)", "SATA link down"];
/// What ends the handling of an error of a port.
const HANDLED: &str = "EH complete";
/// How libata words a command for which it has no status of the drive (`ata_to_sense_error`).
const MADE_UP: &[&str] = &["Sense Key : Illegal Request", "Unaligned write command"];

/// Explains the lines of a log, one after the other.
#[derive(Clone, Copy, Debug, Default)]
pub struct KernelLogDecoder {
    /// Whether a link was lost, and the error is still handled.
    has_lost_link: bool,
}

impl KernelLogDecoder {
    /// What the codes in the next line mean, a sentence each without its full stop; nothing where the line has none that are
    /// known.
    #[must_use]
    pub fn meanings(&mut self, line: &str) -> Vec<String> {
        if LINK_LOST.iter().any(|mark| line.contains(mark)) {
            self.has_lost_link = true;
        }
        let is_made_up = self.has_lost_link && MADE_UP.iter().any(|mark| line.contains(mark));
        if line.contains(HANDLED) {
            self.has_lost_link = false;
        }
        if is_made_up {
            return vec![
                "the drive did not say this: the link to it was lost before (see above), and libata words a command without an \
                 answer so; look at the cable, the power, and link power management"
                    .to_owned(),
            ];
        }
        meanings(line)
    }
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
            assert!(found.len() == 1 && found[0].contains("the link to it was lost"), "{found:?}");
        }
        let _ = log.meanings("ata9: EH complete");
        let found = log.meanings(SENSE);
        assert!(found[0].contains("the drive does not have the command"), "{found:?}");
    }

    #[test]
    fn an_unaligned_write_is_explained_without_a_lost_link_too() {
        let found = KernelLogDecoder::default().meanings(ADDED);
        assert!(found.len() == 1 && found[0].contains("write pointer"), "{found:?}");
    }
}
