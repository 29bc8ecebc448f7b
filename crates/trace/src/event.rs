//! One thing that happened to a request, before it is known what else did.

use drivelab_block::{DeviceId, Extent, IoFlags, Op, ProcessId, Sector, SectorCount, Status};

/// The last sector of 8 EiB: no drive is larger.
const LAST_SECTOR: u64 = (1 << 54) - 1;

/// An extent of 512-byte sectors; `None` where it is longer than a request can be, or ends where no drive does.
#[inline]
pub fn extent(start: u64, sectors: u64) -> Option<Extent> {
    start.checked_add(sectors).filter(|end| *end <= LAST_SECTOR)?;
    Some(Extent { start: Sector::new(start), length: SectorCount::new(u32::try_from(sectors).ok()?) })
}

/// What happened; the letters are blktrace's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// It was asked for (Q).
    Queued,
    /// It became the end of a request that was there already (M).
    Merged,
    /// It became the beginning of one (F), which begins where it does from then on.
    MergedInFront,
    /// It was issued to the device (D).
    Issued,
    /// The device's driver gave it back, to be issued again (R).
    Requeued,
    /// It completed (C).
    Completed,
    /// What asked for a flush ended with that flush (C, of a write of nothing): the block layer issues a request of its own for
    /// the flushes of several, and ends theirs after it.
    Answered,
}

/// One event.
#[derive(Clone, Copy, Debug)]
pub struct Event {
    /// When, in nanoseconds on the source's clock.
    pub at: u64,
    /// What happened.
    pub what: What,
    /// To which device.
    pub device: DeviceId,
    /// Where; of length 0 for a flush.
    pub extent: Extent,
    /// What was asked.
    pub op: Op,
    /// With which hints.
    pub flags: IoFlags,
    /// Who was running: the one who asked, for a queued or issued event.
    pub process: ProcessId,
    /// How it ended, for a completion.
    pub status: Status,
}

/// What the kernel says of a request apart from its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Named {
    /// What was asked.
    pub op: Op,
    /// With which hints.
    pub flags: IoFlags,
    /// Whether it is a write of nothing, which is how a file system asks for a flush.
    pub is_empty_write: bool,
}

impl Named {
    /// What an event of this request means.
    ///
    /// The block layer takes the mark of a flush off a write of nothing before it waits for the flush, and puts it on the flush,
    /// which it issues (`block/blk-flush.c`): a write of nothing without it was never issued.
    pub fn meaning(self, what: What) -> What {
        let has_asked = self.is_empty_write && !self.flags.contains(IoFlags::PREFLUSH);
        if what == What::Completed && has_asked { What::Answered } else { what }
    }

    /// Where it is. A flush has no place (its sector is 0 or -1); what asked for one has that of the write that the flush is a
    /// part of, if any.
    pub fn extent(self, start: u64, sectors: u64) -> Option<Extent> {
        let has_place = sectors > 0 || (self.is_empty_write && start != u64::MAX);
        extent(if has_place { start } else { 0 }, sectors)
    }
}

/// What the kernel's `rwbs` letters stand for; `None` for a passthrough command or for letters that mean nothing.
///
/// An `F` before the operation is a flush of the cache before it (`REQ_PREFLUSH`), one behind it is `REQ_FUA`. A flush itself is
/// `FF`, and `FN` where the letters are blkparse's, which writes `N` for what moves no data.
pub fn parse_rwbs(letters: &[u8], is_empty: bool) -> Option<Named> {
    let (preflush, rest) = match letters {
        [b'F', rest @ ..] if matches!(rest.first(), Some(b'R' | b'W' | b'D' | b'F' | b'N')) => (true, rest),
        _ => (false, letters),
    };
    let (first, hints) = rest.split_first()?;
    let is_empty_write = *first == b'W' && is_empty;
    let op = match first {
        b'F' => Op::Flush,
        b'N' if preflush => Op::Flush,
        b'R' => Op::Read,
        b'W' if is_empty => Op::Flush,
        b'W' => Op::Write,
        b'D' => Op::Discard,
        _ => return None,
    };
    let mut flags = if preflush { IoFlags::PREFLUSH } else { IoFlags::NONE };
    for hint in hints {
        flags = flags.with(match hint {
            b'F' => IoFlags::FUA,
            b'A' => IoFlags::READ_AHEAD,
            b'S' => IoFlags::SYNC,
            b'M' => IoFlags::METADATA,
            // Secure erase and atomic writes: nothing that a trace has to know.
            b'E' | b'U' => IoFlags::NONE,
            _ => return None,
        });
    }
    Some(Named { op, flags, is_empty_write })
}

/// The letters of an operation and its hints, as the kernel prints them.
pub fn rwbs(op: Op, flags: IoFlags) -> String {
    let mut letters = String::new();
    if flags.contains(IoFlags::PREFLUSH) {
        letters.push('F');
    }
    letters.push(match op {
        Op::Read => 'R',
        Op::Write => 'W',
        Op::Discard => 'D',
        Op::Flush => 'F',
    });
    let hints =
        [(IoFlags::FUA, 'F'), (IoFlags::READ_AHEAD, 'A'), (IoFlags::SYNC, 'S'), (IoFlags::METADATA, 'M')];
    letters.extend(hints.iter().filter(|(flag, _)| flags.contains(*flag)).map(|(_, letter)| letter));
    letters
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_come_back_as_they_were() {
        for letters in ["R", "RA", "W", "WS", "WFS", "FWFS", "D", "FF", "WSM", "RAM"] {
            let named = parse_rwbs(letters.as_bytes(), false).expect("letters of the kernel");
            assert_eq!(rwbs(named.op, named.flags), letters);
        }
        assert_eq!(parse_rwbs(b"FWS", true).map(|named| named.op), Some(Op::Flush));
        assert_eq!(parse_rwbs(b"N", false), None);
        assert_eq!(parse_rwbs(b"", false), None);
    }

    #[test]
    fn a_write_of_nothing_that_ends_was_answered_by_a_flush() {
        for (letters, is_empty, meaning) in [
            ("WS", true, What::Answered),
            ("WS", false, What::Completed),
            ("FWS", true, What::Completed),
            ("FF", true, What::Completed),
        ] {
            let named = parse_rwbs(letters.as_bytes(), is_empty).expect("letters of the kernel");
            assert_eq!(named.meaning(What::Completed), meaning, "{letters}");
            assert_eq!(named.meaning(What::Issued), What::Issued, "{letters}");
        }
        let start = |letters: &[u8], start| {
            let named = parse_rwbs(letters, true).expect("letters of the kernel");
            named.extent(start, 0).map(|extent| extent.start.get())
        };
        assert_eq!(
            (start(b"FF", u64::MAX), start(b"WS", u64::MAX), start(b"WS", 32_788)),
            (Some(0), Some(0), Some(32_788))
        );
    }
}
