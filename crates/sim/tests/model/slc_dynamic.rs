//! A cache whose size follows the free space: its knee, its plateaus, and what a rest brings back.

use crate::rig::formula::SlcRates;
use crate::rig::{Rig, SECOND, assert_near, request};
use drivelab_block::{Engine, Op};

const GIB: u64 = 1 << 30;
const STEP: u64 = 8 << 20;

/// A QLC drive of 32 GiB whose dies alone take time.
fn spec(more: &str) -> String {
    format!(
        "qlc-slc?size=32GiB&over_provisioning=30%&dies=4&planes=2&page=8KiB&pages_per_block=256&collect_pool=0\
         &write_buffer=1MiB&controller_noise=0%&command_time=0s&unit_time=0s&link=90GB/s&bus=90GB/s{more}"
    )
}

/// The rates of such a drive, in bytes a second: programs of four units on four dies, blocks of 256 units in SLC mode.
fn rates() -> SlcRates {
    SlcRates {
        dies: 4.0,
        program_units: 4.0,
        slc_block_units: 256.0,
        bits_per_cell: 4.0,
        slc_program: 200e-6,
        program: 2.2e-3,
        read: 80e-6,
        erase: 5e-3,
    }
}

/// MB/s of each 8 MiB of a sequential write of `bytes` from `start` on.
fn curve(rig: &mut Rig, start: u64, bytes: u64) -> Vec<f64> {
    let mut rates = Vec::new();
    for step in 0..bytes / STEP {
        let begun = rig.drive.now();
        let first = (start + step * STEP) / 512;
        let mut requests = (0..STEP / 131_072).map(|i| request(Op::Write, first + i * 256, 256));
        rig.run(None, || requests.next(), |_| {});
        rates.push(STEP as f64 / rig.drive.now().since(begun).as_secs_f64() / 1e6);
    }
    rates
}

/// Bytes that were written at more than half of the cache's rate. What is left of a dense block on each die is filled first.
fn fast(curve: &[f64]) -> f64 {
    let count = curve.iter().filter(|&&rate| rate * 1e6 > rates().cache() / 2.0).count();
    (count as u64 * STEP) as f64
}

/// What still fits in the cache. What a rest was worth is worked out when the next command comes.
fn left(rig: &mut Rig) -> f64 {
    let mut flush = [request(Op::Flush, 0, 0)].into_iter();
    rig.run(None, || flush.next(), |_| {});
    rig.drive.ground_truth().slc_cache.expect("it has a cache").left.get() as f64
}

#[test]
fn the_knee_is_the_share_of_the_free_space_between_the_least_and_the_most() {
    let more = "&slc_share=20%&slc_cache=5GiB&slc_min=2GiB&slc_full=direct";
    for (filled, expected) in [(0, 5.0), (50, 0.2 * 16.0), (60, 0.2 * 12.8), (80, 2.0)] {
        let mut rig = Rig::new(&spec(more));
        rig.fill(filled);
        rig.rest(1000 * SECOND);
        let told = left(&mut rig);
        let rates = curve(&mut rig, filled * 32 * GIB / 100 / STEP * STEP, 6 * GIB);
        assert_near(fast(&rates), expected * GIB as f64, 0.02, &format!("knee at {filled} %"));
        assert_near(fast(&rates), told, 0.02, &format!("knee at {filled} % as the drive has it"));
        rig.check();
    }
}

#[test]
fn a_discard_makes_the_cache_larger_again() {
    let mut rig = Rig::new(&spec("&slc_share=20%&slc_cache=32GiB&slc_full=direct"));
    rig.fill(75);
    rig.rest(1000 * SECOND);
    assert_near(left(&mut rig), 0.2 * 8.0 * GIB as f64, 0.02, "three quarters full");
    rig.allow_discards();
    let mut half = [request(Op::Discard, 0, 16 * GIB / 512)].into_iter();
    rig.run(None, || half.next(), |_| {});
    // Its blocks are not collected yet: the cache may become so large, and does when there are free blocks.
    let size = rig.drive.ground_truth().slc_cache.expect("it has a cache").size.get();
    assert_near(size as f64, 0.2 * 24.0 * GIB as f64, 0.02, "a quarter full");
    rig.check();
}

