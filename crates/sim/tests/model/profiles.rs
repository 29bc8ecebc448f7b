//! What each shipped profile must show.

use crate::rig::{self, Rig, SECOND, UNIT_SECTORS, assert_near, deviation, mean, request};
use drivelab_block::{Completion, Engine, Op};
use drivelab_sim::{Spec, shipped_profiles};

/// 3 MiB, the size of a recorder's frames.
const FRAME_SECTORS: u64 = 6144;

#[test]
fn every_shipped_profile_can_be_made() {
    assert!(shipped_profiles().count() >= 10);
    for name in shipped_profiles() {
        let profile = Spec::parse(name).unwrap();
        assert!(!profile.description().is_empty() && profile.description().len() < 120, "{name}");
        assert!(profile.model().contains(name));
    }
}

/// One-second counts after `settle` seconds, of a drive whose first `share` per cent were filled.
fn steady_seconds(spec: &str, share: u64, settle: u64, seconds: u64) -> Vec<u64> {
    let mut rig = Rig::new(spec);
    rig.fill(share);
    rig.write_randomly_for(settle, share, 31);
    let counts = rig.write_randomly_for(seconds, share, 32);
    rig.check();
    counts
}

const FAST: std::ops::RangeInclusive<u64> = 45_000..=55_000;
const LOW: std::ops::RangeInclusive<u64> = 1_000..=3_000;

fn share_within(counts: &[u64], range: &std::ops::RangeInclusive<u64>) -> f64 {
    counts.iter().filter(|count| range.contains(count)).count() as f64 / counts.len() as f64
}

#[test]
fn sm2246en_alternates_between_two_modes_second_by_second() {
    let counts = steady_seconds("sm2246en?size=32GiB", 100, 400, 400);
    let (fast, low) = (share_within(&counts, &FAST), share_within(&counts, &LOW));
    assert!(fast >= 0.05, "{fast} of the seconds are fast");
    assert!(low >= 0.5, "{low} of the seconds are slow");
    assert!(fast + low >= 0.75, "the rest lies between: {}", 1.0 - fast - low);
    let peak = counts.iter().copied().max().unwrap();
    assert_near(peak as f64, 50_000.0, 0.1, "peak");
    let mut slow: Vec<u64> = counts.iter().copied().filter(|&count| count < 10_000).collect();
    slow.sort_unstable();
    let median = slow[slow.len() / 2];
    assert!(LOW.contains(&median), "the low mode is at {median}");
}

#[test]
fn sm2246en_with_a_quarter_kept_back_still_alternates_but_more_of_it_is_fast() {
    let whole = steady_seconds("sm2246en?size=32GiB", 100, 400, 400);
    let kept_back = steady_seconds("sm2246en?size=32GiB", 75, 200, 400);
    let ratio = mean(&kept_back) / mean(&whole);
    assert!(ratio >= 2.0, "the mean is {ratio} times the default's");
    assert!(share_within(&kept_back, &LOW) >= 0.1, "it no longer falls to the low mode");
    assert!(share_within(&kept_back, &FAST) > 2.0 * share_within(&whole, &FAST));
}

#[test]
fn consistent_holds_33_thousand_within_five_per_cent() {
    let counts = steady_seconds("consistent?size=32GiB&collect_pool=172MB", 100, 600, 200);
    assert_near(mean(&counts), 33_000.0, 0.05, "mean IOPS");
    let spread = deviation(&counts) / mean(&counts);
    assert!(spread <= 0.05, "deviation / mean is {spread}");
}

/// Frames written in sequence at depth 1, until `delays` delays have come.
fn stream(spec: &str, delays: usize) -> (Rig, Vec<Completion>) {
    let mut rig = Rig::new(spec);
    rig.set_depth(1);
    let frames = rig.sectors() / FRAME_SECTORS;
    let mut completions = Vec::new();
    let mut next = 0;
    while rig.drive.ground_truth().delays.len() < delays {
        let mut batch =
            (next..next + 500).map(|i| request(Op::Write, i % frames * FRAME_SECTORS, FRAME_SECTORS));
        rig.run(None, || batch.next(), |completion| completions.push(*completion));
        next += 500;
    }
    (rig, completions)
}

