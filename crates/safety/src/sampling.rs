//! A look at places spread over a drive: is there anything on it but zeros?

use std::os::fd::BorrowedFd;

use drivelab_block::{ByteCount, SECTOR_BYTES};
use rustix::io::Errno;

/// A place, from this byte on, that could not be read.
pub(crate) struct UnreadablePlace {
    pub at: u64,
    pub why: Errno,
}

/// How many parts of equal size a drive is cut into; one place of each is read, chosen at random.
///
/// Where a share `u` of the drive is used, all places miss it with a chance of at most `(1 - u)^PLACES`: the chance is the
/// product of what is unused of each part, whose mean is `1 - u`, and a product of given mean is largest where its factors are
/// equal. For 1 % that is less than one in a million, since `ln(1e-6) / ln(0.99)` is 1374.6.
const PLACES: u64 = 1375;
/// Bytes read at each place. A hard disk takes hardly longer for them than for a block, and they find small islands of data
/// where chance alone would not: on drives of up to 90 MB, all.
const PLACE_BYTES: u64 = 64 << 10;
/// Bytes read at the start and at the end, where file systems and partition tables keep their tables.
const EDGE_BYTES: u64 = 1 << 20;
/// Bytes that one call reads at most.
const BUFFER_BYTES: usize = 256 << 10;
/// The alignment of memory that direct I/O accepts.
const MEMORY_ALIGNMENT: usize = 4096;

/// How many places are read between two calls of `progress`: of a slow disk that is a second.
const PROGRESS_EVERY: usize = 32;

/// Reads the start, the end, and places between that `seed` chooses, in whole blocks of the drive. The first byte seen that is
/// not zero.
pub(crate) fn sample(
    drive: BorrowedFd<'_>,
    (size, logical_block): (ByteCount, u32),
    seed: u64,
    progress: &mut dyn FnMut(),
) -> Result<Option<u64>, UnreadablePlace> {
    let mut memory = vec![0; BUFFER_BYTES + MEMORY_ALIGNMENT];
    let start = memory.as_ptr().align_offset(MEMORY_ALIGNMENT).min(MEMORY_ALIGNMENT);
    let room = &mut memory[start..start + BUFFER_BYTES];
    for (number, (offset, length)) in
        places(size.get(), u64::from(logical_block), seed).into_iter().enumerate()
    {
        if number % PROGRESS_EVERY == 0 {
            progress();
        }
        let found = first_nonzero(drive, room, offset, length);
        if let Some(at) = found.map_err(|why| UnreadablePlace { at: offset, why })? {
            return Ok(Some(at));
        }
    }
    Ok(None)
}

/// Offset and length of every place, each of whole blocks.
fn places(size: u64, block: u64, seed: u64) -> Vec<(u64, u64)> {
    let block = block.max(SECTOR_BYTES);
    let size = size - size % block;
    let (edge, place) = (EDGE_BYTES.max(block).min(size), PLACE_BYTES.max(block));
    let mut places = vec![(0, edge), (size - edge, edge)];
    let count = size / place;
    if count <= PLACES {
        places.push((0, count * place));
        return places;
    }
    let mut state = seed;
    places.extend((0..PLACES).map(|part| {
        let (first, end) = (part * count / PLACES, (part + 1) * count / PLACES);
        ((first + next_random(&mut state) % (end - first)) * place, place)
    }));
    places
}

/// `SplitMix64`: the places only have to be spread out and repeatable.
fn next_random(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut mixed = *state;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

fn first_nonzero(
    drive: BorrowedFd<'_>,
    room: &mut [u8],
    offset: u64,
    length: u64,
) -> Result<Option<u64>, Errno> {
    let mut at = offset;
    while at < offset + length {
        let wanted = usize::try_from(offset + length - at).unwrap_or(usize::MAX);
        let wanted = wanted.min(room.len());
        let got = match rustix::io::pread(drive, &mut room[..wanted], at) {
            Ok(0) => return Ok(None),
            Ok(got) => got,
            Err(Errno::INTR) => continue,
            Err(error) => return Err(error),
        };
        if let Some(place) = room[..got].iter().position(|byte| *byte != 0) {
            return Ok(Some(at + place as u64));
        }
        at += got as u64;
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::os::fd::AsFd as _;
    use std::os::unix::fs::FileExt as _;

    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_place_is_aligned_and_on_the_drive(size in 0_u64..1 << 50, shift in 9_u32..18, seed: u64) {
            let block = 1 << shift;
            let places = places(size, block, seed);
            for (offset, length) in &places {
                prop_assert!(offset % block == 0 && length % block == 0);
                prop_assert!(offset + length <= size);
            }
            prop_assert_eq!(places[0].0, 0);
            prop_assert_eq!(places[1].0 + places[1].1, size - size % block);
        }
    }

    #[test]
    fn one_percent_of_a_drive_is_missed_less_than_once_in_a_million() {
        let miss = |places: u64| (places as f64 * 0.99_f64.ln()).exp();
        assert!(miss(PLACES) < 1e-6 && miss(PLACES - 1) > 1e-6);
        // Each part lies between its neighbours and has one place, and every place of a part can be the one.
        let size = 2 * PLACES * PLACE_BYTES;
        let mut seen = BTreeSet::new();
        for seed in 0..40 {
            let chosen = &places(size, 512, seed)[2..];
            let parts: Vec<u64> = chosen.iter().map(|(offset, _)| offset / PLACE_BYTES / 2).collect();
            assert!(parts.into_iter().eq(0..PLACES));
            seen.extend(chosen.iter().map(|(offset, _)| *offset));
        }
        assert_eq!(seen.len() as u64, 2 * PLACES);
    }

    #[test]
    fn a_file_system_that_has_nothing_but_its_tables_is_found_at_either_end() {
        let (mebibyte, size) = (1 << 20, 1 << 40);
        for block in [512, 4096] {
            assert_eq!(places(size, block, 7)[..2], [(0, mebibyte), (size - mebibyte, mebibyte)]);
            assert_eq!(places(size, block, 7)[2..].iter().map(|(_, length)| length / 1024).max(), Some(64));
        }
    }

    #[test]
    fn the_seed_that_a_report_names_chooses_the_same_places_in_every_version() {
        // The values that are published for SplitMix64 with this seed.
        let mut state = 1_234_567;
        let drawn = [(); 3].map(|()| next_random(&mut state));
        assert_eq!(drawn, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]);
    }

    #[test]
    fn a_byte_is_told_where_it_is_and_what_lies_outside_of_a_place_is_not_read() {
        let file = tempfile::tempfile().expect("a file");
        let room = BUFFER_BYTES as u64;
        let length = room + 1536;
        let found = |start: u64, at: u64| {
            file.set_len(0).and_then(|()| file.set_len(start + length + 4096)).expect("zeros");
            file.write_all_at(&[7], at).expect("one byte");
            first_nonzero(file.as_fd(), &mut vec![0; BUFFER_BYTES], start, length)
        };
        for start in [0, 512] {
            for inside in [start, start + room - 1, start + room, start + length - 1] {
                assert_eq!(found(start, inside), Ok(Some(inside)));
            }
            for outside in [start + length, start + length + 4000] {
                assert_eq!(found(start, outside), Ok(None), "byte {outside}");
            }
        }
        assert_eq!(found(512, 511), Ok(None));
    }

    #[test]
    fn a_small_drive_is_read_whole() {
        let size = PLACES * PLACE_BYTES + 4096;
        assert_eq!(places(size, 512, 7)[2..], [(0, PLACES * PLACE_BYTES)]);
    }
}
