//! The thermal model against its closed formula, and what throttling does.

use crate::rig::{Rig, SECOND, assert_near, request};
use drivelab_block::{Engine, Instant, Op};

/// 10 K/W and 20 J/K: a time constant of 200 s. Reading costs no energy but the transfer: 300 uJ for 4 KiB.
const MODEL: &str = "sm2246en?size=1GiB&controller_noise=0%&thermal_resistance=10K/W&heat_capacity=20J/K&ambient=22C\
                     &idle_power=1W&read_energy=0uJ&transfer_energy=300uJ&read_command_time=95us";

/// Reads what was never written, at a rate that is the same in each second.
fn read_for(rig: &mut Rig, seconds: u64) -> u64 {
    rig.set_depth(4);
    let until = Instant::from_nanos(rig.drive.now().as_nanos() + seconds * SECOND);
    let mut count = 0;
    rig.run(Some(until), || Some(request(Op::Read, 0, 8)), |_| count += 1);
    count
}

fn celsius(rig: &Rig) -> f64 {
    rig.drive.thermal().expect("it has a temperature").milli_celsius as f64 / 1e3
}

#[test]
fn the_temperature_is_that_of_the_closed_formula() {
    let mut rig = Rig::new(MODEL);
    assert_near(celsius(&rig), 22.0 + 10.0, 1e-6, "a drive that has rested, at 1 W");
    for seconds in [1, 50, 149, 400] {
        let (begun, from) = (celsius(&rig), rig.drive.now());
        let count = read_for(&mut rig, seconds);
        let time = rig.drive.now().since(from).as_secs_f64();
        let watts = 1.0 + count as f64 * 300e-6 / time;
        let end = 22.0 + 10.0 * watts;
        let expected = end + (begun - end) * (-(seconds as f64) / 200.0).exp();
        assert!(watts > 2.0, "{watts} W");
        assert!(
            (celsius(&rig) - expected).abs() < 0.02,
            "{} and not {expected} after {seconds} s",
            celsius(&rig)
        );
    }
    let warm = celsius(&rig);
    rig.rest(300 * SECOND);
    let expected = 32.0 + (warm - 32.0) * (-1.5_f64).exp();
    assert!((celsius(&rig) - expected).abs() < 0.02, "{} and not {expected} after the rest", celsius(&rig));
}

#[test]
fn a_warm_drive_is_slowed_and_is_as_fast_as_before_when_it_has_cooled() {
    let mut rig = Rig::new(&format!("{MODEL}&thermal_limit=45C&thermal_hysteresis=3C&thermal_throttle=75%"));
    let rated = read_for(&mut rig, 1);
    let mut seen = Vec::new();
    for _ in 0..900 {
        seen.push((rig.drive.thermal().expect("a temperature"), read_for(&mut rig, 1)));
    }
    let hottest = seen.iter().map(|(thermal, _)| thermal.milli_celsius).max().expect("seconds");
    assert!((45_000..45_300).contains(&hottest), "{hottest}");
    let slowed = seen.iter().filter(|(_, count)| count.abs_diff(rated / 4) <= rated / 100).count();
    let fast = seen.iter().filter(|(_, count)| count.abs_diff(rated) <= rated / 100).count();
    let thermal = rig.drive.ground_truth().thermal.expect("a temperature");
    let (times, lasted) = (thermal.transitions as f64, thermal.throttled.as_secs_f64());
    // The seconds in which it began and ended are mixed: those of the test are not those of the drive.
    let mixed = (seen.len() - slowed - fast) as f64;
    assert!(times > 2.0 && mixed <= 2.0 * times, "{mixed} seconds are neither, of {times} times");
    assert!((lasted - slowed as f64 - times / 2.0).abs() <= times, "{lasted} s and {slowed} s");
    // Between two times of throttling it cools by the hysteresis.
    let coolest = seen.iter().skip_while(|(thermal, _)| thermal.milli_celsius < 45_000);
    let coolest = coolest.map(|(thermal, _)| thermal.milli_celsius).min().expect("seconds");
    assert!((41_700..=42_000).contains(&coolest), "throttling ended at {coolest}");
    rig.rest(2000 * SECOND);
    assert!(read_for(&mut rig, 1).abs_diff(rated) <= rated / 100);
}

/// What the drive does by itself in a rest warms it while it is done, and not at the end of the rest.
#[test]
fn emptying_the_cache_in_a_rest_warms_the_drive_as_the_closed_formula_has_it() {
    let mut rig = Rig::new(
        "qlc-slc?size=32GiB&over_provisioning=120%&dies=4&planes=2&page=8KiB&pages_per_block=256&slc_cache=8GiB&slc_kind=static\
         &slc_full=fold&slc_empty_rate=100MB/s&collect_pool=0&idle_collect_pool=0&idle_collect_after=1s&controller_noise=0%\
         &thermal_resistance=10K/W&heat_capacity=20J/K&ambient=22C&idle_power=1W&program_energy=400uJ&slc_program_energy=0uJ\
         &read_energy=0uJ&erase_energy=0uJ&transfer_energy=0uJ",
    );
    rig.write_sequentially(8 << 30, 256, |_| {});
    let (begun, cool) = (rig.drive.now(), celsius(&rig));
    // A program is 16 KiB.
    let warming = 10.0 * 100e6 / 16_384.0 * 400e-6;
    for seconds in [20, 40, 60] {
        let until = begun.as_nanos() + seconds * SECOND;
        rig.rest(until - rig.drive.now().as_nanos());
        let expected = cool + warming * (1.0 - (-(seconds as f64 - 1.0) / 200.0).exp());
        assert!(
            (celsius(&rig) - expected).abs() < 0.2,
            "{} and not {expected} after {seconds} s",
            celsius(&rig)
        );
    }
    rig.check();
}

#[test]
fn a_drive_without_a_thermal_model_has_no_temperature() {
    let mut rig = Rig::new("sm2246en?size=1GiB");
    assert_eq!((rig.drive.thermal(), rig.drive.ground_truth().thermal), (None, None));
}