/// The stream of a recorder: mean and deviation of the writes that met no delay, of the delays, and of the data between them.
fn check_stream(name: &str, write_ms: (f64, f64), delay_ms: (f64, f64), between_gb: (f64, f64)) {
    let (mut rig, completions) = stream(&format!("{name}?size=16GiB"), 4);
    let truth = rig.drive.ground_truth();
    let met = |number: usize| truth.delays.iter().any(|delay| delay.host_write == number as u64 + 1);
    let micros = |completion: &Completion| completion.service().get() / 1000;
    let plain: Vec<u64> = completions
        .iter()
        .enumerate()
        .filter(|(i, _)| !met(*i))
        .map(|(_, completion)| micros(completion))
        .collect();
    assert_near(mean(&plain) / 1e3, write_ms.0, 0.01, "mean write");
    assert_near(deviation(&plain) / 1e3, write_ms.1, 0.05, "deviation of the writes");

    let durations: Vec<u64> = truth.delays.iter().map(|delay| delay.duration.get() / 1000).collect();
    assert_near(mean(&durations) / 1e3, delay_ms.0, 0.001, "mean delay");
    assert_near(deviation(&durations) / 1e3, delay_ms.1, 0.001, "deviation of the delays");
    let between: Vec<u64> =
        truth.delays.iter().map(|delay| delay.written_since_previous.get() / 1_000_000).collect();
    assert_near(mean(&between) / 1e3, between_gb.0, 0.001, "mean data from one delay to the next");
    assert_near(deviation(&between) / 1e3, between_gb.1, 0.001, "deviation of the data between delays");
    for (i, delay) in truth.delays.iter().enumerate() {
        let met = &completions[usize::try_from(delay.host_write).unwrap() - 1];
        assert_eq!(met.service(), delay.duration, "the write of delay {i} holds all of it");
    }
    rig.check();
}

#[test]
fn mx200_250_takes_frames_in_12_ms_and_stops_for_804_ms_about_every_499_7_gb() {
    check_stream("mx200-250", (11.9, 1.1), (804.0, 12.7), (499.7, 111.7));
}

#[test]
fn x300s_128_takes_frames_in_19_ms_and_stops_for_113_ms_about_every_231_5_gb() {
    check_stream("x300s-128", (19.3, 4.8), (113.0, 6.5), (231.5, 11.5));
}

#[test]
fn qlc_slc_falls_from_its_cache_to_about_100_mb_a_second() {
    let mut rig = Rig::new("qlc-slc");
    let per_second = |rig: &mut Rig, bytes: u64, start: u64| {
        let mut requests = (0..bytes / (1 << 20)).map(|i| request(Op::Write, start + i * 2048, 2048));
        let begun = rig.drive.now();
        rig.run(None, || requests.next(), |_| {});
        bytes as f64 / rig.drive.now().since(begun).as_secs_f64() / 1e6
    };
    let fast = per_second(&mut rig, 70 << 30, 0);
    assert!(fast > 1_000.0, "{fast} MB/s in the cache");
    let between = per_second(&mut rig, 10 << 30, (70 << 30) / 512);
    assert!(between < fast, "the knee lies before 80 GiB");
    let slow = per_second(&mut rig, 10 << 30, (80 << 30) / 512);
    assert_near(slow, 100.0, 0.1, "MB/s after the knee");
    rig.check();
}

/// Sequential writes in requests of 1 MiB from `gib` on; returns MB/s.
fn write_rate(rig: &mut Rig, gib: u64, length_gib: u64) -> f64 {
    let mut requests =
        (gib * 1024..(gib + length_gib) * 1024).map(|mib| request(Op::Write, mib * 2048, 2048));
    let begun = rig.drive.now();
    rig.run(None, || requests.next(), |_| {});
    (length_gib << 30) as f64 / rig.drive.now().since(begun).as_secs_f64() / 1e6
}

