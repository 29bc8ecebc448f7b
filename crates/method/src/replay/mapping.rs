//! Where on the target a trace's requests go.

use drivelab_block::{Extent, Sector, SectorCount, TracedIo};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::touched::Touched;

// Compact keeps the order of the runs that the trace touches: what followed each other still does, and what was overwritten still
// is. Modulo and division keep neither.
/// Where the requests of a replay go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AddressMapping {
    /// To their own addresses.
    Identity,
    /// What the trace touches moved together, one device after the other.
    Compact,
}

/// A run of granules and where it goes.
#[derive(Clone, Copy, Debug)]
struct MappedPiece {
    device: u16,
    first: u64,
    to: u64,
}

/// The way of each extent to the target.
#[derive(Clone, Debug)]
pub struct Mapping {
    /// Sectors of the target's logical block.
    block: u64,
    /// Sectors of a granule, and the pieces, in their order; none for identity.
    pieces: Option<(u64, Vec<MappedPiece>)>,
    /// The piece that was used last: traces stay where they are.
    last: usize,
}

impl Mapping {
    /// Each request to its own address, on a target of this logical block, in sectors.
    pub fn identity(block: u64) -> Mapping {
        Mapping { block: block.max(1), pieces: None, last: 0 }
    }

    /// What is touched, moved together. A granule has to be a multiple of `block`.
    pub fn compact(block: u64, touched: &Touched) -> Mapping {
        let mut to = 0;
        let pieces = touched.runs().iter().map(|run| {
            let piece = MappedPiece { device: run.device, first: run.first, to };
            to += run.end - run.first;
            piece
        });
        Mapping { block: block.max(1), pieces: Some((touched.granule, pieces.collect())), last: 0 }
    }

    /// Where an I/O goes, in whole blocks of the target. The flag says whether it had to be widened for that.
    ///
    /// A compact mapping only knows the extents that it was made of.
    #[inline]
    pub fn place(&mut self, io: &TracedIo) -> (Extent, bool) {
        if io.extent.length.get() == 0 {
            return (Extent::default(), false);
        }
        let wide = widened(io.extent, self.block);
        let is_wider = wide != io.extent;
        let Some((granule, pieces)) = &self.pieces else { return (wide, is_wider) };
        let number = wide.start.get() / granule;
        let is_reached = |piece: &MappedPiece| (piece.device, piece.first) <= (io.device.0, number);
        if !pieces.get(self.last).is_some_and(is_reached) || pieces.get(self.last + 1).is_some_and(is_reached)
        {
            self.last = pieces.partition_point(is_reached).saturating_sub(1);
        }
        let Some(piece) = pieces.get(self.last) else { return (wide, is_wider) };
        let start = (piece.to + number.saturating_sub(piece.first)) * granule + wide.start.get() % granule;
        (Extent { start: Sector::new(start), ..wide }, is_wider)
    }
}

/// The extent in whole blocks of this many sectors.
pub fn widened(extent: Extent, block: u64) -> Extent {
    let start = extent.start.get() / block * block;
    let length = extent.end().get().next_multiple_of(block) - start;
    let length = u32::try_from(length).unwrap_or(u32::MAX - u32::MAX % u32::try_from(block).unwrap_or(1));
    Extent { start: Sector::new(start), length: SectorCount::new(length) }
}

#[cfg(test)]
mod tests {
    use super::super::touched::fixture::touched;
    use super::*;
    use drivelab_block::{DeviceId, Instant, Op};
    use proptest::prelude::*;
    use std::collections::HashMap;

    fn extent(start: u64, length: u32) -> Extent {
        Extent { start: Sector::new(start), length: SectorCount::new(length) }
    }

    fn io(device: u16, extent: Extent) -> TracedIo {
        TracedIo { device: DeviceId(device), ..TracedIo::new(Instant::ORIGIN, Op::Write, extent) }
    }

    prop_compose! {
        fn any_extents()(
            all in proptest::collection::vec((0u16..3, 0u64..40_000, 1u32..300), 1..120)
        ) -> Vec<(u16, Extent)> {
            all.into_iter().map(|(device, start, length)| (device, extent(start, length))).collect()
        }
    }

    proptest! {
        /// Also where there is room for so few runs that granules become coarse.
        #[test]
        fn every_touched_sector_has_one_place_of_its_own(
            extents in any_extents(), most in 4usize..60, block in prop_oneof![Just(1u64), Just(8)],
        ) {
            let touched = touched(&extents, 8, most);
            let mut mapping = Mapping::compact(block, &touched);
            let mut there: HashMap<(u16, u64), u64> = HashMap::new();
            let mut back: HashMap<u64, (u16, u64)> = HashMap::new();
            for (device, asked) in &extents {
                let wide = widened(*asked, block);
                let (placed, is_wider) = mapping.place(&io(*device, *asked));
                prop_assert_eq!(is_wider, wide != *asked);
                prop_assert_eq!(placed.length, wide.length);
                prop_assert_eq!(placed.start.get() % 8, wide.start.get() % 8, "alignment is kept");
                prop_assert!(placed.end().get() <= touched.sectors());
                // Sector by sector: neighbours stay neighbours, the same sector stays the same, no two meet.
                for (from, to) in (wide.start.get()..wide.end().get()).zip(placed.start.get()..) {
                    prop_assert_eq!(*there.entry((*device, from)).or_insert(to), to);
                    prop_assert_eq!(*back.entry(to).or_insert((*device, from)), (*device, from));
                }
            }
        }

        #[test]
        fn runs_keep_their_order_and_nothing_lies_between_them(extents in any_extents()) {
            let touched = touched(&extents, 8, 1 << 20);
            let granules: std::collections::BTreeSet<(u16, u64)> = extents
                .iter()
                .flat_map(|(device, asked)| (asked.start.get() / 8..asked.end().get().div_ceil(8)).map(|at| (*device, at)))
                .collect();
            prop_assert_eq!(touched.sectors(), granules.len() as u64 * 8);
            let mut mapping = Mapping::compact(1, &touched);
            for (place, (device, granule)) in granules.into_iter().enumerate() {
                let (placed, _) = mapping.place(&io(device, extent(granule * 8, 8)));
                prop_assert_eq!(placed.start.get(), place as u64 * 8);
            }
        }
    }

    #[test]
    fn requests_are_widened_to_whole_blocks() {
        let mut mapping = Mapping::identity(8);
        assert_eq!(mapping.place(&io(0, extent(7, 2))), (extent(0, 16), true));
        assert_eq!(mapping.place(&io(0, extent(8, 16))), (extent(8, 16), false));
        assert_eq!(mapping.place(&io(0, extent(8, 0))), (Extent::default(), false));
    }
}
