//! Writing what a replay will touch before it does.

use drivelab_block::{ByteCount, Extent, Geometry, Op, SECTOR_BYTES, Sector, SectorCount};
use drivelab_workload::{Ask, Next, Workload};

use super::mapping::AddressMapping;
use super::touched::Touched;

/// Sectors of one write: 128 KiB.
pub const WRITE: u64 = 256;

/// What is written before a replay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FillWhat {
    /// What the replay touches.
    Touched,
    /// The whole target.
    Target,
}

/// Writes runs of sectors once, in their order.
#[derive(Clone, Debug)]
pub struct ReplayFill {
    /// First sectors and those past the last, the next run at the end.
    left: Vec<(u64, u64)>,
}

impl ReplayFill {
    /// The fill of a target for a trace that touches this, under this map.
    pub fn new(what: FillWhat, map: AddressMapping, touched: &Touched, geometry: &Geometry) -> ReplayFill {
        let capacity = geometry.capacity.whole_sectors();
        let granule = touched.granule;
        let mut left: Vec<(u64, u64)> = match (what, map) {
            (FillWhat::Target, _) => vec![(0, capacity)],
            (FillWhat::Touched, AddressMapping::Compact) => vec![(0, touched.sectors().min(capacity))],
            (FillWhat::Touched, AddressMapping::Identity) => touched
                .runs()
                .iter()
                .map(|run| (run.first * granule, run.end.saturating_mul(granule).min(capacity)))
                .collect(),
        };
        left.retain(|(first, end)| first < end);
        left.reverse();
        ReplayFill { left }
    }

    /// Bytes that are still to be written.
    pub fn bytes(&self) -> ByteCount {
        ByteCount::new(self.left.iter().map(|(first, end)| (end - first) * SECTOR_BYTES).sum())
    }

    fn next_write(&mut self) -> Option<Ask> {
        let (first, end) = self.left.last_mut()?;
        let length = (*end - *first).min(WRITE);
        let extent =
            Extent { start: Sector::new(*first), length: SectorCount::new(u32::try_from(length).ok()?) };
        *first += length;
        if first == end {
            self.left.pop();
        }
        Some(Ask { due: None, op: Op::Write, extent })
    }
}

impl Workload for ReplayFill {
    fn next_ask(&mut self) -> Next {
        self.next_write().into()
    }
}
