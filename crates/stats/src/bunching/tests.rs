//! Sequences whose bunches are known.

use super::*;
use crate::draws::fixture::Draws;

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
    for (at, latency) in sequence {
        bunching.add(*at, *latency, BYTES);
    }
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

/// The slow I/Os at the threshold that a trace of these alone would have.
fn slow_ios(bunching: &Bunching) -> SlowIos<'_> {
    let nothing = Bunching::default();
    let threshold = SlowThreshold::chosen(&[[bunching, &nothing]]);
    bunching.at(bunching.place(threshold.limit).expect("it is counted"))
}

/// Windows from which on an index is near enough to a normal variate.
const MANY: u64 = 20;

/// Every index lies near 1, and nothing says otherwise.
fn assert_independent(bunching: &Bunching) {
    let slow = slow_ios(bunching);
    for dispersion in slow.dispersions().iter().filter(|dispersion| dispersion.windows >= MANY) {
        let off = (dispersion.index - 1.0).abs() / dispersion.deviation;
        assert!(off < 6.0, "{dispersion:?} is {off:.1} deviations from 1");
    }
    // Three pairs are expected, and few counts have long tails: four deviations would come once in a hundred runs of this.
    assert!(slow.lift_sigmas().expect("slow I/Os").abs() < 6.0, "{:?}", slow.lift());
    assert_eq!(slow.tally.episodes.period(), None);
}

/// How likely chance alone clusters the slow I/Os of the chosen threshold as much.
fn rotated(bunching: &Bunching) -> f64 {
    let slow = slow_ios(bunching);
    slow.rotation().expect("few enough to rotate").p
}

/// A statistic strays by chance once in so many sequences, so what is claimed of one is claimed of these: the same ones in
/// every run. How often chance alone raises an alarm has a test of its own below.
const SEEDS: std::ops::Range<u64> = 0..20;

#[test]
fn independent_slow_ios_have_dispersion_one() {
    for seed in SEEDS {
        assert_independent(&analysed(&sequence(seed, 200_000, |_, draw| draw.share() < 0.004)));
    }
}

#[test]
fn planted_bunches_are_found_and_lost_by_shuffling() {
    for seed in SEEDS {
        let mut left = 0;
        let planted = sequence(seed, 200_000, |_, draw| {
            if left == 0 && draw.share() < 0.0002 {
                left = 20;
            }
            left = u32::saturating_sub(left, 1);
            left > 0
        });
        let found = analysed(&planted);
        let slow = slow_ios(&found);
        assert!(slow.lift().expect("slow I/Os") > 50.0);
        for dispersion in slow.dispersions().iter().filter(|dispersion| dispersion.windows >= MANY) {
            assert!(dispersion.index > 1.0 + 5.0 * dispersion.deviation, "{dispersion:?}");
        }
        assert!(rotated(&found) <= 0.002);
        let shuffled = analysed(&shuffled(&planted, seed));
        assert_independent(&shuffled);
        assert!(rotated(&shuffled) > 0.002);
    }
}

#[test]
fn a_planted_period_is_found_and_lost_by_shuffling() {
    for seed in SEEDS {
        let period = 600 + seed * 73;
        let planted = sequence(seed, 200_000, |number, _| number as u64 % period == period - 1);
        let found = analysed(&planted);
        let slow = slow_ios(&found);
        let Some(Period::Bytes(bytes)) = slow.tally.episodes.period() else { panic!("no period") };
        assert!((bytes / (period as f64 * BYTES as f64) - 1.0).abs() < 0.01, "{bytes}");
        assert!(slow.tally.episodes.period_by_chance().expect("a period") <= 0.002);
        assert_eq!(slow.tally.episodes.list()[1].bytes_before, period * BYTES);
        assert_eq!(slow_ios(&analysed(&shuffled(&planted, seed))).tally.episodes.period(), None);
    }
}

