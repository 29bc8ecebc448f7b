//! Codes in the lines of the kernel's log.

use crate::{Bit, ata_error, ata_status, nvme_status, serr};

/// What the codes in a line of the kernel's log mean, a sentence each; nothing where it has none that are known.
///
/// Known are libata's `SErr 0x...`, its names in braces behind `SError:`, `status:` and `error:`, `res S1/E1:...` (status
/// and error register), and the `NVMe` driver's `status: 0x...` and `sct 0x... / sc 0x...`.
pub fn meanings(line: &str) -> Vec<String> {
    let mut found = Vec::new();
    if let Some(value) = number_behind(line, &["SErr ", "SError: "]).filter(|value| *value != 0) {
        found.extend(sentences("SError", &serr(u32::try_from(value).unwrap_or(u32::MAX))));
    }
    if let Some((status, error)) = result_registers(line) {
        found.extend(sentences("status", &ata_status(status)));
        found.extend(sentences("error", &ata_error(error)));
    }
    if let Some(status) = nvme_of(line) {
        let status = nvme_status(status);
        found.push(format!("NVMe: {} ({})", status.name, status.kind_name));
        if line.contains(" DNR") {
            found.push("NVMe DNR: do not retry, the same command would fail again".to_owned());
        }
    }
    for (register, word, bits) in [
        ("SError", "SError: {", serr(u32::MAX)),
        ("status", "status: {", ata_status(u8::MAX)),
        ("error", "error: {", ata_error(u8::MAX)),
    ] {
        found.extend(names_behind(line, word).filter_map(|name| {
            let bit = bits.iter().find(|bit| bit.name == name)?;
            Some(format!("{register} {}: {}", bit.name, bit.meaning))
        }));
    }
    found
}

/// The names in braces behind a word: libata's `status: { DRDY ERR }`.
fn names_behind<'a>(line: &'a str, word: &str) -> impl Iterator<Item = &'a str> {
    let inside =
        line.split_once(word).and_then(|(_, rest)| rest.split_once('}')).map_or("", |(names, _)| names);
    inside.split_whitespace()
}

fn sentences(register: &str, bits: &[Bit]) -> Vec<String> {
    bits.iter().map(|bit| format!("{register} {}: {}", bit.name, bit.meaning)).collect()
}

/// The hexadecimal number behind the first of these words, with or without `0x`.
fn number_behind(line: &str, words: &[&str]) -> Option<u64> {
    let rest = words.iter().find_map(|word| line.split_once(word))?.1;
    hexadecimal(rest.strip_prefix("0x").unwrap_or(rest))
}

fn hexadecimal(text: &str) -> Option<u64> {
    let end = text.find(|sign: char| !sign.is_ascii_hexdigit()).unwrap_or(text.len());
    u64::from_str_radix(&text[..end], 16).ok()
}

/// The first two bytes of libata's result taskfile: `res 51/40:00:...`.
fn result_registers(line: &str) -> Option<(u8, u8)> {
    let rest = line.trim_start().strip_prefix("res ").or_else(|| Some(line.split_once(" res ")?.1))?;
    let (status, rest) = rest.split_once('/')?;
    let error = rest.split(':').next()?;
    Some((u8::from_str_radix(status, 16).ok()?, u8::from_str_radix(error, 16).ok()?))
}

fn nvme_of(line: &str) -> Option<u16> {
    if !line.contains("nvme") {
        return None;
    }
    let pair = number_behind(line, &["sct "]).zip(number_behind(line, &["sc "]));
    let field = match pair {
        Some((kind, code)) => Some(kind << 8 | code),
        None => number_behind(line, &["status: ", "status "]),
    };
    u16::try_from(field?).ok().filter(|field| *field != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_the_kernel_are_explained() {
        let lost = "ata3.00: exception Emask 0x10 SAct 0x7 SErr 0xd0000 action 0xe frozen";
        let found = meanings(lost).join("; ");
        assert!(found.contains("PHYRdyChg") && found.contains("CommWake"), "{found}");
        let unreadable = "         res 51/40:00:00:00:00/00:00:00:00:00/00 Emask 0x409 (media error) <F>";
        let found = meanings(unreadable).join("; ");
        assert!(found.contains("status ERR") && found.contains("error UNC"), "{found}");
        let media = "nvme0n1: I/O Cmd(0x2) @ LBA 2056, 8 blocks, I/O Error (sct 0x2 / sc 0x81) DNR ";
        let found = meanings(media);
        assert_eq!(found[0], "NVMe: Unrecovered Read Error (media and data integrity errors)");
        assert!(found[1].starts_with("NVMe DNR"), "{found:?}");
        let named = meanings("ata3: SError: { UnrecovData Proto HostInt BadCRC }");
        assert_eq!(named.len(), 4, "{named:?}");
        assert_eq!(meanings("ata3.00: status: { DRDY ERR }").len(), 2);
        assert_eq!(meanings("ata3.00: error: { UNC ICRC }").len(), 2);
        assert_eq!(meanings("nvme nvme0: I/O 5 QID 1 timeout, aborting"), Vec::<String>::new());
        assert_eq!(meanings("ata3: SError: { }"), Vec::<String>::new());
        assert_eq!(meanings("res 51"), Vec::<String>::new());
    }
}
