//! Random numbers, the same ones every time.

const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

/// The number at this place of a sequence that looks random (splitmix64).
pub fn mixed(place: u64) -> u64 {
    scrambled(place.wrapping_add(1).wrapping_mul(GOLDEN))
}

fn scrambled(state: u64) -> u64 {
    let mut mixed = state;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ (mixed >> 31)
}

/// What tests draw.
#[cfg(test)]
pub mod fixture {
    use super::{GOLDEN, scrambled};

    /// A small generator (splitmix64), for tests.
    pub struct Draws(pub u64);

    impl Draws {
        /// Between 0 and 1.
        pub fn share(&mut self) -> f64 {
            self.0 = self.0.wrapping_add(GOLDEN);
            (scrambled(self.0) >> 11) as f64 / (1u64 << 53) as f64
        }

        /// About normal, mean 0 and deviation 1.
        pub fn normal(&mut self) -> f64 {
            ((0..12).map(|_| self.share()).sum::<f64>()) - 6.0
        }

        /// A gap of a Poisson process.
        pub fn gap(&mut self, mean: f64) -> u64 {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a positive span")]
            let gap = (-(1.0 - self.share()).ln() * mean) as u64;
            gap
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Results name no seed: who repeats a permutation test needs the generator of Steele, Lea and Flood (2014) as it is.
    #[test]
    fn the_numbers_are_those_of_splitmix64_from_the_seed_0() {
        let published: [u64; 4] =
            [0xE220_A839_7B1D_CDAF, 0x6E78_9E6A_A1B9_65F4, 0x06C4_5D18_8009_454F, 0xF88B_B8A8_724C_81EC];
        assert_eq!([0, 1, 2, 3].map(mixed), published);
    }
}
