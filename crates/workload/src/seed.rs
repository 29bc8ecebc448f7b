//! One seed for a run, one generator for each of its parts.

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// A node of the seed tree.
///
/// Every part that draws numbers gets a child of its own, named by a label, so a draw added to one part
/// never shifts another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seed(u64);

impl Seed {
    /// The root: what the user gave.
    pub const fn new(seed: u64) -> Seed {
        Seed(seed)
    }

    /// The number itself.
    pub const fn get(self) -> u64 {
        self.0
    }

    /// The seed of the part with this label: FNV-1a over the label, then splitmix64's finaliser.
    #[must_use]
    pub fn child(self, label: &str) -> Seed {
        let mut hash = 0xcbf2_9ce4_8422_2325 ^ self.0;
        for byte in label.bytes() {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
        Seed(finalise(hash))
    }

    /// The seed of the part with this number.
    #[must_use]
    pub fn numbered(self, number: u64) -> Seed {
        Seed(finalise(self.0 ^ finalise(number.wrapping_add(1))))
    }

    /// A generator that starts here.
    pub fn draw(self) -> Draw {
        Draw(Xoshiro256PlusPlus::seed_from_u64(self.0))
    }
}

/// The finaliser of splitmix64 (Steele, Lea and Flood, 2014).
fn finalise(mut bits: u64) -> u64 {
    bits = bits.wrapping_add(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ bits >> 31
}

/// A seeded generator: xoshiro256++.
#[derive(Clone, Debug)]
pub struct Draw(Xoshiro256PlusPlus);

impl Draw {
    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A number from 0 to `bound - 1`, by multiplication and shift (Lemire 2019, without the rejection step: the
    /// bias is below `bound` / 2^64). Zero for a bound of zero.
    pub fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.bits()) * u128::from(bound)) >> 64) as u64
    }

    /// A number in (0, 1], with 53 random bits.
    pub fn unit(&mut self) -> f64 {
        ((self.bits() >> 11) + 1) as f64 / (1u64 << 53) as f64
    }

    /// Puts things into a random order (Fisher and Yates).
    pub fn shuffle<T>(&mut self, things: &mut [T]) {
        for last in (1..things.len()).rev() {
            #[expect(clippy::cast_possible_truncation, reason = "at most `last`")]
            let other = self.below(last as u64 + 1) as usize;
            things.swap(last, other);
        }
    }

    /// Fills a buffer.
    pub fn fill(&mut self, buffer: &mut [u8]) {
        self.0.fill_bytes(buffer);
    }
}
