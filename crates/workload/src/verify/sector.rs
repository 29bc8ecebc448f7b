//! One sector of 512 bytes that says who it is: made for a write, and known again.

use crate::Seed;

use crate::verify::checksum::{Checksums, checksum, part, sum};
use crate::verify::layout::{ADDRESS, BODY, CHECKSUM, MAGIC, SECTOR};

/// Rows of random bytes that bodies are made from: 58 kB, which stay in a cache of the second level.
const ROWS: usize = 128;
const WORDS: usize = (CHECKSUM - BODY) / 8;
/// As many changed bits are a flip; more are other contents.
const FLIPPED_BITS_MAX: u32 = 16;

/// The number of a run, in each of its sectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunId(pub u64);

/// What a sector has to say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Said {
    /// The number of the write.
    pub number: u64,
    /// The sector's address.
    pub sector: u64,
    /// When the block was made, in nanoseconds.
    pub at: u64,
    /// How often the place was written before.
    pub generation: u32,
}

/// What a sector turned out to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SectorState {
    /// Whole, and of this run.
    Whole(Said),
    /// Whole, and of another run.
    OtherRun(RunId),
    /// The sector that was looked for, with a few bits changed; the first changed byte.
    Flipped(usize),
    /// Something else.
    Other,
}

/// Makes the sectors of a run, and knows them again.
#[derive(Clone, Debug)]
pub struct SectorMaker {
    run: RunId,
    rows: Vec<RandomRow>,
    checksums: Checksums,
}

/// Random bytes, and what they add to the checksum of a sector.
#[derive(Clone, Debug)]
struct RandomRow {
    words: [u64; WORDS],
    checksum: u32,
}

/// Makes the sectors of one write.
pub struct BlockMaker<'a> {
    maker: &'a SectorMaker,
    number: u64,
    generation: u32,
    /// What comes before the body, but for the address.
    header: [u8; BODY],
    /// The checksum of a sector that has this header, and zeros.
    checksum: u32,
}

impl SectorMaker {
    /// The sectors of this run.
    pub fn new(run: RunId) -> SectorMaker {
        let mut draw = Seed::new(run.0).child("sectors").draw();
        let rows = (0..ROWS).map(|_| RandomRow::new(&std::array::from_fn(|_| draw.bits()))).collect();
        SectorMaker { run, rows, checksums: Checksums::new() }
    }

    /// Makes the sectors of the write with this number, to a place that was written `generation` times before; `at` is when it is
    /// made, in nanoseconds.
    pub fn block(&self, number: u64, at: u64, generation: u32) -> BlockMaker<'_> {
        let mut sector = [0; CHECKSUM];
        sector[..8].copy_from_slice(&MAGIC);
        sector[8..16].copy_from_slice(&self.run.0.to_le_bytes());
        sector[16..24].copy_from_slice(&number.to_le_bytes());
        sector[32..40].copy_from_slice(&at.to_le_bytes());
        sector[40..44].copy_from_slice(&generation.to_le_bytes());
        let header = std::array::from_fn(|byte| sector[byte]);
        BlockMaker { maker: self, number, generation, header, checksum: checksum(&sector) }
    }

    fn make(&self, said: Said, sector: &mut [u8; SECTOR]) {
        self.block(said.number, said.at, said.generation).make(said.sector, sector);
    }

    /// Knows a sector again. `wanted` is what should be there, as far as that is known: a damaged sector is told from
    /// other contents by its likeness to it.
    pub fn find(&self, sector: &[u8; SECTOR], wanted: Option<Said>) -> SectorState {
        let word = |at: usize| u64::from_le_bytes(std::array::from_fn(|byte| sector[at + byte]));
        if sector[..8] == MAGIC && checksum(&sector[..CHECKSUM]).to_le_bytes() == sector[CHECKSUM..] {
            let run = RunId(word(8));
            if run != self.run {
                return SectorState::OtherRun(run);
            }
            let generation = u32::from_le_bytes(std::array::from_fn(|byte| sector[40 + byte]));
            return SectorState::Whole(Said { number: word(16), sector: word(24), at: word(32), generation });
        }
        wanted.map_or(SectorState::Other, |wanted| self.liken(sector, wanted))
    }

    /// Compares a damaged sector with what should be there. Its time is not known, and is taken from the sector
    /// itself: a flip in it shows in the checksum alone.
    fn liken(&self, sector: &[u8; SECTOR], wanted: Said) -> SectorState {
        let mut right = [0; SECTOR];
        let at = u64::from_le_bytes(std::array::from_fn(|byte| sector[32 + byte]));
        self.make(Said { at, ..wanted }, &mut right);
        let changed: Vec<usize> = (0..CHECKSUM).filter(|byte| sector[*byte] != right[*byte]).collect();
        let bits: u32 = changed.iter().map(|byte| (sector[*byte] ^ right[*byte]).count_ones()).sum();
        if bits > FLIPPED_BITS_MAX {
            return SectorState::Other;
        }
        // Nothing but the time or the checksum itself is left where all else is as it should be.
        SectorState::Flipped(changed.first().copied().unwrap_or(CHECKSUM))
    }
}