#[test]
fn direct_writes_are_followed_by_folding_when_free_blocks_are_short() {
    let mut rig = Rig::new(&spec("&slc_share=20%&slc_cache=32GiB&slc_full=direct_then_fold"));
    let expected = rates();
    let rates = curve(&mut rig, 0, 32 * GIB);
    let mean = |from: f64, to: f64| {
        let places = (0..rates.len()).filter(|&step| (from..to).contains(&(step as f64 / 128.0)));
        let part: Vec<f64> = places.map(|step| rates[step]).collect();
        // Rates of equal amounts: the harmonic mean is that of the whole part.
        part.len() as f64 / part.iter().map(|rate| 1.0 / rate).sum::<f64>()
    };
    let cache = 0.2 * 32.0;
    assert_near(fast(&rates), cache * GIB as f64, 0.02, "the first knee");
    // Each GiB of the cache takes four of the dense cells.
    let second = cache + 32.0 * 1.3 - 4.0 * cache;
    assert_near(mean(0.5, cache - 0.2), expected.cache() / 1e6, 0.05, "in the cache");
    assert_near(mean(cache + 0.2, second - 0.5), expected.direct() / 1e6, 0.05, "directly");
    let folding = mean(second + 0.5, 31.5);
    assert_near(folding, expected.folding_to_gain_blocks() / 1e6, 0.05, "folding");
    assert!(folding < 0.8 * mean(cache + 0.2, second - 0.5), "{folding} MB/s");
    assert_eq!(rig.drive.ground_truth().mapped_units, rig.sectors() / 8);
    rig.check();
}

#[test]
fn folding_costs_what_the_rates_of_the_profile_say() {
    let mut rig = Rig::new(&spec("&slc_cache=2GiB&slc_kind=static&slc_full=fold"));
    let expected = rates();
    let rates = curve(&mut rig, 0, 4 * GIB);
    let after = &rates[3 * rates.len() / 4..];
    let folding = expected.folding() / 1e6;
    assert_near(after.iter().sum::<f64>() / after.len() as f64, folding, 0.05, "MB/s");
    assert_near(rates[10], expected.cache() / 1e6, 0.05, "MB/s in the cache");
}

#[test]
fn a_rest_brings_back_what_was_emptied_meanwhile() {
    let rate = 100e6;
    for (kind, share, size) in [("static", 0.0, 2.0 * GIB as f64), ("dynamic", 0.2, 6.4 * GIB as f64)] {
        let share_key = if share > 0.0 { "&slc_share=20%&slc_cache=32GiB" } else { "&slc_cache=2GiB" };
        let spec = spec(&format!("{share_key}&slc_kind={kind}&slc_full=direct&slc_empty_rate=100MB/s"));
        for rest in [10, 20, 500] {
            let mut rig = Rig::new(&spec);
            let first = curve(&mut rig, 0, 8 * GIB);
            assert_near(fast(&first), size, 0.02, "the first knee");
            let before = left(&mut rig);
            rig.rest(rest * SECOND);
            let emptied = (rate * (rest as f64 - 0.2)).min(size);
            // What was emptied or written directly fills dense cells, and the free space is smaller by that.
            let direct = 8.0 * GIB as f64 - size;
            let expected = emptied * (1.0 - share) - direct * share;
            let second = curve(&mut rig, 8 * GIB, 7 * GIB);
            let what = format!("{kind}, {rest} s");
            assert_near(fast(&second), expected, 0.05, &what);
            assert!(before < 0.01 * size, "{what}: it was full");
            rig.check();
        }
    }
}

#[test]
fn a_full_drive_that_is_discarded_has_its_whole_cache_again_after_a_rest() {
    // It sleeps meanwhile, too.
    let sleep =
        "&power_state_1_after=100ms&power_state_1_exit=2ms&idle_collect_after=1s&slc_empty_rate=500MB/s";
    for full in ["direct", "direct_then_fold"] {
        let mut rig = Rig::new(&spec(&format!("&slc_share=20%&slc_cache=32GiB&slc_full={full}{sleep}")));
        rig.fill(100);
        rig.allow_discards();
        // In pieces: a discard of the whole makes the drive fresh at once.
        let mut all = (0..32).map(|piece| request(Op::Discard, piece * GIB / 512, GIB / 512));
        rig.run(None, || all.next(), |_| {});
        rig.rest(1000 * SECOND);
        let told = left(&mut rig);
        assert_near(told, 0.2 * 32.0 * GIB as f64, 0.02, full);
        let rates = curve(&mut rig, 0, 8 * GIB);
        assert_near(fast(&rates), told, 0.02, full);
        // What the cache holds now is emptied in the next rest, and the cache is as large as before, but for what is written.
        rig.rest(10_000 * SECOND);
        let again = curve(&mut rig, 8 * GIB, 8 * GIB);
        assert_near(fast(&again), 0.2 * 24.0 * GIB as f64, 0.05, full);
        rig.check();
    }
}
