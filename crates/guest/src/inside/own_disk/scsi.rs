//! The SCSI commands that an ATA drive behind a translation answers.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::SERIAL;
use super::ata::{Aborted, AtaDisk, BLOCK, BLOCKS};
use super::ring::Answer;

/// Sense key, additional code and qualifier of a command that there is not, of blocks beyond the end, and of a locked drive.
const NO_COMMAND: [u8; 3] = [0x05, 0x20, 0x00];
const NO_FIELD: [u8; 3] = [0x05, 0x24, 0x00];
const BEYOND_THE_END: [u8; 3] = [0x05, 0x21, 0x00];
const LOCKED: [u8; 3] = [0x07, 0x74, 0x71];

/// Carries a command out, with the data that came with it.
pub fn answer(disk: &Mutex<AtaDisk>, command: &[u8], data: &[u8]) -> Answer {
    let number = |at: usize, bytes: usize| {
        command[at..at + bytes].iter().fold(0_u64, |number, byte| number << 8 | u64::from(*byte))
    };
    match command[0] {
        // TEST UNIT READY, START STOP UNIT, SYNCHRONIZE CACHE.
        0x00 | 0x1b | 0x35 | 0x91 => Answer::Good(Vec::new()),
        0x12 => inquiry(command),
        0x25 => {
            let last = u32::try_from(BLOCKS - 1).unwrap_or(u32::MAX).to_be_bytes();
            Answer::Good([last, 512_u32.to_be_bytes()].concat())
        }
        0x28 | 0x2a => transfer(disk, command[0] == 0x2a, number(2, 4), number(7, 2), data),
        0x88 | 0x8a => transfer(disk, command[0] == 0x8a, number(2, 8), number(10, 4), data),
        0x85 => pass_through(disk, command[14], data),
        // READ CAPACITY (16).
        0x9e if command[1] & 0x1f == 0x10 => {
            let mut answer = (BLOCKS - 1).to_be_bytes().to_vec();
            answer.extend(512_u32.to_be_bytes());
            answer.resize(32, 0);
            Answer::Good(answer)
        }
        // ATA PASS-THROUGH (12).
        0xa1 => pass_through(disk, command[9], data),
        _ => Answer::Check(sense(NO_COMMAND).to_vec()),
    }
}

fn lock(disk: &Mutex<AtaDisk>) -> MutexGuard<'_, AtaDisk> {
    disk.lock().unwrap_or_else(PoisonError::into_inner)
}

fn sense([key, code, qualifier]: [u8; 3]) -> [u8; 18] {
    [0x70, 0, key, 0, 0, 0, 0, 10, 0, 0, 0, 0, code, qualifier, 0, 0, 0, 0]
}

fn inquiry(command: &[u8]) -> Answer {
    let page = |number: u8, content: &[u8]| {
        let mut page = vec![0, number, 0, u8::try_from(content.len()).unwrap_or(0)];
        page.extend(content);
        Answer::Good(page)
    };
    match (command[1] & 1, command[2]) {
        (0, _) => {
            let mut data = vec![0, 0, 5, 2, 31, 0, 0, 2];
            data.extend(b"ATA     OWN DISK        1   ");
            Answer::Good(data)
        }
        (_, 0x00) => page(0x00, &[0x00, 0x80, 0xb1]),
        (_, 0x80) => page(0x80, SERIAL.as_bytes()),
        // It does not turn.
        (_, 0xb1) => page(0xb1, &[&[0, 1][..], &[0; 58]].concat()),
        _ => Answer::Check(sense(NO_FIELD).to_vec()),
    }
}

fn transfer(disk: &Mutex<AtaDisk>, writes: bool, first: u64, count: u64, data: &[u8]) -> Answer {
    let mut disk = lock(disk);
    if disk.is_locked {
        return Answer::Check(sense(LOCKED).to_vec());
    }
    if first.checked_add(count).is_none_or(|end| end > BLOCKS) {
        return Answer::Check(sense(BEYOND_THE_END).to_vec());
    }
    let bytes = |blocks: u64| usize::try_from(blocks).unwrap_or(usize::MAX).saturating_mul(BLOCK);
    let blocks = &mut disk.blocks[bytes(first)..bytes(first + count)];
    if !writes {
        return Answer::Good(blocks.to_vec());
    }
    for (block, byte) in blocks.iter_mut().zip(data) {
        *block = *byte;
    }
    Answer::Good(Vec::new())
}

/// An ATA command inside: SECURITY ERASE UNIT takes its time, in which the power can be cut.
fn pass_through(disk: &Mutex<AtaDisk>, command: u8, data: &[u8]) -> Answer {
    let obeyed =
        if command == 0xf4 { erase(disk, data).map(|()| Vec::new()) } else { lock(disk).obey(command, data) };
    if let Ok(data) = obeyed {
        return Answer::Good(data);
    }
    // Command aborted, with the registers in a descriptor.
    let mut sense = vec![0x72, 0x0b, 0, 0, 0, 0, 0, 14];
    sense.extend([0x09, 12, 0, 0x04, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x51]);
    Answer::Check(sense)
}

fn erase(disk: &Mutex<AtaDisk>, data: &[u8]) -> Result<(), Aborted> {
    let mut held = lock(disk);
    held.may_erase(data)?;
    let (takes, power_cuts) = held.erase_begins();
    drop(held);
    let began = Instant::now();
    while began.elapsed() < takes && lock(disk).erase_begins().1 == power_cuts {
        thread::sleep(Duration::from_millis(20));
    }
    lock(disk).erase_ends(power_cuts)
}
