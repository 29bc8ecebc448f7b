//! Seeded generators, one for every part of the drive that draws.

/// Splitmix64 (Steele, Lea and Flood, 2014): a counter and a mixing function; 2^64 numbers before it repeats.
#[derive(Clone, Debug)]
pub(crate) struct Generator {
    state: u64,
}

/// The parts that draw. Each has a generator of its own, so that a draw added to one never shifts another.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Part {
    Controller = 1,
    DelaySpacing = 2,
    DelayDuration = 3,
    Faults = 4,
}

impl Generator {
    /// The generator of one part of the drive that was made with `seed`.
    pub(crate) fn of_part(seed: u64, part: Part) -> Generator {
        let mut root = Generator { state: seed ^ (part as u64).wrapping_mul(0xD6E8_FEB8_6659_FD93) };
        Generator { state: root.draw() }
    }

    /// The next number, uniform over all 64 bits.
    #[inline]
    pub(crate) fn draw(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `bound`, which is not zero; the bias is under `bound` / 2^64.
    #[inline]
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        let product = u128::from(self.draw()) * u128::from(bound);
        u64::try_from(product >> 64).unwrap_or(0)
    }

    /// A bell-shaped number of mean 0 and deviation [`BELL_DEVIATION`], within 3.5 deviations: the sum of four
    /// uniform ones.
    #[inline]
    pub(crate) fn bell(&mut self) -> i64 {
        let draw = self.draw();
        let sum: i64 = [0, 16, 32, 48].iter().map(|shift| (draw >> shift & 0xFFFF).cast_signed()).sum();
        sum - 2 * 0xFFFF
    }
}

/// The deviation of [`Generator::bell`]: 65536 x sqrt(4 / 12).
pub(crate) const BELL_DEVIATION: i64 = 37_837;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bell_has_the_deviation_it_claims() {
        let mut generator = Generator::of_part(7, Part::Controller);
        let draws: Vec<i64> = (0..100_000).map(|_| generator.bell()).collect();
        let mean = draws.iter().sum::<i64>() / 100_000;
        let variance = draws.iter().map(|x| x * x).sum::<i64>() / 100_000;
        assert!(mean.abs() < 500, "mean {mean}");
        let deviation = variance.isqrt();
        assert!((deviation - BELL_DEVIATION).abs() < 400, "deviation {deviation}");
    }

    #[test]
    fn parts_of_one_seed_draw_different_numbers() {
        let mut a = Generator::of_part(1, Part::Controller);
        let mut b = Generator::of_part(1, Part::DelaySpacing);
        assert_ne!(a.draw(), b.draw());
    }
}
