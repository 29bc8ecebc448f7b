//! Streams as a test makes and proves them, without a line of the recorder's own code.

use std::path::Path;

use serde_json::Value;

use super::{drivelab, text};

/// `SplitMix64` of Steele, Lea and Flood.
fn mixed(state: u64) -> u64 {
    let mut word = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

/// Expects every byte of a synthetic frame to be the one that channel and number say.
#[track_caller]
pub fn assert_synthetic(frame: &[u8], seed: u64, channel: u64, sequence: u64) {
    let key = mixed(mixed(seed) ^ channel);
    let word = |at: usize| u64::from_le_bytes(frame[at..at + 8].try_into().expect("eight bytes"));
    let phase = usize::try_from(word(8)).expect("a phase");
    assert!(phase < 4096);
    let header = [u64::from_le_bytes(*b"DLSYNTH1"), phase as u64, key, sequence, frame.len() as u64];
    let sum = header.iter().fold(0, |sum, word| mixed(sum ^ word));
    for (index, expected) in header.iter().chain([&sum]).enumerate() {
        assert_eq!(word(index * 8), *expected, "word {index} of frame {sequence}");
    }
    let page: Vec<u8> = (0..512).flat_map(|number| mixed(key ^ number).to_le_bytes()).collect();
    let mut at = 48;
    while at < frame.len() {
        if (phase + at).is_multiple_of(4096) && at + 16 <= frame.len() {
            let first = mixed(key ^ mixed(sequence)).wrapping_add(at as u64);
            assert_eq!((word(at), word(at + 8)), (first, mixed(first)), "page at {at} of frame {sequence}");
            at += 16;
            continue;
        }
        // As far as the page's place goes on undisturbed.
        let end = (at + 4096 - (phase + at) % 4096).min(frame.len());
        let place = (phase + at) % 4096;
        let expected = &page[place..place + (end - at)];
        assert!(frame[at..end] == *expected, "bytes {at} to {end} of frame {sequence}");
        at = end;
    }
}

/// A frame whose bytes follow from its number, with its length before it.
pub fn with_length(sequence: u64, length: usize) -> Vec<u8> {
    let length_bytes = u32::try_from(length).expect("a length").to_le_bytes();
    length_bytes.into_iter().chain(body(sequence, length)).collect()
}

/// The bytes of such a frame.
pub fn body(sequence: u64, length: usize) -> Vec<u8> {
    (0_u64..).flat_map(|word| mixed(sequence << 32 ^ word).to_le_bytes()).take(length).collect()
}

/// A JPEG picture as far as its markers go: a thumbnail in a segment, and data in which no marker is.
pub fn picture(sequence: u64, length: usize) -> Vec<u8> {
    let mut bytes = vec![0xff, 0xd8, 0xff, 0xe1, 0, 12, 0xff, 0xd8, 1, 2, 3, 4, 0xff, 0xd9, 0, 0];
    bytes.extend([0xff, 0xda, 0, 4, 1, 2]);
    for byte in body(sequence, length) {
        bytes.push(byte);
        if byte == 0xff {
            bytes.push(0);
        }
    }
    bytes.extend([0xff, 0xd9]);
    bytes
}

/// The numbers of the frames that were extracted of a channel, in order, and their files.
pub fn extracted(folder: &Path, channel: &str) -> Vec<(u64, std::path::PathBuf)> {
    let folder = folder.join(channel);
    // One without a frame has no folder.
    let entries = folder.is_dir().then(|| std::fs::read_dir(&folder).expect("the channel's folder"));
    let mut found: Vec<_> = entries
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| {
            let name = entry.file_name().to_string_lossy().into_owned();
            (name[..10].parse().expect("a number"), entry.path())
        })
        .collect();
    found.sort();
    found
}

/// The last line of each channel in a file of what was kept; a line without an end is none.
pub fn last_kept(file: &Path, channel: &str) -> Option<u64> {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    let whole = &text[..text.rfind('\n').map_or(0, |end| end + 1)];
    let mut of_channel =
        whole.lines().filter_map(|line| line.split_once(' ')).filter(|(name, _)| *name == channel);
    of_channel.next_back().map(|(_, number)| number.parse().expect("a number"))
}

/// What `stream info` says of a target.
pub fn info(target: &Path) -> Value {
    drivelab(&["stream", "info", text(target), "--json"]).with_code(0).json()
}
