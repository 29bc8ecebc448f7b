//! Write amplification against the exact value for greedy collection, and the relations that follow from it.

use crate::rig::formula;
use crate::rig::{self, Rig, assert_near};
use drivelab_block::{Engine, Op};
use formula::{Bound, greedy};

/// One die of 4 KiB pages, so that a block has exactly as many units as pages.
fn plain(block_units: u32, blocks: u64, over_provisioning: u32) -> String {
    let size = blocks * u64::from(block_units) * 4096 * 100 / (100 + u64::from(over_provisioning));
    format!(
        "sm2246en?size={size}&over_provisioning={over_provisioning}%&dies=1&channels=1&planes=1&page=4KiB\
         &pages_per_block={block_units}&collect=interleaved&collect_pool=0"
    )
}

#[test]
fn the_formula_gives_the_published_table() {
    let table = [
        (1.07, [7.00, 7.60, 7.76]),
        (1.12, [4.53, 4.76, 4.83]),
        (1.25, [2.60, 2.67, 2.69]),
        (1.28, [2.40, 2.46, 2.48]),
    ];
    for (alpha, values) in table {
        for (block_units, expected) in [64, 256, 1024].into_iter().zip(values) {
            assert_near(
                greedy(alpha, block_units),
                expected,
                0.002,
                &format!("alpha {alpha}, b {block_units}"),
            );
        }
    }
}

fn steady_write_amplification(block_units: u32, blocks: u64) {
    for over_provisioning in [7, 12, 25, 28] {
        let mut rig = Rig::new(&plain(block_units, blocks, over_provisioning));
        let units = rig.sectors() / 8;
        rig.fill(100);
        rig.write_randomly(2 * units, 100, 11, |_| {});
        rig.reset_counts();
        rig.write_randomly(units, 100, 12, |_| {});
        let alpha = rig.profile.alpha(rig.profile.user_capacity());
        let what = format!("b {block_units}, over-provisioning {over_provisioning} %, alpha {alpha:.4}");
        assert_near(rig.write_amplification(), greedy(alpha, block_units), 0.015, &what);
        rig.check();
    }
}

#[test]
fn blocks_of_64_units_amplify_as_greedy_collection_must() {
    steady_write_amplification(64, 8192);
}

#[test]
fn blocks_of_256_units_amplify_as_greedy_collection_must() {
    steady_write_amplification(256, 4096);
}

#[test]
fn blocks_of_1024_units_amplify_as_greedy_collection_must() {
    steady_write_amplification(1024, 2048);
}

/// A flash-bound drive: nothing but the dies takes time worth speaking of.
fn flash_bound(over_provisioning: u32, policy: &str) -> String {
    format!(
        "sm2246en?size=8GiB&over_provisioning={over_provisioning}%&dies=4&channels=4&pages_per_block=64\
         &link=90GB/s&bus=90GB/s&command_time=0s&unit_time=0s&move_time=0s&controller_noise=0%&write_buffer=4MiB\
         &collect={policy}"
    )
}

/// IOPS and write amplification in steady state, and what the dies allow at that amplification.
fn flash_bound_iops(over_provisioning: u32, policy: &str) -> (f64, f64) {
    let mut rig = Rig::new(&flash_bound(over_provisioning, policy));
    let units = rig.sectors() / 8;
    rig.fill(100);
    rig.write_randomly(2 * units, 100, 21, |_| {});
    rig.reset_counts();
    let start = rig.drive.now();
    rig.write_randomly(units, 100, 22, |_| {});
    let iops = units as f64 / rig.drive.now().since(start).as_secs_f64();
    let amplification = rig.write_amplification();
    let bound = Bound {
        dies: 4.0,
        program_units: 4.0,
        program: 1.3e-3,
        read: 100e-6,
        erase: 3e-3,
        block_units: 256.0,
        // Nearly every page of a victim still holds something; the few that do not are left out.
        page_reads: 64.0 * (1.0 - amplification.recip().powi(4)),
    };
    rig.check();
    (iops, bound.iops(amplification))
}

