//! What a pass leaves behind, against the formula.

use proptest::prelude::*;

use super::*;

/// When each block was written last, in writes before the end of the pass, which counts from 0.
fn last_ages(blocks: u64, writes: u64, seed: u64) -> Vec<u64> {
    let mut last = vec![u64::MAX; usize::try_from(blocks).expect("a small range")];
    let mut count = 0;
    for block in OnePass::new(blocks, writes, Seed::new(seed)) {
        last[usize::try_from(block).expect("a small range")] = writes - 1 - count;
        count += 1;
    }
    assert_eq!(count, writes, "the pass is as long as the flash");
    last
}

proptest! {
    #[test]
    fn a_pass_is_as_long_as_the_flash_and_writes_every_block(
        blocks in 1u64..3000, spare in 0u64..3000, seed in any::<u64>()
    ) {
        let ages = last_ages(blocks, blocks + spare, seed);
        prop_assert!(ages.iter().all(|age| *age < blocks + spare));
    }

    #[test]
    fn the_permutation_has_every_number_once(bound in 1u64..5000, seed in any::<u64>()) {
        let permutation = Permutation::new(bound, Seed::new(seed));
        let mut all: Vec<u64> = (0..bound).map(|number| permutation.at(number)).collect();
        all.sort_unstable();
        prop_assert!(all.into_iter().eq(0..bound));
    }
}

/// A region of the flash has the share of valid data that the steady state has at its age, within five standard deviations of
/// independent draws.
#[test]
fn each_region_has_the_valid_share_of_its_age() {
    const REGIONS: u64 = 50;
    for (blocks, writes) in
        [(1_000_000, 1_020_000), (1_000_000, 1_075_000), (500_000, 700_000), (100_000, 300_000)]
    {
        let u = collected_valid_share(writes as f64 / blocks as f64);
        let decay = blocks as f64 / (1.0 - u);
        let mut valid = [0_u64; 50];
        for age in last_ages(blocks, writes, 3) {
            valid[usize::try_from(age * REGIONS / writes).expect("a region")] += 1;
        }
        let length = (writes / REGIONS) as f64;
        for (region, count) in valid.into_iter().enumerate() {
            let (young, old) = (region as f64 * length, (region + 1) as f64 * length);
            let share = decay * ((-young / decay).exp() - (-old / decay).exp()) / length;
            let deviation = (share * (1.0 - share) / length).sqrt();
            let found = count as f64 / length;
            assert!(
                (found - share).abs() <= 5.0 * deviation,
                "{writes}/{blocks}, region {region}: {found:.4}, not {share:.4}"
            );
        }
    }
}

/// The write amplification that the share gives, against the table of the formula with Lambert's W in the limit of large blocks.
#[test]
fn the_collected_share_is_that_of_the_formula() {
    for (over_provisioning, amplification) in [(0.07, 7.82), (0.12, 4.85), (0.25, 2.69), (0.28, 2.48)] {
        let found = 1.0 / (1.0 - collected_valid_share(1.0 + over_provisioning));
        assert!((found - amplification).abs() < 0.005, "{over_provisioning}: {found}, not {amplification}");
    }
    for alpha in [1.0, 0.5, f64::NAN] {
        assert!((collected_valid_share(alpha) - 1.0).abs() < f64::EPSILON);
    }
}

/// Addresses do not follow each other: what a drive stores next to each other is not what was asked for in a row.
#[test]
fn neighbours_in_time_are_no_neighbours_in_address() {
    let pass: Vec<u64> = OnePass::new(1 << 16, 70_000, Seed::new(5)).collect();
    let near = pass.windows(2).filter(|pair| pair[0].abs_diff(pair[1]) < 656).count();
    // 2 % of independent pairs lie within 1 % of the range; five standard deviations.
    assert!((1_215..=1_585).contains(&near), "{near}");
}