/// Of independent sequences, whatever their load does, one in twenty is called significant at 5 %: not many more, which
/// would be false alarms, and not far fewer, which would hide bunches.
#[test]
fn one_in_twenty_independent_sequences_is_significant_at_five_per_cent() {
    const SEQUENCES: u64 = 400;
    let p = |seed| rotated(&analysed(&sequence(seed, 20_000, |_, draw| draw.share() < 0.004)));
    let found: Vec<f64> = (0..SEQUENCES).map(p).collect();
    let significant = |level: f64| found.iter().filter(|p| **p <= level).count() as f64 / SEQUENCES as f64;
    // Three standard deviations of a binomial share.
    let near = |level: f64| 3.0 * (level * (1.0 - level) / SEQUENCES as f64).sqrt();
    for level in [0.05, 0.2, 0.5] {
        assert!((significant(level) - level).abs() < near(level), "{} at {level}", significant(level));
    }
}

/// Small bunches that neither a person nor the index at one window would make out.
#[test]
fn pairs_of_slow_ios_are_significant_and_shuffled_ones_are_not() {
    let alone = sequence(5, 100_000, |_, draw| draw.share() < 0.002);
    let mut after = alone.clone();
    for number in 1..alone.len() {
        if alone[number - 1].1 == SLOW && number % 3 == 0 {
            after[number].1 = SLOW;
        }
    }
    assert!(rotated(&analysed(&after)) <= 0.01);
    assert!(rotated(&analysed(&shuffled(&after, 9))) > 0.05);
}

/// Ten slow ones in a row after every 490: shifted, they must not meet again often enough to pass for chance.
#[test]
fn bunches_that_come_back_regularly_are_significant() {
    let regular = sequence(11, 40_000, |number, _| number % 500 >= 490);
    assert!(rotated(&analysed(&regular)) <= 0.002);
    let dense = sequence(11, 40_000, |number, _| number % 20 >= 17);
    assert!(rotated(&analysed(&dense)) <= 0.002);
}

#[test]
fn the_same_sequence_gives_the_same_answer() {
    let sequence = sequence(3, 30_000, |_, draw| draw.share() < 0.004);
    let found = |_| {
        let bunching = analysed(&sequence);
        slow_ios(&bunching).rotation()
    };
    assert_eq!(found(0), found(1));
}

#[test]
fn the_worst_episodes_are_found_wherever_they_lie() {
    let mut bunching = Bunching::default();
    for number in 0..100u64 {
        let latency = if number % 10 == 9 { 20_000_000 + number * 1_000_000 } else { FAST };
        bunching.add(number * 1_000_000_000, latency, 0);
    }
    let slow = bunching.thresholds().next().expect("the least threshold");
    let worst: Vec<u64> = slow.tally.episodes.worst().iter().map(|episode| episode.worst).collect();
    let expected: Vec<u64> = (0..10).rev().map(|ten| 20_000_000 + (ten * 10 + 9) * 1_000_000).collect();
    assert_eq!(worst, expected);
}

#[test]
fn frozen_time_is_a_union() {
    let mut bunching = Bunching::default();
    // Two I/Os that overlap: slow from 10 ms on, until 100 and 120 ms.
    bunching.add(0, 100_000_000, 0);
    bunching.add(20_000_000, 100_000_000, 0);
    let slow = bunching.thresholds().next().expect("the least threshold");
    assert_eq!(slow.tally.frozen, 110_000_000);
    assert_eq!(slow.tally.episodes.count, 1);
    assert_eq!(slow.tally.episodes.list()[0].end, 120_000_000);
}

/// Slow ones twenty in a row.
fn bursts(seed: u64) -> Vec<(u64, u64)> {
    let mut left = 0;
    sequence(seed, 200_000, |_, draw| {
        if left == 0 && draw.share() < 0.0002 {
            left = 20;
        }
        left = u32::saturating_sub(left, 1);
        left > 0
    })
}

fn judged(sequence: &[(u64, u64)]) -> Clustering {
    let bunching = analysed(sequence);
    bunching.judge(SlowThreshold::chosen(&[[&bunching, &Bunching::default()]])).clustering
}

