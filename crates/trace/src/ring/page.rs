//! The events of one page.
//!
//! Source: the kernel's `Documentation/trace/ring-buffer-design.rst`, and tracefs' own `header_page` and
//! `header_event`: a time stamp, the bytes in use with two flags, then events whose first word holds five bits of
//! type or length and 27 bits of time since the event before.

use std::ops::Range;

use super::PAGE_BYTES;

const HEADER: usize = 16;
/// In the bytes in use: events were lost before this page, and their number follows its last event.
const LOST: u64 = 1 << 31;
const LOST_IS_STORED: u64 = 1 << 30;
const IN_USE: u64 = (1 << 20) - 1;

/// Types of events that are none.
const PADDING: u32 = 29;
const TIME_EXTEND: u32 = 30;
const TIME_STAMP: u32 = 31;
/// The bits of an absolute time; the rest is that of the time before.
const STAMP: u64 = (1 << 59) - 1;
/// The bits of time in an event's first word.
const DELTA_BITS: u32 = 27;

/// A page, and how far it was read.
#[derive(Clone, Debug)]
pub struct RingPage {
    pub bytes: Box<[u8; PAGE_BYTES]>,
    position: usize,
    end: usize,
    now: u64,
    lost: u64,
}

impl Default for RingPage {
    /// One without events.
    fn default() -> RingPage {
        RingPage { bytes: Box::new([0; PAGE_BYTES]), position: 0, end: 0, now: 0, lost: 0 }
    }
}

/// Whether a file may begin with a page: it has a time after the machine's start, and is neither empty nor longer than a page.
pub fn may_be_page(start: &[u8]) -> bool {
    let word = |at: usize| start.get(at..)?.first_chunk().map(|bytes| u64::from_ne_bytes(*bytes));
    let (Some(time), Some(commit)) = (word(0), word(8)) else { return false };
    let known = commit & !(LOST | LOST_IS_STORED);
    start.len() >= PAGE_BYTES && time > 0 && (1..=(PAGE_BYTES - HEADER) as u64).contains(&known)
}