/// Reviews: hundreds of GB at the first rate, then about a third of that or less, then less again; and the cache comes back.
#[test]
fn the_nvme_drives_fall_in_two_steps_and_are_fast_again_after_a_rest() {
    let drives = [
        ("tlc-nvme", 5_000.0, 1_500.0, 42),
        ("hmb-nvme", 4_000.0, 700.0, 42),
        ("qlc-nvme", 3_000.0, 220.0, 35),
    ];
    for (name, first, second, behind) in drives {
        let mut rig = Rig::new(&format!("{name}?size=128GB"));
        let in_cache = write_rate(&mut rig, 0, 24);
        assert!(in_cache > first, "{name}: {in_cache} MB/s in the cache");
        write_rate(&mut rig, 24, behind - 24);
        let direct = write_rate(&mut rig, behind, 1);
        assert!((second..2.0 * second).contains(&direct), "{name}: {direct} MB/s behind it");
        write_rate(&mut rig, behind + 1, 114 - behind);
        let folding = write_rate(&mut rig, 115, 2);
        assert!(folding < 0.9 * direct, "{name}: {folding} MB/s when free blocks are short");
        rig.rest(1200 * SECOND);
        let rested = write_rate(&mut rig, 0, 2);
        assert!(rested > first, "{name}: {rested} MB/s after the rest");
        rig.check();
    }
}

/// Data sheets of 960 GB with one drive write a day: 60 to 100 thousand random writes a second, in every second, and flushes that
/// cost next to nothing.
#[test]
fn enterprise_nvme_is_even_and_flushes_at_no_cost() {
    let counts = steady_seconds("enterprise-nvme?size=32GB", 100, 40, 60);
    assert!((60_000.0..100_000.0).contains(&mean(&counts)), "{} IOPS", mean(&counts));
    let spread = deviation(&counts) / mean(&counts);
    assert!(spread <= 0.05, "deviation / mean is {spread}");
    let mut rig = Rig::new("enterprise-nvme?size=32GB");
    rig.set_depth(1);
    let mut pair = [request(Op::Write, 0, 8), request(Op::Flush, 0, 0)].into_iter();
    let mut services = Vec::new();
    rig.run(None, || pair.next(), |completion| services.push(completion.service().get()));
    assert!(services[1] < 10_000, "the flush takes {} ns", services[1]);
}

#[test]
fn hdd_7200_streams_by_zone_and_seeks_in_milliseconds() {
    let mut rig = Rig::new("hdd-7200");
    rig.set_depth(1);
    let sectors = rig.sectors();
    let rate = |rig: &mut Rig, op: Op, start: u64| {
        let mut requests = (0..4000).map(|i| request(op, start + i * 256, 256));
        let begun = rig.drive.now();
        rig.run(None, || requests.next(), |_| {});
        4000.0 * 131_072.0 / rig.drive.now().since(begun).as_secs_f64() / 1e6
    };
    for op in [Op::Read, Op::Write] {
        assert_near(rate(&mut rig, op, 0), 210.0, 0.02, "MB/s at the first address");
        assert_near(rate(&mut rig, op, sectors - 1_024_000), 100.0, 0.02, "MB/s at the last address");
    }
    let mut dice = rig::Dice::new(5);
    let mut random =
        (0..2000).map(|_| request(Op::Read, dice.below(sectors / 8) * UNIT_SECTORS, UNIT_SECTORS));
    let mut micros = Vec::new();
    rig.run(None, || random.next(), |completion| micros.push(completion.service().get() / 1000));
    let access = mean(&micros) / 1e3;
    assert!((8.0..=14.0).contains(&access), "a random read takes {access} ms");
}

/// The curve of a drive whose map is coarse after a sequential fill starts low, then recovers.
#[test]
fn a_curve_that_rises_can_be_expressed() {
    let mut rig = Rig::new("consistent?size=4GiB&over_provisioning=100%&split_time=1ms&map_segment=256KiB");
    rig.fill(100);
    let counts = rig.write_randomly_for(40, 100, 41);
    let (early, late) = (mean(&counts[..5]), mean(&counts[35..]));
    assert!(early < 2_000.0, "it starts at {early} IOPS");
    assert!(late > 10.0 * early, "and recovers to {late}");
    rig.check();
}

/// Host idle recovery: what was collected while the host did nothing is there to be written to.
#[test]
fn sm2246en_is_fast_again_after_idle_time() {
    let mut rig = Rig::new("sm2246en?size=16GiB");
    rig.fill(100);
    rig.write_randomly_for(100, 100, 81);
    rig.rest(60 * SECOND);
    let counts = rig.write_randomly_for(20, 100, 82);
    assert!(counts[..2].iter().all(|count| FAST.contains(count)), "{counts:?}");
    assert!(counts.iter().any(|count| LOW.contains(count)), "and falls back: {counts:?}");
    rig.check();
}
