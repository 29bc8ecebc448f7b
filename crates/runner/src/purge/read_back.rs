//! What a drive returns at sampled places, before and after a purge.

use std::fmt;

use drivelab_block::Geometry;
use drivelab_uring::{Access, Buffer};
use rustix::io::{pread, retry_on_intr};
use schemars::JsonSchema;
use serde::Serialize;

use crate::Failure;

/// How many places are read.
const PLACES: u64 = 64;
/// Bytes read at each, where the drive's blocks are not longer.
const PLACE_BYTES: u64 = 4096;

/// The places that are read: the first, the last, and others evenly in between.
pub struct SampledPlaces {
    pub offsets: Vec<u64>,
    length: usize,
}

impl SampledPlaces {
    pub fn choose(geometry: Geometry) -> Result<SampledPlaces, Failure> {
        let length = u64::from(geometry.logical_block).max(PLACE_BYTES);
        let blocks = geometry.capacity.get() / length;
        let last = blocks.checked_sub(1).ok_or_else(|| {
            environment!("the target is shorter than {length} bytes: there is nothing to purge")
        })?;
        let mut offsets: Vec<u64> = (0..PLACES)
            .map(|place| {
                u64::try_from(u128::from(last) * u128::from(place) / u128::from(PLACES - 1)).unwrap_or(last)
            })
            .map(|block| block * length)
            .collect();
        offsets.dedup();
        Ok(SampledPlaces { offsets, length: usize::try_from(length).unwrap_or(usize::MAX) })
    }

    /// What each of them returns; none where it cannot be read.
    pub fn read(&self, access: &Access) -> Result<Vec<Option<Vec<u8>>>, Failure> {
        let mut buffers = Buffer::map(&[self.length])?;
        let Some(buffer) = buffers.first_mut() else { return Ok(Vec::new()) };
        let read = |offset: &u64| {
            let got = retry_on_intr(|| pread(access.descriptor(), buffer.bytes_mut(), *offset));
            (got == Ok(self.length)).then(|| buffer.bytes().to_vec())
        };
        Ok(self.offsets.iter().map(read).collect())
    }
}

/// What the sampled places return after a purge: how many of which kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PurgeReadBack {
    /// How many of the places that were read back return nothing but zeros.
    pub zeros: usize,
    /// How many return nothing but ones.
    pub ones: usize,
    /// How many return other data than before.
    pub other: usize,
    /// How many return what they held before.
    pub unchanged: usize,
    /// How many cannot be read.
    pub unreadable: usize,
}

impl PurgeReadBack {
    /// Compares what the places returned before and after.
    pub fn compare(before: &[Option<Vec<u8>>], after: &[Option<Vec<u8>>]) -> PurgeReadBack {
        let mut found = PurgeReadBack::default();
        for (before, after) in before.iter().zip(after) {
            let holds = |byte: u8| after.as_ref().is_some_and(|data| data.iter().all(|one| *one == byte));
            let count = match after {
                None => &mut found.unreadable,
                Some(_) if holds(0) => &mut found.zeros,
                Some(_) if holds(0xff) => &mut found.ones,
                Some(_) if before == after => &mut found.unchanged,
                Some(_) => &mut found.other,
            };
            *count += 1;
        }
        found
    }
}

impl fmt::Display for PurgeReadBack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let PurgeReadBack { zeros, ones, other, unchanged, unreadable } = *self;
        let all = zeros + ones + other + unchanged + unreadable;
        let kinds = [
            (zeros, "zeros"),
            (ones, "ones"),
            (other, "other data than before"),
            (unchanged, "what they held before"),
            (unreadable, "an error"),
        ];
        let found: Vec<String> = kinds
            .iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, what)| format!("{count} return {what}"))
            .collect();
        write!(f, "of {all} places read back, {}", found.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_that_a_purge_left_is_found() {
        let place = |byte: u8| Some(vec![byte; 4]);
        let before = [place(1), place(2), place(0), place(3), place(4), None];
        let after = [place(1), place(9), place(0), place(0xff), None, place(7)];
        let found = PurgeReadBack::compare(&before, &after);
        assert_eq!(found, PurgeReadBack { zeros: 1, ones: 1, other: 2, unchanged: 1, unreadable: 1 });
    }

    #[test]
    fn places_reach_from_the_first_to_the_last_block() {
        let geometry = |bytes| Geometry {
            capacity: drivelab_block::ByteCount::new(bytes),
            logical_block: 512,
            physical_block: 4096,
        };
        let places = SampledPlaces::choose(geometry(1 << 40)).expect("a drive");
        assert_eq!((places.offsets[0], places.offsets.last()), (0, Some(&((1 << 40) - 4096))));
        assert_eq!(SampledPlaces::choose(geometry(8192)).expect("a small one").offsets, [0, 4096]);
        assert!(SampledPlaces::choose(geometry(512)).is_err());
    }
}
