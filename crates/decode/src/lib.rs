//! What the numbers mean that drives and kernels report errors with: bits and codes by name, from the specifications.
//!
//! Nothing here knows a device; a number or a line of text goes in, words come out.

#![forbid(unsafe_code)]

mod ata_command;
mod block;
mod fields;
mod kernel_line;
mod libata;
mod nvme;
mod registers;

use schemars::JsonSchema;
use serde::Serialize;

pub use block::block_error;
pub use fields::{byte, dword, word};
pub use kernel_line::{KernelEvent, KernelLogDecoder, event, meanings};
pub use nvme::{NvmeStatus, nvme_status};
pub use registers::{ahci_interrupt, ata_error, ata_status, serr};

/// One bit that is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "BitMeaning")]
pub struct Bit {
    /// Its place, from 0.
    pub bit: u8,
    /// Its name in the specification, or the kernel's where that is shorter.
    pub name: &'static str,
    /// What it means.
    pub meaning: &'static str,
}

/// An entry of a table of bits.
const fn bit(bit: u8, name: &'static str, meaning: &'static str) -> Bit {
    Bit { bit, name, meaning }
}

/// The bits of a table that are set in a value, the highest first; those that the table does not have are reserved.
fn set_bits(value: u32, table: &[Bit]) -> Vec<Bit> {
    let reserved =
        |bit| Bit { bit, name: "reserved", meaning: "reserved: the specification gives it no meaning" };
    (0..32)
        .rev()
        .filter(|bit| value >> bit & 1 == 1)
        .map(|bit| table.iter().copied().find(|known| known.bit == bit).unwrap_or_else(|| reserved(bit)))
        .collect()
}
