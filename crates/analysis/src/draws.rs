//! Random numbers for the tests: the crate itself draws none.

/// A small generator (splitmix64).
pub struct Draws(pub u64);

impl Draws {
    /// Between 0 and 1.
    pub fn share(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((mixed ^ (mixed >> 31)) >> 11) as f64 / (1u64 << 53) as f64
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
