//! Lines of the kernel's log about drives: what their codes mean, and what happened to the drive.

mod ata;
mod block;
mod event;
mod given_up;
mod log;
mod nvme;
mod scsi;
mod text;

pub use event::{KernelEvent, event};
pub use log::KernelLogDecoder;

/// What the codes in a line of the kernel's log mean, a sentence each without its full stop; nothing where the line has none
/// that are known.
///
/// Known are the lines of libata and AHCI (exceptions, registers, commands, links), of the SCSI layer (sense keys, host bytes,
/// commands), of the NVMe driver (status codes, controller status) and of the block layer (sectors), as Linux 4.19 to 6.12
/// prints them.
pub fn meanings(line: &str) -> Vec<String> {
    let mut found = ata::meanings(line);
    found.extend(scsi::meanings(line));
    found.extend(nvme::meanings(line));
    found.extend(block::meanings(line));
    found.extend(given_up::meanings(line));
    found
}

#[cfg(test)]
mod tests {
    use super::meanings;

    /// Whether a line is explained with all of these words, and how often.
    fn assert_explained(line: &str, words: &[&str]) {
        let found = meanings(line);
        for word in words {
            assert!(found.iter().any(|sentence| sentence.contains(word)), "{word}: {found:#?}");
        }
        assert_eq!(found.len(), words.len(), "{found:#?}");
    }

    #[test]
    fn a_lost_link_is_explained_in_all_its_parts() {
        assert_explained(
            "ata3.00: exception Emask 0x10 SAct 0x80000007 SErr 0xd0000 action 0xe frozen",
            &[
                "Emask 0x10: ATA bus error",
                "SAct: 4 queued commands were under way (tags 0, 1, 2, 31)",
                "SError 10B8B",
                "SError CommWake",
                "SError PHYRdyChg",
                "action: the link is enabled again",
                "action: the link is reset (COMRESET)",
                "action: the device is reset by software",
                "frozen",
            ],
        );
        assert_explained(
            "ata3.00: irq_stat 0x00400000, PHY RDY changed",
            &["irq_stat PRCS: the PHY became ready or not ready", "PHY RDY changed: "],
        );
        assert_explained(
            "ata3: SError: { PHYRdyChg CommWake 10B8B }",
            &["SError PHYRdyChg", "SError CommWake", "SError 10B8B"],
        );
    }

    #[test]
    fn an_unreadable_sector_is_named_by_every_layer() {
        assert_explained(
            "ata1.00: cmd 60/08:a0:a0:86:01/00:00:00:00:00/40 tag 20 ncq dma 4096 in",
            &["cmd: READ FPDMA QUEUED of 8 sectors from LBA 100000"],
        );
        assert_explained(
            "         res 51/40:08:a3:86:01/00:00:00:00:00/40 Emask 0x409 (media error) <F>",
            &[
                "status DRDY",
                "status DSC",
                "status ERR",
                "error UNC",
                "res: LBA 100003",
                "Emask 0x400: ",
                "Emask 0x8: media error",
                "Emask 0x1: ",
            ],
        );
        assert_explained("ata3.00: status: { DRDY ERR }", &["status DRDY", "status ERR"]);
        assert_explained("ata3.00: error: { UNC ICRC }", &["error UNC", "error ICRC"]);
        assert_explained("sd 0:0:0:0: [sda] tag#20 Sense Key : Medium Error [current] ", &["sense key: "]);
        assert_explained(
            "sd 0:0:0:0: [sda] tag#20 CDB: Read(10) 28 00 00 01 86 a0 00 00 08 00",
            &["CDB: Read(10) of 8 blocks from LBA 100000"],
        );
        assert_explained(
            "critical medium error, dev sda, sector 100003 op 0x0:(READ) flags 0x0 phys_seg 1 prio class 0",
            &["a read of sda failed at sector 100003 (of 512 bytes)"],
        );
        assert_explained(
            "nvme0n1: I/O Cmd(0x2) @ LBA 2056, 8 blocks, I/O Error (sct 0x2 / sc 0x81) DNR ",
            &[
                "NVMe: a read of 8 blocks from LBA 2056 failed",
                "NVMe: Unrecovered Read Error (media and data integrity errors)",
                "NVMe DNR",
            ],
        );
    }

    #[test]
    fn links_controllers_and_hosts_are_explained() {
        assert_explained(
            "ata3: SATA link up 6.0 Gbps (SStatus 133 SControl 300)",
            &["SStatus: a device is there and answers, 6.0 Gbit/s, active"],
        );
        assert_explained(
            "ata3: SATA link down (SStatus 0 SControl 300)",
            &["SStatus: no device is there, no speed, not active"],
        );
        assert_explained(
            "nvme nvme0: controller is down; will reset: CSTS=0x3, PCI_STATUS=0x10",
            &["CSTS RDY", "CSTS CFS"],
        );
        assert_explained(
            "nvme nvme0: Device not ready; aborting reset, CSTS=0xffffffff",
            &["CSTS: all bits"],
        );
        assert_explained(
            "sd 2:0:0:0: [sda] tag#0 FAILED Result: hostbyte=DID_NO_CONNECT driverbyte=DRIVER_OK cmd_age=0s",
            &["hostbyte DID_NO_CONNECT"],
        );
    }

    #[test]
    fn what_the_kernel_does_after_a_timeout_is_told() {
        for (line, does) in [
            ("nvme nvme0: I/O 5 QID 1 timeout, aborting", "abort it"),
            ("nvme nvme0: I/O tag 5 (1005) QID 1 timeout, reset controller", "resets the controller"),
            ("nvme nvme0: I/O tag 5 (1005) QID 1 timeout, completion polled", "its interrupt was lost"),
        ] {
            assert_explained(line, &[does]);
        }
    }

    #[test]
    fn a_drive_that_the_kernel_gave_up_is_explained() {
        for (line, says) in [
            ("nvme nvme0: Removing after probe failure status: -19", "gave it up"),
            ("nvme nvme0: Disabling device after reset failure: -19", "gave it up"),
            ("ata1: COMRESET failed (errno=-16)", "did not come back"),
            ("ata1.00: qc timeout (cmd 0xec)", "did not answer"),
            ("sd 0:0:0:0: rejecting I/O to offline device", "taken the drive offline"),
            (
                "Buffer I/O error on dev sda1, logical block 3, async page read",
                "could not be read or written",
            ),
            ("sd 0:0:0:0: [sda] tag#3 Add. Sense: Unrecovered read error", "could not read"),
        ] {
            assert_explained(line, &[says]);
        }
    }

    #[test]
    fn what_has_no_known_codes_is_not_explained() {
        for line in [
            "",
            "nvme nvme0: 8/0/0 default/read/poll queues",
            "ata3: SError: { }",
            "res 51",
            "cmd /",
            "CDB: Read(10) 28",
            "usb 1-1: new high-speed USB device number 2 using xhci_hcd",
            "ata3: SATA link up (SStatus xyz)",
            "sector of a circle",
        ] {
            assert_eq!(meanings(line), Vec::<String>::new(), "{line}");
        }
    }
}