#[test]
fn planted_bursts_are_judged_clustered_and_enough_independent_slow_ios_consistent_with_chance() {
    let mut by_chance = 0;
    for seed in SEEDS {
        let found = judged(&bursts(seed));
        assert!(matches!(found, Clustering::Shown(ClusteringShown::Following(_))), "{found:?}");
        match judged(&sequence(seed, 200_000, |_, draw| draw.share() < 0.004)) {
            Clustering::Chance { shortest, longest } => {
                assert!(shortest <= 100_000_000 && longest >= 100_000_000, "{shortest} to {longest}");
                by_chance += 1;
            }
            // Chance does so in one of twenty.
            found => assert!(
                matches!(found, Clustering::NotShown(_) | Clustering::Shown(ClusteringShown::Slightly(_))),
                "{found:?}"
            ),
        }
    }
    assert!(by_chance >= 16, "{by_chance} of 20");
}

/// The amount of clustering that "consistent with chance" excludes: where it is there, that is hardly ever said.
#[test]
fn the_bursts_that_chance_excludes_are_not_called_chance() {
    let mut by_chance = 0;
    for seed in 0..40 {
        let mut left = 0;
        // One in nine of 800 slow I/Os lies in a burst of ten.
        let found = judged(&sequence(seed, 200_000, |_, draw| {
            if left == 0 && draw.share() < 0.004 / 90.0 {
                left = 10;
            }
            left = u32::saturating_sub(left, 1);
            left > 0 || draw.share() < 0.004 * 8.0 / 9.0
        }));
        by_chance += u32::from(matches!(found, Clustering::Chance { .. }));
    }
    assert!(by_chance <= 4, "{by_chance} of 40");
}

#[test]
fn of_few_slow_ios_neither_is_shown() {
    for seed in SEEDS {
        let found = judged(&sequence(seed, 20_000, |_, draw| draw.share() < 0.004));
        let is_not_shown = matches!(
            found,
            Clustering::NotShown(
                NotShown::TooFew { .. } | NotShown::LargeIndex { .. } | NotShown::Borderline(_)
            ) | Clustering::Shown(ClusteringShown::Slightly(_))
        );
        assert!(is_not_shown, "{found:?}");
    }
    let few = analysed(&sequence(1, 20_000, |number, _| number % 2_000 == 7));
    let found = few.judge(SlowThreshold::asked(10_000_000)).clustering;
    assert_eq!(found, Clustering::NotShown(NotShown::TooFew { slow: 10, needed: 270 }));
}

#[test]
fn a_large_index_that_chance_may_do_is_called_neither() {
    let found = analysed(&bursts(3));
    let slow = slow_ios(&found);
    let rotation = |p| PermutationTest { p, rotations: 999, finest_window: 10_000_000 };
    let at = |p| slow.clustering(&Chance { crowding: Some(rotation(p)), period: None });
    assert!(matches!(at(0.069), Clustering::NotShown(NotShown::LargeIndex { index, .. }) if index > 10.0));
    assert!(matches!(at(0.04), Clustering::Shown(_)));
    let even = analysed(&sequence(3, 200_000, |_, draw| draw.share() < 0.004));
    let slow = slow_ios(&even);
    let at = |p| slow.clustering(&Chance { crowding: Some(rotation(p)), period: None });
    assert!(matches!(at(0.003), Clustering::Shown(ClusteringShown::Slightly(_))));
    assert_eq!(at(0.03), Clustering::NotShown(NotShown::Borderline(0.03)));
    let most = analysed(&sequence(3, 2_000, |_, draw| draw.share() < 0.9));
    let judged = most.judge(SlowThreshold::asked(10_000_000)).clustering;
    assert!(matches!(judged, Clustering::NotShown(NotShown::TooMany(share)) if share > 0.85), "{judged:?}");
}

