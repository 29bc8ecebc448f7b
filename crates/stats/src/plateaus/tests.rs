use super::*;
use crate::draws::fixture::Draws;

const STEPS: usize = 2_000;

/// A curve of a shape, over 0 to 1 of the range, with first-order autoregressive noise.
fn curve(seed: u64, (spread, alike): (f64, f64), shape: impl Fn(f64) -> f64) -> Vec<f64> {
    let mut draws = Draws(seed * 7_919 + 13);
    let mut last = draws.normal();
    let own = f64::sqrt(1.0 - alike * alike);
    (0..STEPS)
        .map(|step| {
            last = alike * last + own * draws.normal();
            shape(step as f64 / STEPS as f64) * (spread * last).exp()
        })
        .collect()
}

fn knees(rates: &[f64]) -> Vec<usize> {
    Plateaus::from_rates(rates).knees.iter().map(|knee| knee.at).collect()
}

#[test]
fn knees_are_found_where_they_are() {
    for seed in 0..1_000 {
        let mut draws = Draws(seed);
        let (first, second) = (0.02 + 0.4 * draws.share(), 0.5 + 0.45 * draws.share());
        let levels = [2_000.0, 2_000.0 / (1.4 + 3.0 * draws.share()), 300.0];
        let shape = |at: f64| levels[usize::from(at >= first) + usize::from(at >= second)];
        let noise = (0.05 * draws.share(), 0.7 * draws.share());
        let found = Plateaus::from_rates(&curve(seed, noise, shape));
        let at: Vec<f64> = found.knees.iter().map(|knee| knee.at as f64 / STEPS as f64).collect();
        assert_eq!(at.len(), 2, "{seed}: {at:?} instead of {first} {second}, {levels:?} with {noise:?}");
        assert!((at[0] - first).abs() < 0.01 && (at[1] - second).abs() < 0.01, "{at:?}: {first} {second}");
        for (plateau, level) in found.plateaus.iter().zip(levels) {
            assert!((plateau.rate.median / level - 1.0).abs() < 0.05, "{plateau:?}: {level}");
        }
    }
}

#[test]
fn a_knee_lies_within_its_interval() {
    let is_within = |seed: u64| {
        let shape = |at: f64| if at < 0.3 { 500.0 } else { 400.0 };
        let found = Plateaus::from_rates(&curve(seed, (0.08, 0.0), shape));
        let knee = found.knees.first().unwrap_or_else(|| panic!("no knee with the seed {seed}"));
        (knee.earliest..=knee.latest).contains(&600)
    };
    let within = (0..500).filter(|seed| is_within(*seed)).count();
    assert!(within >= 475, "{within} of 500");
}

/// Slow and fast undulations, a drift as of a disk, and noise of which neighbours are alike.
#[test]
fn a_curve_that_undulates_or_drifts_has_no_knee() {
    let has_knee = |seed: &u64| {
        let mut draws = Draws(*seed + 50_000);
        let (height, period) = (0.3 * draws.share(), 0.02 * f64::powf(100.0, draws.share()));
        let (phase, drift) = (draws.share(), 0.5 * draws.share());
        let shape = |at: f64| {
            let wave = (std::f64::consts::TAU * (at / period + phase)).sin();
            500.0 * (1.0 + height * wave) * (1.0 - drift * at)
        };
        let noise = (0.1 * draws.share(), 0.9 * draws.share());
        !knees(&curve(*seed, noise, shape)).is_empty()
    };
    let found: Vec<u64> = (0..1_000).filter(has_knee).collect();
    assert!(found.len() < 10, "{} of 1,000: {found:?}", found.len());
}

#[test]
fn a_rate_that_alternates_often_has_no_knee() {
    for period in [2, 7, 40, 100] {
        let rates: Vec<f64> =
            (0..STEPS).map(|step| if step / period % 2 == 0 { 900.0 } else { 300.0 }).collect();
        assert_eq!(knees(&rates), [0; 0], "{period}");
    }
}

#[test]
fn a_small_cache_is_seen_and_a_short_dip_is_none() {
    let small = |at: f64| if at < 0.004 { 3_000.0 } else { 800.0 };
    assert_eq!(knees(&curve(1, (0.02, 0.0), small)), [8]);
    let dip = |at: f64| if (0.5..0.505).contains(&at) { 200.0 } else { 800.0 };
    assert_eq!(knees(&curve(1, (0.02, 0.0), dip)), [0; 0]);
}

#[test]
fn a_level_that_rises_is_a_plateau_of_its_own() {
    let shape = |at: f64| if at < 0.25 { 300.0 } else { 500.0 };
    assert_eq!(knees(&curve(3, (0.01, 0.3), shape)), [500]);
}

#[test]
fn a_change_by_less_than_a_sixth_is_no_knee() {
    let fall =
        |factor: f64| knees(&curve(1, (0.001, 0.0), |at| if at < 0.5 { 500.0 } else { 500.0 / factor }));
    assert_eq!((fall(1.19), fall(1.21)), (vec![], vec![1_000]));
}

#[test]
fn a_short_curve_and_one_without_rates_say_nothing() {
    assert_eq!(Plateaus::from_rates(&[5.0; 39]), Plateaus::default());
    assert_eq!(Plateaus::from_rates(&[0.0; 100]), Plateaus::default());
    assert_eq!(Plateaus::from_rates(&[5.0; 40]).plateaus.len(), 1);
}
