//! Registers of Serial ATA: the status and error registers of an ATA device (ATA/ATAPI Command Set 4, 6.2 and 6.3), the `SError`
//! register of its link (Serial ATA revision 3.5, 14.1.2; AHCI 1.3.1, `PxSERR`), and the interrupt status of an AHCI port (AHCI
//! 1.3.1, 3.3.5, `PxIS`), which Linux prints as `irq_stat`.

use crate::{Bit, bit, set_bits};

const STATUS: [Bit; 8] = [
    bit(
        0,
        "ERR",
        "the command ended with an error; the error register says which (CHECK CONDITION of a packet device)",
    ),
    bit(1, "SENSE", "the device has sense data (index mark in old devices)"),
    bit(
        2,
        "ALIGN",
        "the write was not aligned to the device's physical sectors (corrected data in old devices)",
    ),
    bit(3, "DRQ", "the device is ready to transfer data"),
    bit(4, "DSC", "seek complete; of a streaming command: deferred write error"),
    bit(5, "DF", "device fault: the device can not go on as it is (stream error of a streaming command)"),
    bit(6, "DRDY", "the device is ready for commands"),
    bit(7, "BSY", "the device is busy; the other bits mean nothing then"),
];

const ERROR: [Bit; 8] = [
    bit(
        0,
        "AMNF",
        "the address mark was not found in old devices (illegal length, command completion time out)",
    ),
    bit(1, "EOM", "end of media, or no media"),
    bit(2, "ABRT", "the device aborted the command: it does not have it, or can not carry it out as asked"),
    bit(3, "MCR", "a change of the media was requested (old devices)"),
    bit(4, "IDNF", "the address was not found, or lies beyond the device's end"),
    bit(5, "MC", "the media was changed (old devices)"),
    bit(6, "UNC", "the data could not be read and not be corrected"),
    bit(7, "ICRC", "the data was damaged on its way between host and device: cable or connectors"),
];

/// The bits of a status register, the highest first.
pub fn ata_status(value: u8) -> Vec<Bit> {
    set_bits(u32::from(value), &STATUS)
}

/// The bits of an error register, the highest first.
pub fn ata_error(value: u8) -> Vec<Bit> {
    set_bits(u32::from(value), &ERROR)
}

/// The names are those of Linux's libata.
const SERR: [Bit; 17] = [
    bit(0, "RecovData", "data integrity was lost and recovered by the interface"),
    bit(1, "RecovComm", "communication with the device was lost and recovered"),
    bit(8, "UnrecovData", "data integrity was lost, and the interface did not recover it"),
    bit(9, "Persist", "communication or data integrity was lost and not recovered: cable, power or device"),
    bit(10, "Proto", "the device broke the Serial ATA protocol"),
    bit(11, "HostInt", "the host's adapter met an internal error"),
    bit(16, "PHYRdyChg", "the link's PHY became ready or not ready: the connection was lost, or made anew"),
    bit(17, "PHYInt", "the PHY met an internal error"),
    bit(18, "CommWake", "a COMWAKE signal was seen: the device wakes the link"),
    bit(19, "10B8B", "a 10b/8b decoding error: the signal on the cable is bad"),
    bit(20, "Dispar", "a disparity error: the signal on the cable is bad"),
    bit(21, "BadCRC", "a frame came with a wrong CRC: the signal on the cable is bad"),
    bit(22, "Handshk", "the device answered a frame with R_ERR: it could not take it"),
    bit(23, "LinkSeq", "the link layer's state machine met a signal that does not fit"),
    bit(24, "TrStaTrns", "the transport layer's state machine met a transition that does not fit"),
    bit(25, "UnrecFIS", "a frame of an unknown type came"),
    bit(26, "DevExch", "the device was exchanged, or came or went"),
];

/// The bits of an `SError` value, the highest first.
pub fn serr(value: u32) -> Vec<Bit> {
    set_bits(value, &SERR)
}

const AHCI: [Bit; 17] = [
    bit(0, "DHRS", "a register frame came from the device"),
    bit(1, "PSS", "a PIO setup frame came from the device"),
    bit(2, "DSS", "a DMA setup frame came from the device"),
    bit(3, "SDBS", "a set device bits frame came from the device"),
    bit(4, "UFS", "a frame of an unknown type came"),
    bit(5, "DPS", "a descriptor that asks for an interrupt was processed"),
    bit(6, "PCS", "a device was connected or disconnected"),
    bit(7, "DMPS", "a mechanical presence switch changed"),
    bit(22, "PRCS", "the PHY became ready or not ready: the connection was lost, or made anew"),
    bit(23, "IPMS", "a frame came from another port of a port multiplier than was expected"),
    bit(24, "OFS", "the device sent more data than was asked for"),
    bit(26, "INFS", "an error of the interface that did not stop the transfer"),
    bit(27, "IFS", "an error of the interface that stopped the transfer"),
    bit(28, "HBDS", "the adapter met an error in the host's memory (data)"),
    bit(29, "HBFS", "the adapter met an error of the host's bus that it cannot recover from"),
    bit(30, "TFES", "the device ended a command with an error"),
    bit(31, "CPDS", "a device was found or lost on a port that detects it without power"),
];

/// The bits of an AHCI port's interrupt status, the highest first.
pub fn ahci_interrupt(value: u32) -> Vec<Bit> {
    set_bits(value, &AHCI)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_failed_read_leaves_is_named() {
        let names = |bits: Vec<Bit>| bits.iter().map(|bit| bit.name).collect::<Vec<&str>>();
        assert_eq!(names(ata_status(0x51)), ["DRDY", "DSC", "ERR"]);
        assert_eq!(names(ata_error(0x40)), ["UNC"]);
        assert_eq!(names(ata_error(0x84)), ["ICRC", "ABRT"]);
    }

    #[test]
    fn the_link_that_was_lost_is_named_as_the_kernel_names_it() {
        let names: Vec<&str> = serr(0xd_0000).iter().map(|bit| bit.name).collect();
        assert_eq!(names, ["10B8B", "CommWake", "PHYRdyChg"]);
        assert_eq!(serr(0), []);
        assert_eq!(serr(1 << 30)[0].name, "reserved");
    }
}
