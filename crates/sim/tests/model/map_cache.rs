//! The mapping cache: how many random reads pay for a miss, and what one costs.

use crate::rig::{self, Dice, Rig, UNIT_SECTORS, assert_near, request};
use drivelab_block::{Batch, Engine, Instant, Op};

const MIB: u64 = 1 << 20;
const SPEC: &str = "consistent?size=8GiB&controller_noise=0%&map_cache=1GiB&map_miss=70us";

/// Random reads over a part of the drive, of which the last 200,000 are counted.
fn read(rig: &mut Rig, first_mib: u64, mib: u64) {
    let (first, units) = (first_mib * MIB / 4096, mib * MIB / 4096);
    let mut dice = Dice::new(7);
    let mut some = |rig: &mut Rig, count: u64| {
        let mut left = count;
        let next = || {
            left = left.checked_sub(1)?;
            Some(request(Op::Read, (first + dice.below(units)) * UNIT_SECTORS, UNIT_SECTORS))
        };
        rig.run(None, next, |_| {});
    };
    some(rig, 30_000);
    rig.reset_counts();
    some(rig, 200_000);
}

/// The share of random reads that found their map entries in memory.
fn hits(rig: &mut Rig, first_mib: u64, mib: u64) -> f64 {
    read(rig, first_mib, mib);
    let counts = rig.counts();
    assert_eq!(counts.map_hits + counts.map_misses, 200_000);
    counts.map_hits as f64 / 200_000.0
}

#[test]
fn random_reads_hit_with_the_share_of_the_working_set_that_the_cache_maps() {
    let mut rig = Rig::new(SPEC);
    // From the start of the drive, and from a place that is no multiple of the cache's size.
    for first in [0, 300] {
        for working_set in [256, 1024, 1536, 2048, 4096, 7000] {
            let expected = (1024.0 / working_set as f64).min(1.0);
            let found = hits(&mut rig, first, working_set);
            assert!(
                (found - expected).abs() < 0.005,
                "{working_set} MiB from {first}: {found}, not {expected}"
            );
        }
    }
}

#[test]
fn a_read_pays_for_its_miss_and_no_more() {
    let mut rig = Rig::new(SPEC);
    rig.fill(100);
    rig.rest(rig::SECOND);
    let mut service = |unit: u64, units: u64| {
        let mut batch = Batch::with_capacity(1);
        rig.drive.submit(request(Op::Read, unit * 8, units * 8)).unwrap();
        rig.drive.reap(Instant::NEVER, &mut batch).unwrap();
        batch.as_slice()[0].service().get()
    };
    let (miss, hit) = (service(0, 1), service(64, 1));
    assert_eq!(miss - hit, 70_000);
    // The page of the map 1 GiB further takes the place of the first.
    let other = service((1 << 30) / 4096, 1);
    assert_eq!((other, service(0, 1), service(64, 1)), (miss, miss, hit));
}

/// With many reads in flight the dies are busy all the time: each gives one read in the time of a read of flash, and of a page of
/// the map for the share of the reads that miss.
#[test]
fn at_any_depth_reads_are_those_of_busy_dies() {
    let iops = |in_flight: u32, mib: u64| {
        let spec = "consistent?size=8GiB&controller_noise=0%&command_time=0s&read_command_time=0s&unit_time=0s&link=100GB/s\
                    &dies=4&channels=4&bus=100GB/s&read=60us&queued_reads=wait&map_cache=1GiB&map_miss=70us";
        let mut rig = Rig::new(spec);
        rig.fill(100);
        rig.rest(rig::SECOND);
        rig.set_depth(in_flight);
        let begun = rig.drive.now();
        read(&mut rig, 0, mib);
        230_000.0 / rig.drive.now().since(begun).as_secs_f64()
    };
    // Far beyond the time of a program, which a read may go before, and no read may.
    for in_flight in [256, 1_024] {
        assert_near(iops(in_flight, 1_024), 4.0 / 60e-6, 0.03, "within the cache");
        assert_near(iops(in_flight, 8_192), 4.0 / (60e-6 + 70e-6 * 7.0 / 8.0), 0.03, "over the whole drive");
    }
}

#[test]
fn within_the_cache_iops_are_those_of_a_drive_that_has_its_map_in_memory() {
    let iops = |spec: &str, mib: u64| {
        let mut rig = Rig::new(spec);
        rig.fill(100);
        let begun = rig.drive.now();
        read(&mut rig, 0, mib);
        230_000.0 / rig.drive.now().since(begun).as_secs_f64()
    };
    let unbounded = "consistent?size=8GiB&controller_noise=0%";
    assert_near(iops(SPEC, 1024), iops(unbounded, 1024), 0.02, "within the cache");
}