#[test]
fn one_threshold_is_chosen_for_all_traces_on_one_page() {
    // How many of every 1,000 writes are slow, and how long these take.
    let of = |slow: u64, latency: u64| {
        let mut bunching = Bunching::default();
        for number in 0..10_000 {
            let is_slow = number % 1_000 < slow;
            bunching.add(number * 1_000_000, if is_slow { latency } else { FAST }, BYTES);
        }
        bunching
    };
    let reads = Bunching::default();
    let page = |writes: &[&Bunching]| {
        let traces: Vec<[&Bunching; 2]> = writes.iter().map(|writes| [&reads, *writes]).collect();
        SlowThreshold::chosen(&traces)
    };
    let fixed = |nanos, origin| SlowThreshold { limit: Threshold::Fixed(nanos), origin };
    let (good, bad) = (of(5, 12_000_000), of(50, 34_000_000));
    let mut worse = of(50, 34_000_000);
    (0..30).for_each(|number| {
        worse.add((20_000 + number * 400) * 1_000_000, 60_000_000, BYTES);
    });
    assert_eq!(page(&[&good]), fixed(10_000_000, ThresholdOrigin::Own));
    assert_eq!(page(&[&worse]), fixed(50_000_000, ThresholdOrigin::Own));
    let common = fixed(50_000_000, ThresholdOrigin::Common);
    assert_eq!(page(&[&good, &worse]), common);
    for bunching in [&good, &worse] {
        assert_eq!(bunching.judge(common).slow(bunching).tally.threshold, common.limit);
    }
    // 34 ms are no rare exception there, and nothing is longer: bursts at 34 ms are seen all the same.
    assert_eq!(page(&[&bad]), fixed(10_000_000, ThresholdOrigin::Own));
    assert_eq!(page(&[&bad, &bad]), fixed(10_000_000, ThresholdOrigin::Common));
    assert!(matches!(bad.judge(page(&[&bad, &bad])).clustering, Clustering::Shown(_)));
    // Below all fixed thresholds only a trace that is shown alone is judged, by its own median.
    let quick = of(5, 9_000_000);
    let own = SlowThreshold { limit: Threshold::TenMedians, origin: ThresholdOrigin::Own };
    assert_eq!(page(&[&quick]), own);
    let instant = fixed(100_000_000, ThresholdOrigin::Instant);
    assert_eq!(page(&[&quick, &quick]), instant);
    assert_eq!(page(&[&of(999, 2_000_000_000)]), instant, "nearly all are slow at every threshold");
}

#[test]
fn what_is_slow_is_marked_and_follows_another_or_the_bytes_that_were_written() {
    let mut bunching = Bunching::default();
    // Exactly 10 ms is slow at the least threshold, and at ten times the median of the time.
    let bits: Vec<u8> = [FAST, 10_000_000, 9_999_999, FAST, 16_700_000, FAST]
        .iter()
        .enumerate()
        .map(|(number, latency)| bunching.add(number as u64 * 1_000_000_000, *latency, BYTES))
        .collect();
    assert_eq!(bits, [0, 0b1000_0001, 0b1000_0000, 0, 0b1000_0011, 0]);
    assert_eq!(
        (bunching.count(), bunching.marks.at(0), bunching.marks.at(1)),
        (6, Some(vec![1, 4]), Some(vec![4]))
    );
    // Where the median is that long, ten of it are more than the least threshold.
    let mut long = Bunching::default();
    assert_eq!([2_000_000, 2_000_000, 10_000_000].map(|latency| long.add(0, latency, 0)), [0, 0, 1]);
    bunching.wrote(500);
    bunching.add(10_000_000_000, SLOW, BYTES);
    let before: Vec<u64> =
        bunching.at(0).tally.episodes.list().iter().map(|episode| episode.bytes_before).collect();
    assert_eq!(before, [BYTES, 3 * BYTES, 2 * BYTES + 500]);
    let counts: Vec<u64> = bunching.thresholds().map(|slow| slow.tally.slow).collect();
    assert_eq!(counts, [3, 2, 1, 0, 0, 0, 0, 4]);
}