#[test]
fn interleaved_collection_reaches_the_bound_of_the_dies() {
    for over_provisioning in [7, 28] {
        let (iops, bound) = flash_bound_iops(over_provisioning, "interleaved");
        assert_near(iops, bound, 0.03, &format!("{over_provisioning} %"));
    }
}

#[test]
fn foreground_collection_stays_at_or_below_the_bound() {
    for over_provisioning in [7, 28] {
        let (iops, bound) = flash_bound_iops(over_provisioning, "foreground&collect_pool=64MiB");
        assert!(iops <= bound * 1.005, "{over_provisioning} %: {iops:.0} of {bound:.0}");
        assert!(iops > bound * 0.3, "{over_provisioning} %: {iops:.0} of {bound:.0}");
    }
}

#[test]
fn iops_rise_with_spare_flash_as_write_amplification_falls() {
    let (narrow, _) = flash_bound_iops(7, "interleaved");
    let (wide, _) = flash_bound_iops(25, "interleaved");
    let alpha = |over_provisioning| {
        let rig = Rig::new(&flash_bound(over_provisioning, "interleaved"));
        rig.profile.alpha(rig.profile.user_capacity())
    };
    let expected = greedy(alpha(7), 256) / greedy(alpha(25), 256);
    assert_near(wide / narrow, expected, 0.05, "IOPS at 25 % over those at 7 %");
}

#[test]
fn rewriting_in_sequence_costs_nothing_more() {
    let mut rig = Rig::new("consistent?size=8GiB");
    rig.fill(100);
    rig.reset_counts();
    let bytes = rig.profile.user_capacity().get();
    rig.write_sequentially(2 * bytes, 256, |_| {});
    let amplification = rig.write_amplification();
    assert!((1.0..=1.02).contains(&amplification), "{amplification}");
    rig.check();
}

/// The first collection comes when host writes have used up what was free beyond the data.
#[test]
fn the_cliff_comes_when_the_spare_flash_is_used_up() {
    const DIES: u64 = 32;
    for policy in ["foreground", "interleaved"] {
        let mut rig = Rig::new(&format!("sm2246en?size=16GiB&collect={policy}&collect_pool=64MiB"));
        rig.fill(100);
        rig.reset_counts();
        let mut written = 0;
        while rig.counts().erased_blocks == 0 {
            rig.write_randomly(1000, 100, written + 1, |_| {});
            written += 1000;
        }
        // Each die keeps a block in reserve. A burst begins when each has opened its last one; interleaved collection keeps
        // the pool.
        let block = rig.profile.units_per_block().expect("it is flash") * 4096;
        let free = if policy == "foreground" { DIES } else { (64 << 20) / block };
        let spare = rig.profile.raw_capacity().get() - rig.profile.user_capacity().get();
        let expected = spare - (DIES + free.max(DIES)) * block;
        assert_near((written * 4096) as f64, expected as f64, 0.02, policy);
        rig.check();
    }
}

/// All overwrites fall on data of one die: host data goes to all dies in turn, and none may run out of room.
#[test]
fn a_hot_spot_on_one_die_is_spread_over_all() {
    for policy in ["foreground", "interleaved"] {
        let mut rig = Rig::new(&format!("sm2246en?size=2GiB&collect={policy}"));
        rig.fill(100);
        rig.reset_counts();
        let units = rig.sectors() / 8;
        // A sequential fill puts each 32 x 4 units on the 32 dies in turn.
        let mut dice = rig::Dice::new(3);
        let mut left = units;
        rig.run(
            None,
            || {
                left = left.checked_sub(1)?;
                let unit = dice.below(units / 128) * 128 + dice.below(4);
                Some(rig::request(Op::Write, unit * 8, 8))
            },
            |_| {},
        );
        assert!(rig.write_amplification() < 1.1, "{policy}: {}", rig.write_amplification());
        rig.check();
    }
}
