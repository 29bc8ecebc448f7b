//! Lines of libata and of its AHCI driver (`drivers/ata/libata-eh.c`, `libahci.c`).

use super::text::{hexadecimal, names_behind, number_behind, sentences};
use crate::ata_command::{Sectors, ata_command};
use crate::{Bit, ahci_interrupt, ata_error, ata_status, libata, serr};

/// What the AHCI driver says in words behind `irq_stat`.
const AHCI_WORDS: &[(&str, &str)] = &[
    ("PHY RDY changed", "the connection to the drive was lost or made anew: cable, power or drive"),
    ("connection status changed", "a drive was connected or disconnected"),
    ("interface fatal error", "a transfer between host and drive failed and was stopped"),
    ("host bus error", "the adapter could not read or write the host's memory"),
    ("unknown FIS", "the drive sent a frame that is not known"),
    ("incorrect PMP", "a frame came from another port of a port multiplier than was expected"),
];

pub(super) fn meanings(line: &str) -> Vec<String> {
    let mut found = Vec::new();
    let emask = || libata_bits("Emask", line, libata::emask);
    // The result's registers stand before its Emask, an exception's Emask before everything.
    let is_result = result(line).is_some();
    if !is_result {
        found.extend(emask());
    }
    found.extend(exception(line));
    found.extend(command(line));
    found.extend(result(line).into_iter().flatten());
    if is_result {
        found.extend(emask());
    }
    found.extend(names(line));
    found.extend(interrupt(line));
    found.extend(link(line));
    found
}

