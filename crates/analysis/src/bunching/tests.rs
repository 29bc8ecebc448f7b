//! Sequences whose bunches are known.

use proptest::prelude::*;

use super::*;
use crate::draws::Draws;

const FAST: u64 = 300_000;
const SLOW: u64 = 40_000_000;
const BYTES: u64 = 4096;

/// I/Os whose load swings by a factor of five, with the slow ones where `is_slow` has them.
fn sequence(seed: u64, count: usize, mut is_slow: impl FnMut(usize, &mut Draws) -> bool) -> Vec<(u64, u64)> {
    let mut draw = Draws(seed);
    let mut at = 0;
    (0..count)
        .map(|number| {
            let mean = if number / 5_000 % 2 == 0 { 200_000.0 } else { 1_000_000.0 };
            at += draw.gap(mean);
            let latency = if is_slow(number, &mut draw) { SLOW } else { FAST };
            (at, latency)
        })
        .collect()
}

fn analysed(sequence: &[(u64, u64)]) -> Bunching {
    let mut bunching = Bunching::default();
    sequence.iter().for_each(|(at, latency)| bunching.add(*at, *latency, BYTES));
    bunching
}

/// The latencies in another order, at the same times.
fn shuffled(sequence: &[(u64, u64)], seed: u64) -> Vec<(u64, u64)> {
    let mut draw = Draws(seed);
    let mut latencies: Vec<u64> = sequence.iter().map(|(_, latency)| *latency).collect();
    for last in (1..latencies.len()).rev() {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a place in the vector")]
        latencies.swap(last, (draw.share() * (last + 1) as f64) as usize);
    }
    sequence.iter().zip(latencies).map(|((at, _), latency)| (*at, latency)).collect()
}

/// Windows from which on an index is near enough to a normal variate.
const MANY: u64 = 20;

/// Every index lies near 1, and nothing says otherwise.
fn assert_independent(bunching: &Bunching) {
    let slow = bunching.telling().expect("slow I/Os");
    for dispersion in slow.dispersions().iter().filter(|dispersion| dispersion.windows >= MANY) {
        let off = (dispersion.index - 1.0).abs() / dispersion.deviation;
        assert!(off < 4.0, "{dispersion:?} is {off:.1} deviations from 1");
    }
    assert!(slow.lift_sigmas().expect("slow I/Os").abs() < 4.0, "{:?}", slow.lift());
    assert_eq!(slow.period(), None);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20))]

    #[test]
    fn independent_slow_ios_have_dispersion_one(seed: u64) {
        assert_independent(&analysed(&sequence(seed, 200_000, |_, draw| draw.share() < 0.004)));
    }

    #[test]
    fn planted_bunches_are_found_and_lost_by_shuffling(seed: u64) {
        let mut left = 0;
        let planted = sequence(seed, 200_000, |_, draw| {
            if left == 0 && draw.share() < 0.0002 {
                left = 20;
            }
            left = u32::saturating_sub(left, 1);
            left > 0
        });
        let found = analysed(&planted);
        let slow = found.telling().expect("slow I/Os");
        prop_assert!(slow.lift().expect("slow I/Os") > 50.0);
        for dispersion in slow.dispersions().iter().filter(|dispersion| dispersion.windows >= MANY) {
            prop_assert!(dispersion.index > 1.0 + 5.0 * dispersion.deviation, "{dispersion:?}");
        }
        assert_independent(&analysed(&shuffled(&planted, seed)));
    }

    #[test]
    fn a_planted_period_is_found_and_lost_by_shuffling(seed: u64, period in 600usize..2_000) {
        let planted = sequence(seed, 200_000, |number, _| number % period == period - 1);
        let found = analysed(&planted);
        let Some(Period::Bytes(bytes)) = found.telling().expect("slow I/Os").period() else {
            panic!("no period")
        };
        prop_assert!((bytes / (period as f64 * BYTES as f64) - 1.0).abs() < 0.01, "{bytes}");
        prop_assert_eq!(analysed(&shuffled(&planted, seed)).telling().and_then(|slow| slow.period()), None);
    }
}

#[test]
fn frozen_time_is_a_union() {
    let mut bunching = Bunching::default();
    // Two I/Os that overlap: slow from 10 ms on, until 100 and 120 ms.
    bunching.add(0, 100_000_000, 0);
    bunching.add(20_000_000, 100_000_000, 0);
    let slow = bunching.thresholds().next().expect("the least threshold");
    assert_eq!(slow.frozen(), 110_000_000);
    assert_eq!(slow.episode_count(), 1);
    assert_eq!(slow.episodes()[0].end, 120_000_000);
}
