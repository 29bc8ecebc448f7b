//! What a line of the kernel's log says has happened to a drive.

/// What has happened to a drive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum KernelEvent {
    /// The kernel has given the drive up, or it was removed.
    Gone,
    /// The drive, or a file system on it, can only be read from now on.
    ReadOnly,
    /// The drive did not answer in time.
    Timeout,
    /// The drive, its controller or the link to it is reset.
    Reset,
    /// Data on the medium could not be read or written.
    MediumError,
    /// The link between host and drive failed.
    LinkError,
    /// A request failed for another reason.
    Error,
}

impl KernelEvent {
    /// A few words for it, such as "medium error".
    pub fn words(self) -> &'static str {
        match self {
            KernelEvent::Gone => "drive gone",
            KernelEvent::ReadOnly => "read-only",
            KernelEvent::Timeout => "timeout",
            KernelEvent::Reset => "reset",
            KernelEvent::MediumError => "medium error",
            KernelEvent::LinkError => "link error",
            KernelEvent::Error => "I/O error",
        }
    }
}

/// Parts of lines of Linux 4.19 to 6.12, in small letters. The first that a line has decides, so that "timeout, reset
/// controller" is a timeout.
const PARTS: &[(&str, KernelEvent)] = &[
    ("disabling device", KernelEvent::Gone),
    ("disable device", KernelEvent::Gone),
    ("removing after probe failure", KernelEvent::Gone),
    ("device offlined", KernelEvent::Gone),
    ("rejecting i/o to", KernelEvent::Gone),
    ("csts=0xffffffff", KernelEvent::Gone),
    ("sata link down", KernelEvent::Gone),
    ("did_no_connect", KernelEvent::Gone),
    ("did_bad_target", KernelEvent::Gone),
    ("device offline error", KernelEvent::Gone),
    ("link is down", KernelEvent::Gone),
    ("card not present", KernelEvent::Gone),
    ("write protect is on", KernelEvent::ReadOnly),
    ("read-only", KernelEvent::ReadOnly),
    ("readonly", KernelEvent::ReadOnly),
    ("timeout", KernelEvent::Timeout),
    ("timed out", KernelEvent::Timeout),
    ("blocked for more than", KernelEvent::Timeout),
    ("resetting link", KernelEvent::Reset),
    ("will reset", KernelEvent::Reset),
    ("reset controller", KernelEvent::Reset),
    ("resetting controller", KernelEvent::Reset),
    ("did_reset", KernelEvent::Reset),
    ("power-on or device reset occurred", KernelEvent::Reset),
    ("medium error", KernelEvent::MediumError),
    ("media error", KernelEvent::MediumError),
    ("unrecovered read error", KernelEvent::MediumError),
    ("sct 0x2 /", KernelEvent::MediumError),
    ("error: { unc", KernelEvent::MediumError),
    ("phy rdy changed", KernelEvent::LinkError),
    ("interface fatal error", KernelEvent::LinkError),
    ("connection status changed", KernelEvent::LinkError),
    ("serror: { ", KernelEvent::LinkError),
    ("error: { icrc", KernelEvent::LinkError),
    ("transport error", KernelEvent::LinkError),
    ("exception emask", KernelEvent::Error),
    ("failed command", KernelEvent::Error),
    ("i/o error", KernelEvent::Error),
    (" error, dev ", KernelEvent::Error),
];

/// What a line says has happened to the drive; none where it reports nothing of that kind.
pub fn event(line: &str) -> Option<KernelEvent> {
    let small = line.to_ascii_lowercase();
    PARTS.iter().find(|(part, _)| small.contains(part)).map(|(_, event)| *event)
}

#[cfg(test)]
mod tests {
    use super::{KernelEvent, event};

    #[test]
    fn lines_say_what_has_happened() {
        for (line, expected) in [
            ("nvme nvme0: I/O tag 5 (1005) QID 1 timeout, reset controller", KernelEvent::Timeout),
            ("nvme nvme0: controller is down; will reset: CSTS=0x3, PCI_STATUS=0x10", KernelEvent::Reset),
            ("nvme nvme0: controller is down; will reset: CSTS=0xffffffff", KernelEvent::Gone),
            ("ata3: hard resetting link", KernelEvent::Reset),
            ("ata3.00: irq_stat 0x00400000, PHY RDY changed", KernelEvent::LinkError),
            ("ata3.00: exception Emask 0x0 SAct 0x0 SErr 0x0 action 0x0", KernelEvent::Error),
            ("critical medium error, dev sda, sector 8 op 0x0:(READ) flags 0x0", KernelEvent::MediumError),
            ("EXT4-fs (sda1): Remounting filesystem read-only", KernelEvent::ReadOnly),
            ("sd 2:0:0:0: rejecting I/O to offline device", KernelEvent::Gone),
        ] {
            assert_eq!(event(line), Some(expected), "{line}");
        }
        assert_eq!(event("nvme0n1: p1 p2"), None);
        assert_eq!(event("sd 0:0:0:0: [sda] Attached SCSI disk"), None);
    }
}