fn libata_bits(register: &str, line: &str, of: fn(u32) -> Vec<(u32, &'static str)>) -> Vec<String> {
    let value = number_behind(line, &[&format!("{register} ")]).and_then(|value| u32::try_from(value).ok());
    let bits = value.map(of).unwrap_or_default();
    bits.iter().map(|(bit, meaning)| format!("{register} {bit:#x}: {meaning}")).collect()
}

/// `exception Emask 0x10 SAct 0x0 SErr 0xd0000 action 0xe frozen`.
fn exception(line: &str) -> Vec<String> {
    let mut found = Vec::new();
    let number = |words: &[&str]| number_behind(line, words).and_then(|value| u32::try_from(value).ok());
    if let Some(tags) = number(&["SAct "]).filter(|value| *value != 0) {
        found.push(queued(tags));
    }
    if let Some(value) = number(&["SErr ", "SError: 0x"]) {
        found.extend(sentences("SError", &serr(value)));
    }
    if line.contains("exception ") {
        let actions = number(&["action "]).map(libata::action).unwrap_or_default();
        found.extend(actions.iter().map(|meaning| format!("action: {meaning}")));
        if line.split_whitespace().any(|word| word == "frozen") {
            found.push("frozen: the port takes no commands until the error is handled".to_owned());
        }
    }
    found
}

fn queued(tags: u32) -> String {
    let numbers: Vec<String> =
        (0..32).filter(|tag| tags >> tag & 1 == 1).map(|tag: u32| tag.to_string()).collect();
    match numbers.as_slice() {
        [one] => format!("SAct: 1 queued command was under way (tag {one})"),
        all => format!("SAct: {} queued commands were under way (tags {})", all.len(), all.join(", ")),
    }
}

/// `cmd 60/08:a0:a0:86:01/00:00:00:00:00/40 tag 20 ncq dma 4096 in`.
fn command(line: &str) -> Option<String> {
    let taskfile = Taskfile::behind(line, "cmd ")?;
    let command = ata_command(taskfile.first)?;
    let of = |sectors| format!("cmd: {} of {sectors} sectors from LBA {}", command.name, taskfile.lba);
    Some(match command.sectors {
        Sectors::None => format!("cmd: {}", command.name),
        Sectors::Count => of(sectors(taskfile.count)),
        // A queued command has its tag in the place of the count.
        Sectors::Feature => of(sectors(taskfile.second)),
    })
}

/// A count of sectors, in which 0 stands for the most.
fn sectors(count: u16) -> u32 {
    if count == 0 { 65_536 } else { u32::from(count) }
}

/// `res 51/40:08:a3:86:01/00:00:00:00:00/40`: status, error, and where the error is.
fn result(line: &str) -> Option<Vec<String>> {
    let taskfile = Taskfile::behind(line, "res ")?;
    let (status, error) = (taskfile.first, (taskfile.second & 0xff) as u8);
    let mut found = sentences("status", &ata_status(status));
    let errors = ata_error(error);
    found.extend(sentences("error", &errors));
    if errors.iter().any(|bit| ["UNC", "IDNF"].contains(&bit.name)) {
        found.push(format!("res: LBA {} is the first with the error", taskfile.lba));
    }
    Some(found)
}

/// The registers that libata prints of a command or of its result.
struct Taskfile {
    /// The command, or the status.
    first: u8,
    /// The features, or the error, with the high byte of a 48-bit command.
    second: u16,
    count: u16,
    lba: u64,
}

impl Taskfile {
    /// `C/F:N:L:M:H/F:N:L:M:H/D` in hexadecimal: command, low bytes, high bytes, device.
    fn behind(line: &str, word: &str) -> Option<Taskfile> {
        let text = match line.trim_start().strip_prefix(word) {
            Some(rest) => rest,
            None => line.split_once(&format!(" {word}"))?.1,
        };
        let mut parts = text.split_whitespace().next()?.split('/');
        let first = u8::from_str_radix(parts.next()?, 16).ok()?;
        let (low, high) = (bytes(parts.next()?)?, bytes(parts.next()?)?);
        let device = hexadecimal(parts.next()?)?;
        let address = [high[4], high[3], high[2], low[4], low[3], low[2]];
        let mut lba = address.into_iter().fold(0, |lba, byte| lba << 8 | u64::from(byte));
        let word = |place: usize| u16::from(high[place]) << 8 | u16::from(low[place]);
        // A 28-bit command has the highest bits of its address in the device register, and no high bytes.
        if high == [0; 5] && ata_command(first).is_some_and(|command| command.is_28_bit) {
            lba |= (device & 0xf) << 24;
        }
        Some(Taskfile { first, second: word(0), count: word(1), lba })
    }
}

fn bytes(text: &str) -> Option<[u8; 5]> {
    let bytes: Vec<u8> =
        text.split(':').map(|byte| u8::from_str_radix(byte, 16)).collect::<Result<_, _>>().ok()?;
    bytes.try_into().ok()
}

/// The names that libata prints in braces.
fn names(line: &str) -> Vec<String> {
    let registers: [(&str, &str, Vec<Bit>); 3] = [
        ("SError", "SError: {", serr(u32::MAX)),
        ("status", "status: {", ata_status(u8::MAX)),
        ("error", "error: {", ata_error(u8::MAX)),
    ];
    let sentence = |register: &str, bits: &[Bit], name: &str| {
        let bit = bits.iter().find(|bit| bit.name == name)?;
        Some(format!("{register} {}: {}", bit.name, bit.meaning))
    };
    let mut found = Vec::new();
    for (register, word, bits) in registers {
        found.extend(names_behind(line, word).filter_map(|name| sentence(register, &bits, name)));
    }
    found
}

/// `irq_stat 0x00400000, PHY RDY changed`.
fn interrupt(line: &str) -> Vec<String> {
    let value = number_behind(line, &["irq_stat "]).and_then(|value| u32::try_from(value).ok());
    let Some(value) = value else { return Vec::new() };
    let mut found = sentences("irq_stat", &ahci_interrupt(value));
    let said = AHCI_WORDS.iter().filter(|(words, _)| line.contains(words));
    found.extend(said.map(|(words, meaning)| format!("{words}: {meaning}")));
    found
}

/// `(SStatus 133 SControl 300)`, hexadecimal without a sign (Serial ATA revision 3.5, 14.1.1).
fn link(line: &str) -> Option<String> {
    let status = hexadecimal(line.split_once("(SStatus ")?.1)?;
    let device = match status & 0xf {
        0 => "no device is there",
        1 => "a device is there and does not answer",
        3 => "a device is there and answers",
        4 => "the port is switched off",
        _ => "reserved",
    };
    let speed = match status >> 4 & 0xf {
        0 => "no speed",
        1 => "1.5 Gbit/s",
        2 => "3.0 Gbit/s",
        3 => "6.0 Gbit/s",
        _ => "reserved",
    };
    let power = match status >> 8 & 0xf {
        0 => "not active",
        1 => "active",
        2 => "partial (asleep)",
        6 => "slumber (asleep)",
        8 => "device sleep",
        _ => "reserved",
    };
    Some(format!("SStatus: {device}, {speed}, {power}"))
}
