//! What synthetic frames hold: anybody who knows a channel's key can say every byte of them.
//!
//! A ring is filled once with a page of keyed random bytes over and over. A frame is then made by stamping: 48 bytes
//! at its beginning (`DLSYNTH1`, phase, key, number, length, and a sum of these) and 16 bytes at each beginning of
//! a page of the block's payload that lies in it behind them. So a frame costs a few thousandths of its bytes, no
//! two pages are alike, and the byte `x` of a frame whose phase is `p` is that of place `(p + x) mod 4096` of the
//! page, except where a stamp is. The phase is the place of its first byte in a page.

use std::io::IoSliceMut;

use crate::layout::{BlockHeader, HEADER_BYTES};

const PAGE: usize = 4096;
const MAGIC: u64 = u64::from_le_bytes(*b"DLSYNTH1");
/// The length of the stamp at a frame's beginning, and so the least length of a synthetic frame, in bytes.
pub const FRAME_STAMP: usize = 48;
const PAGE_STAMP: usize = 16;

/// Steele, Lea and Flood's `SplitMix64`: the number behind `state`.
fn mixed(state: u64) -> u64 {
    let mut word = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

/// The key of a channel.
pub fn key(seed: u64, channel: u16) -> u64 {
    mixed(mixed(seed) ^ u64::from(channel))
}

/// The page that a ring is filled with: its word `i` is the mix of key and `i`.
fn page(key: u64) -> [u8; PAGE] {
    let mut page = [0; PAGE];
    for (number, word) in (0_u64..).zip(page.chunks_exact_mut(8)) {
        word.copy_from_slice(&mixed(key ^ number).to_le_bytes());
    }
    page
}

/// Makes a buffer ready for frames: a new one is filled; in one that was used, only what was stamped is made good.
pub fn dress(buffer: &mut [u8], key: u64) {
    let page = page(key);
    let (header, payload) = buffer.split_at_mut(HEADER_BYTES);
    let Ok(last) = BlockHeader::parse(header) else {
        for part in payload.chunks_mut(PAGE) {
            part.copy_from_slice(&page[..part.len()]);
        }
        return;
    };
    for part in payload.chunks_mut(PAGE) {
        part[..PAGE_STAMP].copy_from_slice(&page[..PAGE_STAMP]);
    }
    // A stamp that was cut by a block's end goes on at the beginning of the next.
    let starts = last.frames.iter().map(|frame| frame.offset as usize);
    for start in std::iter::once(0).chain(starts) {
        let end = (start + FRAME_STAMP).min(payload.len());
        for at in start.min(end)..end {
            payload[at] = page[at % PAGE];
        }
    }
}

/// The stamp at a frame's beginning.
fn frame_stamp(key: u64, phase: usize, sequence: u64, length: usize) -> [u8; FRAME_STAMP] {
    let words = [MAGIC, phase as u64, key, sequence, length as u64];
    let sum = words.iter().fold(0, |sum, word| mixed(sum ^ word));
    let mut stamp = [0; FRAME_STAMP];
    for (bytes, word) in stamp.chunks_exact_mut(8).zip(words.iter().chain([&sum])) {
        bytes.copy_from_slice(&word.to_le_bytes());
    }
    stamp
}

/// The stamp at a page's beginning, `at` bytes into a frame.
fn page_stamp(key: u64, sequence: u64, at: usize) -> [u8; PAGE_STAMP] {
    let first = mixed(key ^ mixed(sequence)).wrapping_add(at as u64);
    let mut stamp = [0; PAGE_STAMP];
    stamp[..8].copy_from_slice(&first.to_le_bytes());
    stamp[8..].copy_from_slice(&mixed(first).to_le_bytes());
    stamp
}

/// Where in a frame of this phase and length a page begins that has room for a stamp.
fn page_starts(phase: usize, length: usize) -> impl Iterator<Item = usize> {
    let first = (PAGE - phase) % PAGE;
    (first..length).step_by(PAGE).filter(move |at| *at >= FRAME_STAMP && at + PAGE_STAMP <= length)
}

/// Stamps a frame into the areas that it lies in, whose first byte is at `position` of a block's payload.
pub fn stamp(areas: &mut [IoSliceMut<'_>], key: u64, position: usize, sequence: u64) {
    let length = areas.iter().map(|area| area.len()).sum();
    let phase = position % PAGE;
    let mut start = 0;
    let frame = frame_stamp(key, phase, sequence, length);
    for area in areas.iter_mut() {
        let end = start + area.len();
        if start < FRAME_STAMP {
            let part = &frame[start..FRAME_STAMP.min(end)];
            area[..part.len()].copy_from_slice(part);
        }
        start = end;
    }
    // A page never lies across two areas: a block's payload is whole pages.
    let mut starts = page_starts(phase, length).peekable();
    let mut start = 0;
    for area in areas {
        let end = start + area.len();
        while let Some(at) = starts.next_if(|at| *at < end) {
            area[at - start..][..PAGE_STAMP].copy_from_slice(&page_stamp(key, sequence, at));
        }
        start = end;
    }
}

/// What is wrong with a synthetic frame; nothing where every byte is as it was made.
///
/// # Errors
/// The first difference in words.
pub fn verify(frame: &[u8], key: u64, sequence: u64) -> Result<(), String> {
    if frame.len() < FRAME_STAMP {
        return Err(format!("{} bytes are no synthetic frame", frame.len()));
    }
    let word =
        |at: usize| frame.get(at..at + 8).and_then(|bytes| bytes.try_into().ok()).map(u64::from_le_bytes);
    let phase = word(8).and_then(|phase| usize::try_from(phase).ok()).filter(|phase| *phase < PAGE);
    let phase = phase.ok_or_else(|| "no synthetic frame is here".to_owned())?;
    let mut expected: Vec<u8> = page(key).iter().copied().cycle().skip(phase).take(frame.len()).collect();
    for at in page_starts(phase, frame.len()) {
        expected[at..at + PAGE_STAMP].copy_from_slice(&page_stamp(key, sequence, at));
    }
    expected[..FRAME_STAMP].copy_from_slice(&frame_stamp(key, phase, sequence, frame.len()));
    match frame.iter().zip(&expected).position(|(is, should)| is != should) {
        None => Ok(()),
        Some(at) => Err(format!("byte {at} of {} is not the one that was made", frame.len())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The `SplitMix64` that follows a state of 0, as its authors publish it.
    #[test]
    fn the_mixer_is_splitmix64() {
        let step = 0x9e37_79b9_7f4a_7c15_u64;
        let drawn = [0, step, step.wrapping_mul(2)].map(mixed);
        assert_eq!(drawn, [0xe220_a839_7b1d_cdaf, 0x6e78_9e6a_a1b9_65f4, 0x06c4_5d18_8009_454f]);
        assert_eq!(key(5, 3), mixed(mixed(5) ^ 3));
        assert_ne!(key(5, 3), key(5, 2));
    }

    /// A frame made byte by byte from what the module says of it.
    fn made(key: u64, phase: usize, sequence: u64, length: usize) -> Vec<u8> {
        let byte_of_page = |place: usize| mixed(key ^ (place / 8) as u64).to_le_bytes()[place % 8];
        let mut frame: Vec<u8> = (0..length).map(|at| byte_of_page((phase + at) % 4096)).collect();
        let put = |frame: &mut [u8], at: usize, words: &[u64]| {
            for (number, word) in words.iter().enumerate() {
                frame[at + number * 8..][..8].copy_from_slice(&word.to_le_bytes());
            }
        };
        for at in 48..length.saturating_sub(15) {
            if (phase + at).is_multiple_of(4096) {
                let first = mixed(key ^ mixed(sequence)).wrapping_add(at as u64);
                put(&mut frame, at, &[first, mixed(first)]);
            }
        }
        let words = [u64::from_le_bytes(*b"DLSYNTH1"), phase as u64, key, sequence, length as u64];
        let sum = words.iter().fold(0, |sum, word| mixed(sum ^ word));
        put(&mut frame, 0, &[&words[..], &[sum]].concat());
        frame
    }

    /// Phases and lengths around every border: of the stamp, of a page, of the room for a page's stamp.
    fn shapes() -> impl Iterator<Item = (usize, usize)> {
        let phases = [0, 1, 4_000, 4_032, 4_048, 4_049, 4_095];
        let lengths = [48, 49, 63, 64, 65, 111, 112, 4_095, 4_096, 4_111, 4_112, 4_113, 9_000];
        phases.into_iter().flat_map(move |phase| lengths.map(|length| (phase, length)))
    }

    #[test]
    fn a_frame_is_stamped_as_described_wherever_it_lies_and_however_it_is_cut() {
        for (phase, length) in shapes() {
            for cut in [0, 1, 47, 48, 49, length / 2].into_iter().filter(|cut| *cut <= length) {
                // In the ring a cut is the end of a block, so that pages begin anew behind it only where they would anyway.
                let expected = made(9, phase, 77, length);
                let page = page(9);
                let mut frame: Vec<u8> = (0..length).map(|at| page[(phase + at) % PAGE]).collect();
                let splits_a_stamp = page_starts(phase, length).any(|at| at < cut && cut < at + PAGE_STAMP);
                if splits_a_stamp {
                    continue;
                }
                let (first, second) = frame.split_at_mut(cut);
                stamp(&mut [IoSliceMut::new(first), IoSliceMut::new(second)], 9, 3 * PAGE + phase, 77);
                assert!(frame == expected, "phase {phase}, length {length}, cut at {cut}");
                assert_eq!(verify(&frame, 9, 77), Ok(()));
            }
        }
    }

    #[test]
    fn any_changed_byte_another_key_and_another_number_are_found() {
        let frame = made(9, 4_000, 77, 4_500);
        for at in 0..frame.len() {
            let mut changed = frame.clone();
            changed[at] ^= 0x10;
            assert!(verify(&changed, 9, 77).is_err(), "byte {at}");
        }
        assert!(verify(&frame, 8, 77).is_err() && verify(&frame, 9, 78).is_err());
        assert!(verify(&frame[..4_499], 9, 77).is_err() && verify(&frame[..47], 9, 77).is_err());
        assert!(verify(&[], 9, 77).is_err());
        assert_eq!(verify(&made(9, 0, 1, FRAME_STAMP), 9, 1), Ok(()), "the shortest frame");
        let mut beyond = made(9, 0, 1, 100);
        beyond[8..16].copy_from_slice(&4_096_u64.to_le_bytes());
        assert_eq!(verify(&beyond, 9, 1), Err("no synthetic frame is here".to_owned()));
    }
}
