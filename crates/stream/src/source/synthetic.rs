//! Frames that are made: lengths, arrivals, and what is in them.

use drivelab_block::{Instant, Nanos};
use rand_core::{Rng as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::pattern::stamp;
use super::station::ChannelWriter;

/// How frames are spaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameArrivals {
    /// Equal gaps.
    Regular,
    /// Independent exponential gaps.
    Poisson,
}

/// A channel of frames that are made.
#[derive(Clone, Debug, PartialEq)]
pub struct SyntheticFrames {
    /// The least length in bytes.
    pub least_bytes: u32,
    /// The greatest length in bytes; lengths between are equally likely.
    pub most_bytes: u32,
    /// Frames a second on an absolute schedule; as fast as there is room where there is none.
    pub rate: Option<f64>,
    /// How they are spaced.
    pub arrivals: FrameArrivals,
    /// The seed of lengths and gaps.
    pub seed: u64,
    /// The key of what is in them.
    pub key: u64,
}

impl SyntheticFrames {
    /// Makes frames until the recording ends.
    pub(super) fn run(&self, station: &mut ChannelWriter<'_>) {
        let mut draws = Xoshiro256PlusPlus::seed_from_u64(self.seed ^ self.key);
        let mut due = station.clock.now();
        // Regular frames begin with the recording, so that a second of thirty holds thirty; random ones after a gap.
        let mut begins = self.arrivals == FrameArrivals::Regular;
        while !station.is_stopped() {
            if let Some(rate) = self.rate {
                if !std::mem::take(&mut begins) {
                    due += gap(self.arrivals, rate, &mut draws);
                }
                if !station.wait_until(due) {
                    return;
                }
            }
            let bytes = length(self.least_bytes, self.most_bytes, &mut draws);
            if !self.make(station, bytes, self.rate.map(|_| due)) {
                return;
            }
        }
    }

    /// Makes a frame, or drops it; whether the recording goes on.
    fn make(&self, station: &mut ChannelWriter<'_>, bytes: u32, due: Option<Instant>) -> bool {
        let wanted = bytes as usize;
        let sequence = station.next_sequence();
        match station.make_room(wanted) {
            None => {
                // The recording ends before the frame that had the number is made.
                station.tally.produced -= 1;
                return false;
            }
            Some(false) => station.drops.add_frame(u64::from(bytes)),
            Some(true) => {
                let time = station.unix_ns(due.unwrap_or_else(|| station.clock.now()));
                station.filler.begin(sequence, bytes, time);
                let position = station.filler.position();
                stamp(&mut station.filler.areas(wanted), self.key, position, sequence);
                station.filler.advance(wanted);
                station.filler.end(time);
                station.placed(wanted, false);
            }
        }
        true
    }
}

/// A uniform draw in [0, 1) of 53 bits.
fn share(draws: &mut Xoshiro256PlusPlus) -> f64 {
    (draws.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
}

fn gap(arrivals: FrameArrivals, rate: f64, draws: &mut Xoshiro256PlusPlus) -> Nanos {
    let seconds = match arrivals {
        FrameArrivals::Regular => 1.0 / rate,
        // The inverse of the exponential distribution.
        FrameArrivals::Poisson => -(1.0 - share(draws)).ln() / rate,
    };
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
    Nanos::new((seconds * 1e9) as u64)
}

fn length(least: u32, greatest: u32, draws: &mut Xoshiro256PlusPlus) -> u32 {
    let count = f64::from(greatest.saturating_sub(least)) + 1.0;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "below `count`")]
    let more = (share(draws) * count) as u32;
    least.saturating_add(more).min(greatest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draws() -> Xoshiro256PlusPlus {
        Xoshiro256PlusPlus::seed_from_u64(1)
    }

    #[test]
    fn a_share_is_the_upper_53_bits_of_a_draw() {
        let (mut drawn, mut shares) = (draws(), draws());
        for _ in 0..100 {
            let expected = (drawn.next_u64() / 2_048) as f64 / 9_007_199_254_740_992.0;
            assert!((share(&mut shares) - expected).abs() < 1e-18);
        }
    }

    #[test]
    fn gaps_are_equal_or_exponential_with_the_mean_that_was_asked_for() {
        assert_eq!(gap(FrameArrivals::Regular, 25.0, &mut draws()), Nanos::from_millis(40));
        let mut all = draws();
        let gaps: Vec<f64> =
            (0..20_000).map(|_| gap(FrameArrivals::Poisson, 25.0, &mut all).get() as f64 / 4e7).collect();
        let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
        let above_mean = gaps.iter().filter(|gap| **gap > 1.0).count() as f64 / gaps.len() as f64;
        // One in e lies above the mean; three standard errors are 0.02 and 0.01.
        assert!(
            (mean - 1.0).abs() < 0.03 && (above_mean - (-1.0_f64).exp()).abs() < 0.02,
            "{mean}, {above_mean}"
        );
    }

    #[test]
    fn every_length_between_the_least_and_the_greatest_is_as_likely() {
        let mut all = draws();
        let mut counts = [0_u32; 5];
        for _ in 0..10_000 {
            counts[length(100, 104, &mut all) as usize - 100] += 1;
        }
        assert!(counts.iter().all(|count| (1_850..2_150).contains(count)), "{counts:?}");
        assert_eq!(length(7, 7, &mut all), 7);
        assert!(length(u32::MAX - 1, u32::MAX, &mut all) >= u32::MAX - 1);
    }
}
