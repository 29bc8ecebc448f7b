//! What is written: bytes that no drive can compress or deduplicate, unless asked otherwise.

use drivelab_block::{Payload, Request};

use crate::{Draw, Seed};

/// How far a payload can be compressed: the share of each sector that is zeros.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Compressibility(u8);

impl Compressibility {
    /// A share in percent, 0 (random bytes) to 100 (zeros but for the stamp), which any above counts for.
    pub fn percent(percent: u8) -> Compressibility {
        Compressibility(percent.min(100))
    }

    fn zero_bytes(self) -> usize {
        // 24 of 512 bytes are the stamp, which is random in effect and cannot be zero.
        (SECTOR - STAMP_BYTES) * usize::from(self.0) / 100
    }
}

/// Bytes of a sector.
const SECTOR: usize = 512;
/// Bytes of it that change with every write.
const STAMP_BYTES: usize = 24;

/// Random bytes, filled in once, of which 24 in every sector change with every write.
///
/// The stamp (a counter that never repeats in a run, the sector's address, and a mix of the two) makes every
/// sector written different from every other, so that neither compression nor deduplication in a drive can
/// shorten the work; filling whole buffers anew would cost the time of several I/Os.
#[derive(Clone, Debug)]
pub struct Incompressible {
    draw: Draw,
    compressibility: Compressibility,
    salt: u64,
    writes: u64,
}

impl Incompressible {
    /// A payload of its own for each seed.
    pub fn new(seed: Seed, compressibility: Compressibility) -> Incompressible {
        let mut draw = seed.child("payload").draw();
        Incompressible { salt: draw.bits(), draw, compressibility, writes: 0 }
    }
}

impl Payload for Incompressible {
    fn fill(&mut self, buffer: &mut [u8]) {
        self.draw.fill(buffer);
        let zeros = self.compressibility.zero_bytes();
        for sector in buffer.chunks_exact_mut(SECTOR) {
            sector[STAMP_BYTES..STAMP_BYTES + zeros].fill(0);
        }
    }

    fn stamp(&mut self, request: &Request, buffer: &mut [u8]) {
        self.writes = self.writes.wrapping_add(1);
        let count = self.writes.wrapping_add(self.salt);
        let first = request.extent.start.get();
        let sectors = buffer.chunks_exact_mut(SECTOR).take(request.extent.length.get() as usize);
        for (sector, number) in sectors.zip(first..) {
            let mixed = (count ^ number.rotate_left(32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            sector[..8].copy_from_slice(&count.to_le_bytes());
            sector[8..16].copy_from_slice(&number.to_le_bytes());
            sector[16..STAMP_BYTES].copy_from_slice(&mixed.to_le_bytes());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use drivelab_block::{Extent, Instant, Op, PhaseId, QueueId, Sector, SectorCount};
    use std::collections::HashSet;

    fn write(start: u64) -> Request {
        let extent = Extent { start: Sector::new(start), length: SectorCount::new(8) };
        Request { intended_at: Instant::ORIGIN, extent, op: Op::Write, phase: PhaseId(0), queue: QueueId(0) }
    }

    #[test]
    fn no_two_sectors_written_are_alike() {
        let mut payload = Incompressible::new(Seed::new(1), Compressibility::default());
        let mut buffer = vec![0; 4096];
        payload.fill(&mut buffer);
        let mut seen = HashSet::new();
        for _ in 0..100 {
            payload.stamp(&write(64), &mut buffer);
            for sector in buffer.chunks(512) {
                assert!(seen.insert(sector.to_vec()));
            }
        }
    }

    #[test]
    fn a_share_of_zeros_is_as_asked() {
        for (percent, zeros) in [(0u8, 0usize), (50, 244), (100, 488)] {
            let mut buffer = vec![0xff; 512];
            let share = Compressibility::percent(percent);
            Incompressible::new(Seed::new(1), share).fill(&mut buffer);
            let found = buffer[STAMP_BYTES..].iter().filter(|byte| **byte == 0).count();
            assert!(found.abs_diff(zeros) <= 10, "{percent} %: {found}");
        }
        assert_eq!(Compressibility::percent(101), Compressibility::percent(100));
    }
}
