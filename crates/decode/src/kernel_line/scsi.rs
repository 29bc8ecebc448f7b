//! Lines of the SCSI layer (`drivers/scsi/scsi_logging.c`, `constants.c`).

use super::text::word_behind;

/// Sense keys in the kernel's spelling (SCSI Primary Commands 6, 4.4.8).
const SENSE_KEYS: &[(&str, &str)] = &[
    ("No Sense", "there is nothing to report"),
    ("Recovered Error", "the command succeeded after the drive had recovered from an error"),
    ("Not Ready", "the drive cannot be reached at the moment"),
    ("Medium Error", "the medium is damaged, or the data on it are"),
    ("Hardware Error", "the drive's own hardware failed"),
    ("Illegal Request", "the drive does not have the command, or not with these parameters"),
    ("Unit Attention", "something has changed: the drive was reset, or the medium exchanged"),
    ("Data Protect", "the drive may not be read or written there"),
    ("Blank Check", "blank medium where none was expected, or the other way round"),
    ("Aborted Command", "the drive aborted the command; it may succeed when it is sent again"),
    ("Volume Overflow", "the end of the medium was reached"),
    ("Miscompare", "the data do not agree with those on the medium"),
];

/// What the host made of a command (`include/scsi/scsi_status.h`).
const HOST_BYTES: &[(&str, &str)] = &[
    ("DID_NO_CONNECT", "the drive could not be reached"),
    ("DID_BUS_BUSY", "the bus stayed busy"),
    ("DID_TIME_OUT", "the drive did not answer in time"),
    ("DID_BAD_TARGET", "there is no such drive any more"),
    ("DID_ABORT", "the command was aborted"),
    ("DID_PARITY", "a parity error on the bus"),
    ("DID_ERROR", "an error inside the adapter"),
    ("DID_RESET", "the bus or the drive was reset"),
    ("DID_BAD_INTR", "an interrupt that was not expected"),
    ("DID_PASSTHROUGH", "the adapter passed an error of the drive on"),
    ("DID_SOFT_ERROR", "the adapter wants the command sent again"),
    ("DID_IMM_RETRY", "the command is to be sent again at once"),
    ("DID_REQUEUE", "the command is to be queued again"),
    ("DID_TRANSPORT_DISRUPTED", "the connection was interrupted"),
    ("DID_TRANSPORT_FAILFAST", "the connection did not come back in time"),
    ("DID_TRANSPORT_MARGINAL", "the connection is unreliable"),
];

pub(super) fn meanings(line: &str) -> Vec<String> {
    let found = sense_key(line).into_iter().chain(unaligned_write(line));
    found.chain(host_byte(line)).chain(command(line)).collect()
}

fn sense_key(line: &str) -> Option<String> {
    let rest = line.split_once("Sense Key : ")?.1;
    let (name, meaning) = SENSE_KEYS.iter().find(|(name, _)| rest.starts_with(name))?;
    Some(format!("sense key: {name}: {meaning}"))
}

/// Additional sense code 21h/04h (Zoned Block Commands 4.4.3), which libata also makes of a command for which it has no status.
fn unaligned_write(line: &str) -> Option<String> {
    line.contains("Add. Sense: Unaligned write command").then(|| {
        "additional sense: a write did not begin at the write pointer of its zone; of a drive without zones libata words a \
         failed command so, whose cause is in the lines of its port (ata) before"
            .to_owned()
    })
}

fn host_byte(line: &str) -> Option<String> {
    let name = word_behind(line, "hostbyte=")?;
    let (name, meaning) = HOST_BYTES.iter().find(|(known, _)| *known == name)?;
    Some(format!("hostbyte {name}: {meaning}"))
}

/// `CDB: Read(10) 28 00 00 01 86 a0 00 00 08 00` (SCSI Block Commands 5): what it reads or writes.
fn command(line: &str) -> Option<String> {
    let rest = line.split_once("CDB: ")?.1;
    let words: Vec<&str> = rest.split_whitespace().collect();
    let is_byte = |word: &&str| word.len() == 2 && u8::from_str_radix(word, 16).is_ok();
    let first = words.iter().position(is_byte)?;
    let bytes: Vec<u8> = words[first..].iter().map_while(|word| u8::from_str_radix(word, 16).ok()).collect();
    let number = |range: std::ops::Range<usize>| {
        Some(bytes.get(range)?.iter().fold(0_u64, |number, byte| number << 8 | u64::from(*byte)))
    };
    let (address, count) = match bytes.first()? {
        0x28 | 0x2a | 0x2e | 0x2f | 0x41 => (number(2..6)?, number(7..9)?),
        0xa8 | 0xaa => (number(2..6)?, number(6..10)?),
        0x88 | 0x8a | 0x8e | 0x8f | 0x93 => (number(2..10)?, number(10..14)?),
        _ => return None,
    };
    Some(format!("CDB: {} of {count} blocks from LBA {address}", words[..first].join(" ")))
}
