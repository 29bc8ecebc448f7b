//! What the controller says of itself and of its namespace.

use std::time::Duration;

use super::{SERIAL, SUBSYSTEM};

/// Blocks of the namespace.
pub const BLOCKS: u64 = 32 << 10;
/// Bytes of a block.
pub const BLOCK: usize = 512;

/// Identify Controller.
pub fn controller() -> Vec<u8> {
    let mut data = vec![0; 4096];
    data[4..64].fill(b' ');
    data[4..4 + SERIAL.len()].copy_from_slice(SERIAL.as_bytes());
    data[24..27].copy_from_slice(b"OWN");
    data[64..72].copy_from_slice(b"1       ");
    // The longest transfer is 128 KiB; identifier 1; version 1.4; an I/O controller.
    data[77] = 5;
    data[78] = 1;
    data[80..84].copy_from_slice(&0x0001_0400_u32.to_le_bytes());
    data[111] = 1;
    // Format NVM, with a crypto erase.
    (data[256], data[524]) = (1 << 1, 1 << 2);
    // Reservations.
    data[520] = 1 << 5;
    // Keep alive in steps of 100 ms; Sanitize by block erase.
    data[320] = 10;
    data[328] = 0b10;
    // Entries of 64 and 16 bytes, 64 commands, one namespace, SGLs.
    (data[512], data[513], data[514], data[516], data[536]) = (0x66, 0x44, 64, 1, 1);
    data[768..768 + SUBSYSTEM.len()].copy_from_slice(SUBSYSTEM.as_bytes());
    // Capsules of a command with 128 KiB of data, and of a completion, in units of 16 bytes.
    data[1792..1796].copy_from_slice(&((64 + (128 << 10)) / 16_u32).to_le_bytes());
    data[1796] = 1;
    data[1803] = 1;
    data
}

/// Identify Namespace.
pub fn namespace() -> Vec<u8> {
    let mut data = vec![0; 4096];
    for place in [0, 8, 16] {
        data[place..place + 8].copy_from_slice(&BLOCKS.to_le_bytes());
    }
    // Every type of reservation.
    data[31] = 0x7e;
    // Blocks of two to the ninth bytes.
    data[130] = 9;
    data
}

/// The namespaces above a number.
pub fn namespaces(above: u32, has_another: bool) -> Vec<u8> {
    let mut list = vec![0; 4096];
    let all = [1_u32, 2].into_iter().take(if has_another { 2 } else { 1 });
    for (place, number) in all.filter(|number| *number > above).enumerate() {
        list[place * 4..place * 4 + 4].copy_from_slice(&number.to_le_bytes());
    }
    list
}

/// The health log: 41 C, 7 % of the endurance used, 123 power-on hours, 2 media errors; for how long the drive has throttled.
pub fn health(written: u64, throttled: Duration) -> Vec<u8> {
    let mut page = vec![0; 512];
    page[1..3].copy_from_slice(&(273 + 41_u16).to_le_bytes());
    (page[3], page[4], page[5]) = (100, 10, 7);
    (page[128], page[160]) = (123, 2);
    // Data Units Written: thousands of 512 bytes, rounded up.
    page[48..56].copy_from_slice(&written.div_ceil(512_000).to_le_bytes());
    // Transitions to thermal management 1, and its seconds.
    page[216] = u8::from(!throttled.is_zero());
    let seconds = u32::try_from(throttled.as_secs()).unwrap_or(u32::MAX);
    page[224..228].copy_from_slice(&seconds.to_le_bytes());
    page
}

/// The log page C0h with this count of bytes written to the flash, under the GUID of the Open Compute Project or another one.
pub fn ocp_log(flash_written: u64, is_ocp: bool) -> Vec<u8> {
    let mut page = vec![0; 512];
    page[..8].copy_from_slice(&flash_written.to_le_bytes());
    let guid: u128 = 0xafd5_14c9_7c6f_4f9c_a4f2_bfea_2810_afc5;
    page[496..].copy_from_slice(&if is_ocp { guid } else { guid ^ 1 }.to_le_bytes());
    page
}

/// Reservation Report with hosts of 128 bits: where there is a reservation, of another host that writes alone.
pub fn reservations(is_reserved: bool) -> Vec<u8> {
    let mut data = vec![0; 4096];
    if is_reserved {
        // Its generation, its type (Write Exclusive), and one registered controller, which holds it.
        (data[0], data[4], data[5]) = (1, 1, 1);
        (data[64], data[64 + 2], data[64 + 16]) = (9, 1, 0x77);
    }
    data
}
