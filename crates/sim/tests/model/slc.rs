//! The SLC cache: where its knee is, and what comes after it.

use crate::rig::{Rig, SECOND, assert_near, request};
use drivelab_block::{Engine, Op};

/// A drive whose dies alone take time; b = 1024 units in dense mode, 256 in SLC mode.
fn spec(kind: &str, full: &str) -> String {
    format!(
        "qlc-slc?size=32GiB&over_provisioning=30%&dies=4&planes=2&page=8KiB&pages_per_block=256&slc_cache=2GiB\
         &slc_kind={kind}&slc_full={full}&collect_pool=0&write_buffer=1MiB&controller_noise=0%&command_time=0s\
         &unit_time=0s&link=90GB/s&bus=90GB/s"
    )
}

const STEP: u64 = 8 << 20;

/// MB/s of each 8 MiB of a sequential write of `bytes`.
fn curve(rig: &mut Rig, start_sector: u64, bytes: u64) -> Vec<f64> {
    let mut rates = Vec::new();
    for step in 0..bytes / STEP {
        let begun = rig.drive.now();
        let first = start_sector + step * (STEP / 512);
        let mut requests = (0..STEP / 131_072).map(|i| request(Op::Write, first + i * 256, 256));
        rig.run(None, || requests.next(), |_| {});
        rates.push(STEP as f64 / rig.drive.now().since(begun).as_secs_f64() / 1e6);
    }
    rates
}

/// Bytes written before the rate first falls under half of what it began with.
fn knee(rates: &[f64]) -> f64 {
    let at = rates.iter().position(|&rate| rate < rates[0] / 2.0).expect("there is a knee");
    (at as u64 * STEP) as f64
}

#[test]
fn the_knee_comes_at_the_size_of_the_cache() {
    for kind in ["static", "dynamic"] {
        let mut rig = Rig::new(&spec(kind, "fold"));
        let rates = curve(&mut rig, 0, 3 << 30);
        assert_near(knee(&rates), f64::from(1u32 << 31), 0.02, kind);
        rig.check();
    }
}

#[test]
fn after_the_knee_each_write_pays_for_folding_as_much() {
    let mut rig = Rig::new(&spec("static", "fold"));
    let rates = curve(&mut rig, 0, 4 << 30);
    let after = &rates[3 * rates.len() / 4..];
    // 16 KiB a die in one SLC program, one read and one dense program; an erase for each 1 MiB folded.
    let seconds = 200e-6 + 80e-6 + 2.2e-3 + 5e-3 / 64.0;
    let expected = 4.0 * 16_384.0 / seconds / 1e6;
    assert_near(after.iter().sum::<f64>() / after.len() as f64, expected, 0.05, "MB/s");
    rig.check();
}

#[test]
fn a_full_cache_can_be_passed_by() {
    let mut rig = Rig::new(&spec("static", "direct"));
    let rates = curve(&mut rig, 0, 4 << 30);
    assert_near(knee(&rates), f64::from(1u32 << 31), 0.02, "knee");
    let after = &rates[3 * rates.len() / 4..];
    assert_near(after.iter().sum::<f64>() / after.len() as f64, 4.0 * 16_384.0 / 2.2e-3 / 1e6, 0.05, "MB/s");
    assert_eq!(rig.counts().moved_units, 0, "nothing is folded while the host is writing");
    rig.check();
}

#[test]
fn the_cache_is_empty_again_after_idle_time() {
    let mut rig = Rig::new(&spec("static", "fold"));
    let first = curve(&mut rig, 0, 3 << 30);
    rig.rest(300 * SECOND);
    let second = curve(&mut rig, (3 << 30) / 512, 3 << 30);
    assert_near(second[0], first[0], 0.1, "MB/s after the pause");
    assert_near(knee(&second), f64::from(1u32 << 31), 0.02, "the second knee");
    rig.check();
}

/// A dynamic cache that borrowed most of the drive gives its blocks back as the drive fills.
#[test]
fn a_drive_can_be_filled_through_any_cache() {
    for full in ["fold", "direct"] {
        let mut rig =
            Rig::new(&spec("dynamic", &format!("{full}&slc_cache=8GiB")).replace("&slc_cache=2GiB", ""));
        rig.fill(100);
        rig.write_randomly(1_000_000, 100, 91, |_| {});
        assert_eq!(rig.drive.ground_truth().mapped_units, rig.sectors() / 8);
        rig.check();
    }
}
