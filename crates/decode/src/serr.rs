//! The `SError` register of Serial ATA (Serial ATA revision 3.5, 14.1.2; AHCI 1.3.1, `PxSERR`).

use crate::{Bit, bit, set_bits};

/// The names are those of Linux's libata.
const TABLE: [Bit; 17] = [
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
    set_bits(value, &TABLE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_link_that_was_lost_is_named_as_the_kernel_names_it() {
        let names: Vec<&str> = serr(0xd_0000).iter().map(|bit| bit.name).collect();
        assert_eq!(names, ["10B8B", "CommWake", "PHYRdyChg"]);
        assert_eq!(serr(0), []);
        assert_eq!(serr(1 << 30)[0].name, "reserved");
    }
}
