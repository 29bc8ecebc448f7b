//! The interrupt status of an AHCI port (AHCI 1.3.1, 3.3.5, `PxIS`), which Linux prints as `irq_stat`.

use crate::{Bit, bit, set_bits};

const TABLE: [Bit; 17] = [
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
    set_bits(value, &TABLE)
}
