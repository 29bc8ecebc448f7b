//! One thing that happened to a request, before it is known what else did.

use drivelab_block::{DeviceId, Extent, IoFlags, Op, ProcessId, Status};

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

/// The operation and the hints that the kernel's `rwbs` letters stand for; `None` for a passthrough command
/// or for letters that mean nothing.
///
/// An `F` before the operation is a flush of the cache before it (`REQ_PREFLUSH`), one behind it is `REQ_FUA`.
#[must_use]
pub fn parse_rwbs(letters: &[u8], is_empty: bool) -> Option<(Op, IoFlags)> {
    let (preflush, rest) = match letters {
        [b'F', rest @ ..] if matches!(rest.first(), Some(b'R' | b'W' | b'D' | b'F')) => (true, rest),
        _ => (false, letters),
    };
    let (first, hints) = rest.split_first()?;
    let op = match first {
        b'F' => Op::Flush,
        b'R' => Op::Read,
        // A write of nothing is how a file system asks for a flush.
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
    Some((op, flags))
}

/// The letters of an operation and its hints, as the kernel prints them.
#[must_use]
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
            let (op, flags) = parse_rwbs(letters.as_bytes(), false).expect("letters of the kernel");
            assert_eq!(rwbs(op, flags), letters);
        }
        assert_eq!(parse_rwbs(b"FWS", true).map(|(op, _)| op), Some(Op::Flush));
        assert_eq!(parse_rwbs(b"N", false), None);
        assert_eq!(parse_rwbs(b"", false), None);
    }
}
