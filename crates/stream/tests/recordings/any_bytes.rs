//! Decoders and the whole reader take any bytes: nonsense is told, and never a panic or a wrong frame.

use crate::support::{BLOCK, PLACE, Silent, folder, plan, proved_frames, run, synthetic};
use drivelab_stream::layout::{
    BlockHeader, ChannelEntry, ExpectedBlock, FrameEntry, HEADER_BYTES, Index, IndexEntry, RunId,
    StreamFraming, StreamMode, Superblock, crc32c,
};
use drivelab_stream::reader::{Chart, Recording, check};
use proptest::collection::vec;
use proptest::prelude::*;

fn superblock() -> impl Strategy<Value = Superblock> {
    let numbers = (any::<u64>(), any::<[u8; 16]>(), 1_u32..64, 1_u64..1 << 40, any::<bool>(), any::<bool>());
    let more = (1_u32..1000, 0_u32..64, 0_u32..256, any::<u64>(), proptest::option::of(0_u64..1 << 50));
    (numbers, more, vec("[a-z]{1,62}", 1..32)).prop_map(|(numbers, more, names)| {
        let (generation, run, blocks, log_blocks, is_cyclic, is_closed) = numbers;
        let (index_interval, in_flight, window, started_unix_ns, last_index) = more;
        let framing = if is_closed { StreamFraming::Mjpeg } else { StreamFraming::Length };
        Superblock {
            generation,
            run: RunId(run),
            block_bytes: blocks << 16,
            log_start: u64::from(blocks) << 16,
            log_blocks,
            shape: if is_cyclic { StreamMode::Cyclic } else { StreamMode::Linear },
            is_closed,
            index_interval,
            in_flight,
            window,
            started_unix_ns,
            // A linear log has no block behind its last place.
            last_index: last_index.map(|last| if is_cyclic { last } else { last % log_blocks }),
            channels: names.into_iter().map(|name| ChannelEntry { name, framing }).collect(),
        }
    })
}

/// Writes the right sum over changed bytes, as only a hostile image has it.
fn sealed(bytes: &mut [u8], at: usize) {
    bytes[at..at + 4].fill(0);
    let sum = crc32c(&bytes[..HEADER_BYTES]);
    bytes[at..at + 4].copy_from_slice(&sum.to_le_bytes());
}

/// Where the checksum of a structure lies.
fn sum_at(bytes: &[u8]) -> Option<usize> {
    match bytes.get(..8)? {
        b"DLSTREAM" => Some(12),
        b"DLBLOCK1" | b"DLINDEX1" => Some(8),
        _ => None,
    }
}

proptest! {
    #[test]
    fn a_superblock_comes_back_as_it_was(superblock in superblock()) {
        let mut bytes = vec![0; HEADER_BYTES];
        superblock.encode(&mut bytes);
        prop_assert_eq!(Superblock::decode(&bytes), Ok(superblock));
    }

    #[test]
    fn a_name_that_leads_out_of_a_folder_is_none(
        superblock in superblock(),
        name in "(\\.\\.?/?[a-z]{0,20}|[a-z]{0,20}/[a-z]{0,20})",
    ) {
        let mut hostile = superblock;
        hostile.channels[0].name = name;
        let mut bytes = vec![0; HEADER_BYTES];
        hostile.encode(&mut bytes);
        prop_assert!(Superblock::decode(&bytes).is_err());
    }

    #[test]
    fn a_header_comes_back_as_it_was(
        lengths in vec(0_u32..1000, 0..165), carried in 0_u32..5000, sequence in any::<u64>(), channel in any::<u16>(),
    ) {
        let mut used = carried;
        let frames = lengths.iter().zip(0..).map(|(length, number)| {
            let entry = FrameEntry { offset: used, length: *length, sequence: number, time_unix_ns: number };
            used += length;
            entry
        }).collect();
        let run = RunId([1; 16]);
        let header = BlockHeader { run, sequence, channel, used, carried, frames, ..BlockHeader::default() };
        let mut bytes = vec![0; HEADER_BYTES];
        header.encode(&mut bytes);
        prop_assert_eq!(BlockHeader::decode(&bytes, &ExpectedBlock { run, sequence, payload_bytes: used }), Ok(header));
    }

    #[test]
    fn an_index_comes_back_as_it_was(used in vec(any::<u32>(), 0..1000), previous in proptest::option::of(0_u64..1 << 40)) {
        let entries: Vec<_> = used.iter().map(|used| IndexEntry { used: *used, ..IndexEntry::default() }).collect();
        let sequence = previous.map_or(0, |previous| previous + 1) + entries.len() as u64;
        let index = Index { run: RunId([1; 16]), sequence, previous, entries };
        let mut bytes = vec![0; PLACE];
        let length = index.encode(&mut bytes);
        let expected = ExpectedBlock { run: index.run, sequence, payload_bytes: 1 };
        prop_assert_eq!(Index::decode(&bytes[..length], &expected), Ok(index));
    }

    #[test]
    fn decoders_take_any_bytes(mut bytes in vec(any::<u8>(), 0..6000), kind in 0_usize..3, is_sealed in any::<bool>()) {
        if let Some(magic) = bytes.get_mut(..8) {
            magic.copy_from_slice([b"DLSTREAM", b"DLBLOCK1", b"DLINDEX1"][kind]);
        }
        if is_sealed && bytes.len() >= HEADER_BYTES {
            let at = sum_at(&bytes).expect("a magic word");
            sealed(&mut bytes, at);
        }
        let expected = ExpectedBlock { run: RunId([0; 16]), sequence: 0, payload_bytes: 60 << 10 };
        let _ = Superblock::decode(&bytes);
        let _ = BlockHeader::decode(&bytes, &expected);
        let _ = Index::decode(&bytes, &expected);
    }
}

/// Changes fields of structures and seals them again, so that only sense is left to tell what is wrong.
#[test]
fn a_hostile_image_panics_nothing() {
    let folder = folder();
    let path = folder.path().join("target");
    run(
        &path,
        120 * BLOCK,
        &plan(synthetic(&[(100, 9_000), (40_000, 200_000)]), StreamMode::Cyclic, 12_000_000),
        &mut Silent,
    );
    let image = std::fs::read(&path).expect("the target");
    let mut runner = proptest::test_runner::TestRunner::default();
    let changes = vec((0_usize..124, 8_usize..400, any::<u8>()), 1..12);
    let looked = runner.run(&changes, |changes| {
        let mut hostile = image.clone();
        for (place, field, byte) in changes {
            // The superblocks are two of the places.
            let start = match place {
                0 => 0,
                1 => 32 << 10,
                place => (place - 2).min(119) * PLACE,
            };
            if let Some(at) = sum_at(&hostile[start..]) {
                hostile[start + field] = byte;
                sealed(&mut hostile[start..start + HEADER_BYTES], at);
            }
        }
        let hostile = &hostile[..];
        if let Ok(recording) = Recording::open(&hostile) {
            let chart = Chart::read(&recording);
            check(&recording, &chart).expect("an image in memory");
        }
        Ok(())
    });
    looked.expect("no panic");
    let image = &image[..];
    let recording = Recording::open(&image).expect("a recording");
    assert!(!proved_frames(&recording).0.is_empty());
}
