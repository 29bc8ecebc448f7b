//! The status and error registers of an ATA device (ATA/ATAPI Command Set 4, 6.2 and 6.3).

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
}
