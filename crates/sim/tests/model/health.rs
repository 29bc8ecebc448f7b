//! The drive's own health counters, against what was asked of it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::rig::{self, Rig, SECOND};
use drivelab_block::Engine;
use drivelab_sim::HealthProtocol;

const TINY: &str = "size=1GiB&dies=4&channels=4&pages_per_block=64&over_provisioning=25%&controller_noise=0%";

#[test]
fn a_drive_without_health_counters_reports_none() {
    let mut rig = Rig::new("consistent?size=1GiB");
    assert_eq!(rig.drive.health(), None);
    assert!(!rig.drive.begin_health_watch(Arc::default()));
    assert!(rig.drive.end_health_watch().logs.is_empty());
}

#[test]
fn counters_are_those_of_the_work_that_was_done() {
    let mut rig = Rig::new(&format!("consistent?{TINY}&health=nvme&rated_erases=100"));
    rig.fill(100);
    rig.write_randomly(3_000_000, 100, 4, |_| {});
    let truth = rig.drive.ground_truth().lifetime;
    let log = rig.drive.health().expect("it keeps some");
    let flash = log.flash.expect("it is flash");
    assert_eq!(log.protocol, HealthProtocol::Nvme);
    assert_eq!(log.power_on.get(), rig.drive.now().as_nanos());
    assert_eq!((log.host_writes, log.host_written.get()), (truth.host_writes, truth.host_bytes));
    assert_eq!(flash.written.get(), truth.flash_units * 4096);
    let block_bytes = rig.profile.units_per_block().expect("it is flash") * 4096;
    let blocks = rig.profile.raw_capacity().get() / block_bytes;
    assert_eq!(flash.mean_erases, truth.erased_blocks / blocks);
    assert_eq!(flash.percentage_used, truth.erased_blocks * 100 / (blocks * 100));
    assert!(flash.mean_erases > 2 && flash.most_erases > flash.mean_erases, "{flash:?}");
    // A discard of the whole drive erases each block that was in use.
    let before = truth.erased_blocks;
    rig.allow_discards();
    let whole = rig::request(drivelab_block::Op::Discard, 0, rig.sectors());
    let mut requests = [whole].into_iter();
    rig.run(None, || requests.next(), |_| {});
    let after = rig.drive.health().and_then(|log| log.flash).expect("it is flash");
    assert_eq!(after.most_erases, flash.most_erases + 1, "the block that was erased most is in use again");
    assert_eq!(rig.drive.ground_truth().lifetime.erased_blocks, before, "and is no collection");
}

#[test]
fn the_counter_of_bad_blocks_moves_with_each_delay_and_only_then() {
    let mut rig = Rig::new("mx200-250?size=1GiB&delay_every=8GB&delay_bad_blocks=3");
    let suspicions: Arc<AtomicU64> = Arc::default();
    assert!(rig.drive.begin_health_watch(Arc::clone(&suspicions)));
    rig.set_depth(1);
    rig.write_sequentially(20_000_000_000, 2048, |completion| {
        if completion.service().get() > 100_000_000 {
            suspicions.fetch_add(1, Ordering::Relaxed);
        }
    });
    let delays = rig.drive.ground_truth().delays;
    let readings = rig.drive.end_health_watch().logs;
    let counted: Vec<u64> = readings.iter().filter_map(|(_, log)| log.runtime_bad_blocks).collect();
    assert_eq!(counted, [0, 3, 6, 6], "first, after each delay, at the end");
    for (delay, (read_at, log)) in delays.iter().zip(&readings[1..]) {
        let waited = read_at.since(delay.at + delay.duration).get();
        assert!(waited <= SECOND, "it was read {waited} ns after the delay");
        assert_eq!(log.power_on.get(), read_at.as_nanos());
    }
}