impl RingPage {
    /// A page as it was read; the error is a few words.
    pub fn new(bytes: Box<[u8; PAGE_BYTES]>) -> Result<RingPage, &'static str> {
        let word = |at: usize| bytes[at..].first_chunk().map_or(0, |bytes| u64::from_ne_bytes(*bytes));
        let (now, commit) = (word(0), word(8));
        let length = usize::try_from(commit & IN_USE).unwrap_or(usize::MAX);
        let end = HEADER + length;
        if end > PAGE_BYTES {
            return Err("it says that more is in use than there is");
        }
        let lost = match (commit & LOST != 0, commit & LOST_IS_STORED != 0) {
            (false, _) => 0,
            (true, true) if end + 8 <= PAGE_BYTES => word(end),
            // At least one: the kernel did not say how many.
            (true, _) => 1,
        };
        Ok(RingPage { bytes, position: HEADER, end, now, lost })
    }

    /// Events that were lost before this page; told once.
    pub fn take_lost(&mut self) -> u64 {
        std::mem::take(&mut self.lost)
    }

    /// The next event's time, and where its bytes are; `None` at the page's end. The error is a few words.
    pub fn next(&mut self) -> Result<Option<(u64, Range<usize>)>, &'static str> {
        while self.position + 4 <= self.end {
            let word = self.word(self.position);
            let (kind, delta) = (word & 31, u64::from(word >> 5));
            let start = self.position + 4;
            match kind {
                PADDING if delta == 0 => break,
                PADDING => {
                    // An event that was discarded: the next one counts from it. The kernel makes a delta of 0 one of 1.
                    self.now = self.now.wrapping_add(if delta > 1 { delta } else { 0 });
                    self.position = start + self.length(start)?;
                }
                TIME_EXTEND => {
                    self.now = self.now.wrapping_add(delta + self.high(start)?);
                    self.position = start + 4;
                }
                TIME_STAMP => {
                    let stamp = delta + self.high(start)?;
                    self.now = (self.now & !STAMP) | (stamp & STAMP);
                    self.position = start + 4;
                }
                0 => {
                    let length = self.length(start)?;
                    return self.event(delta, start + 4, start + length).map(Some);
                }
                words => return self.event(delta, start, start + 4 * words as usize).map(Some),
            }
        }
        self.position = self.end;
        Ok(None)
    }

    fn event(&mut self, delta: u64, start: usize, next: usize) -> Result<(u64, Range<usize>), &'static str> {
        if next > self.end || next < start {
            return Err("an event goes beyond its end");
        }
        self.now = self.now.wrapping_add(delta);
        self.position = next.next_multiple_of(4);
        Ok((self.now, start..next))
    }

    fn word(&self, at: usize) -> u32 {
        self.bytes[at..].first_chunk().map_or(0, |bytes| u32::from_ne_bytes(*bytes))
    }

    /// The length in the word at `at`, of what follows the event's first word.
    fn length(&self, at: usize) -> Result<usize, &'static str> {
        let length = if at + 4 <= self.end { self.word(at) as usize } else { 0 };
        if length < 4 || at + length > self.end { Err("an event goes beyond its end") } else { Ok(length) }
    }

    /// The upper part of a time, in the word at `at`.
    fn high(&self, at: usize) -> Result<u64, &'static str> {
        if at + 4 > self.end {
            return Err("a time goes beyond its end");
        }
        Ok(u64::from(self.word(at)) << DELTA_BITS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A page of these words after its header.
    fn page(now: u64, flags: u64, words: &[u32]) -> RingPage {
        let mut bytes = [0; PAGE_BYTES];
        bytes[..8].copy_from_slice(&now.to_ne_bytes());
        let commit = (words.len() as u64 * 4) | flags;
        bytes[8..16].copy_from_slice(&commit.to_ne_bytes());
        for (place, word) in bytes[16..].chunks_exact_mut(4).zip(words) {
            place.copy_from_slice(&word.to_ne_bytes());
        }
        RingPage::new(Box::new(bytes)).expect("a page")
    }

    #[test]
    fn times_add_up() {
        let words = [
            (5 << 5) | 1, // 5 ns later: one word of data
            77,
            (3 << 5) | TIME_EXTEND, // 3 + 2^27 ns later
            1,
            0, // at the same time: a length of 8, one word of data
            8,
            78,
            PADDING, // the end
        ];
        let mut page = page(1_000, 0, &words);
        assert_eq!(page.next(), Ok(Some((1_005, 20..24))));
        assert_eq!(page.bytes[20..24], 77u32.to_ne_bytes());
        assert_eq!(page.next(), Ok(Some((1_008 + (1 << 27), 40..44))));
        assert_eq!(page.bytes[40..44], 78u32.to_ne_bytes());
        assert_eq!(page.next(), Ok(None));
        assert_eq!(page.take_lost(), 0);
    }

    #[test]
    fn lost_events_are_told_once() {
        let mut page = page(0, LOST, &[(1 << 5) | 1, 0]);
        assert_eq!((page.take_lost(), page.take_lost()), (1, 0));
    }

    proptest! {
        #[test]
        fn any_page_comes_to_an_end(bytes in proptest::collection::vec(any::<u8>(), PAGE_BYTES), length in 0u64..4096) {
            let mut bytes: [u8; PAGE_BYTES] = bytes.try_into().expect("a page");
            bytes[8..16].copy_from_slice(&length.to_ne_bytes());
            if let Ok(mut page) = RingPage::new(Box::new(bytes)) {
                for _ in 0..PAGE_BYTES {
                    if !matches!(page.next(), Ok(Some(_))) {
                        return Ok(());
                    }
                }
                prop_assert!(false, "a page has fewer events than bytes");
            }
        }
    }
}