impl RandomRow {
    fn new(words: &[u64; WORDS]) -> RandomRow {
        let mut sector = [0; CHECKSUM];
        for (bytes, word) in sector[BODY..].chunks_exact_mut(8).zip(words) {
            bytes.copy_from_slice(&word.to_le_bytes());
        }
        RandomRow { words: *words, checksum: part(&sector) }
    }
}

impl BlockMaker<'_> {
    /// Makes the sector with this address.
    pub fn make(&self, address: u64, sector: &mut [u8; SECTOR]) {
        let row = &self.maker.rows[usize::try_from(address % ROWS as u64).unwrap_or(0)];
        let key = key(self.number, address, self.generation);
        sector[..BODY].copy_from_slice(&self.header);
        sector[ADDRESS..ADDRESS + 8].copy_from_slice(&address.to_le_bytes());
        for (bytes, word) in sector[BODY..CHECKSUM].chunks_exact_mut(8).zip(&row.words) {
            bytes.copy_from_slice(&(word ^ key).to_le_bytes());
        }
        let parts = &self.maker.checksums;
        let checksum = self.checksum ^ row.checksum ^ sum(&parts.address, address) ^ sum(&parts.key, key);
        sector[CHECKSUM..].copy_from_slice(&checksum.to_le_bytes());
    }
}

/// The body's key: it differs with every write and every sector (splitmix64's finaliser).
fn key(number: u64, address: u64, generation: u32) -> u64 {
    Seed::new(number.rotate_left(32) ^ address).numbered(u64::from(generation)).get()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn said() -> impl Strategy<Value = Said> {
        let numbers = (any::<u64>(), any::<u64>(), any::<u64>(), any::<u32>());
        numbers.prop_map(|(number, sector, at, generation)| Said { number, sector, at, generation })
    }

    proptest! {
        #[test]
        fn a_sector_is_known_again(said in said()) {
            let maker = SectorMaker::new(RunId(7));
            let mut sector = [0; SECTOR];
            maker.make(said, &mut sector);
            prop_assert_eq!(maker.find(&sector, None), SectorState::Whole(said));
            prop_assert_eq!(SectorMaker::new(RunId(8)).find(&sector, Some(said)), SectorState::OtherRun(RunId(7)));
        }

        #[test]
        fn every_flipped_bit_is_found_and_named(said in said(), bit in 0..SECTOR * 8) {
            let maker = SectorMaker::new(RunId(7));
            let mut sector = [0; SECTOR];
            maker.make(said, &mut sector);
            sector[bit / 8] ^= 1 << (bit % 8);
            let named = match bit / 8 {
                // A flip in the time can only be seen by the checksum.
                32..40 | CHECKSUM.. => CHECKSUM,
                byte => byte,
            };
            // When it was made is not known to the one who looks for it.
            let wanted = Said { at: 0, ..said };
            prop_assert_eq!(maker.find(&sector, Some(wanted)), SectorState::Flipped(named));
        }

        #[test]
        fn two_halves_are_not_a_flip(old in said(), new in said(), cut in 24usize..SECTOR - 8) {
            prop_assume!(old.number != new.number);
            let maker = SectorMaker::new(RunId(7));
            let (mut first, mut second) = ([0; SECTOR], [0; SECTOR]);
            maker.make(new, &mut first);
            maker.make(Said { sector: new.sector, ..old }, &mut second);
            first[cut..].copy_from_slice(&second[cut..]);
            prop_assert!(matches!(maker.find(&first, Some(new)), SectorState::Other | SectorState::Flipped(_)));
            prop_assume!(cut < SECTOR - 16);
            prop_assert_eq!(maker.find(&first, Some(new)), SectorState::Other);
        }
    }

    #[test]
    fn a_sector_is_made_as_other_versions_make_it() {
        let said = Said { number: 1, sector: (1 << 32) + 2, at: 3, generation: 4 };
        let mut sector = [0; SECTOR];
        SectorMaker::new(RunId(7)).make(said, &mut sector);
        assert_eq!(sector[..8], *b"drivelab");
        let numbers: Vec<u64> = (1..5)
            .map(|word| u64::from_le_bytes(std::array::from_fn(|byte| sector[8 * word + byte])))
            .collect();
        assert_eq!((numbers, sector[40..44].to_vec()), (vec![7, 1, (1 << 32) + 2, 3], vec![4, 0, 0, 0]));
        // The last four bytes sum up all before, the body too, which is looked for when a sector is damaged.
        let sum = crc_fast::checksum(crc_fast::CrcAlgorithm::Crc32Iscsi, &sector[..508]);
        let stored = u32::from_le_bytes(std::array::from_fn(|byte| sector[508 + byte]));
        assert_eq!((u64::from(stored), stored), (sum, 2_401_469_513));
    }

    #[test]
    fn sixteen_changed_bits_are_a_flip_and_one_more_is_other_contents() {
        let said = Said { number: 1, sector: 2, at: 3, generation: 4 };
        let maker = SectorMaker::new(RunId(7));
        for (bits, state) in [(16, SectorState::Flipped(100)), (17, SectorState::Other)] {
            let mut sector = [0; SECTOR];
            maker.make(said, &mut sector);
            (0..bits).for_each(|bit| sector[100 + bit] ^= 1 << (bit % 8));
            assert_eq!(maker.find(&sector, Some(said)), state, "{bits}");
        }
    }
}
