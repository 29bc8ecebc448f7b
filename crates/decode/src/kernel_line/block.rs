//! Lines of the block layer (`block/blk-mq.c`).

use super::text::{decimal, word_behind};

/// `critical medium error, dev sda, sector 100003 op 0x0:(READ) flags ...`.
pub(super) fn meanings(line: &str) -> Option<String> {
    let rest = line.split_once(" error, dev ")?.1;
    let device = rest.split(',').next()?;
    let sector = decimal(rest.split_once(", sector ")?.1)?;
    let verb = match word_behind(rest, ":(").map(|word| word.trim_end_matches(')')) {
        Some("READ") => "a read",
        Some("WRITE") => "a write",
        Some("DISCARD") => "a discard",
        Some("FLUSH") => "a flush",
        Some("WRITE_ZEROES") => "a write of zeros",
        _ => "a request",
    };
    Some(format!("{verb} of {device} failed at sector {sector} (of 512 bytes)"))
}
