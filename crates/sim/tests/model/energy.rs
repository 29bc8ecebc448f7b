//! The drive's own account of its energy, against what was asked of it, and the meter that is read in virtual time.

use crate::rig::{Dice, Rig, assert_near, request};
use drivelab_block::{Engine as _, Op};

/// 2 planes of 8 KiB, in mapping units of 4 KiB.
const UNITS_A_PROGRAM: f64 = 4.0;

fn now_s(rig: &Rig) -> f64 {
    rig.drive.now().as_nanos() as f64 / 1e9
}

#[test]
fn a_fill_takes_a_program_a_page_and_its_transfer_and_nothing_else() {
    // 2 planes of 8 KiB: a program is 16 KiB.
    let mut rig = Rig::new("sm2246en?size=1GiB&program_energy=100uJ&transfer_energy=3uJ&idle_power=2W");
    rig.write_sequentially(512 << 20, 256, |_| {});
    let truth = rig.drive.ground_truth();
    let energy = truth.energy;
    assert_near(energy.program, f64::from(512 << 20) / 16384.0 * 100e-6, 1e-9, "programs");
    assert_near(energy.transfer, f64::from(512 << 20) / 4096.0 * 3e-6, 1e-9, "transfers");
    assert_near(energy.idle, 2.0 * now_s(&rig), 1e-9, "idle");
    assert_eq!((energy.read, energy.erase, energy.seek), (0.0, 0.0, 0.0));
    assert_near(energy.joules, energy.program + energy.transfer + energy.idle, 1e-12, "all");
}

#[test]
fn random_writes_on_a_full_drive_pay_for_moving_and_erasing() {
    let spec = "consistent?size=1GiB&read_energy=7uJ&program_energy=90uJ&erase_energy=300uJ";
    let mut rig = Rig::new(spec);
    rig.fill(100);
    rig.write_randomly(300_000, 100, 5, |_| {});
    let truth = rig.drive.ground_truth();
    assert!(truth.lifetime.erased_blocks > 0 && truth.lifetime.moved_units > 0);
    assert_near(truth.energy.erase, truth.lifetime.erased_blocks as f64 * 300e-6, 1e-9, "erases");
    assert_near(truth.energy.read, truth.lifetime.page_reads as f64 * 7e-6, 1e-9, "pages read to be moved");
    // What is programmed is what the counts of units say, but for what is gathered for programs that are not full yet.
    let units = UNITS_A_PROGRAM;
    assert_near(truth.energy.program, truth.lifetime.flash_units as f64 / units * 90e-6, 1e-3, "programs");
}

#[test]
fn a_disk_pays_for_every_seek_and_turns_all_the_time() {
    let mut rig = Rig::new("hdd-7200?size=10GB&idle_power=4W&seek_energy=30mJ&transfer_energy=50uJ");
    let (mut dice, mut left) = (Dice::new(3), 200);
    let blocks = rig.sectors() / 8;
    rig.run(
        None,
        || {
            left -= 1;
            (left >= 0).then(|| request(Op::Read, dice.below(blocks) * 8, 8))
        },
        |_| {},
    );
    let energy = rig.drive.ground_truth().energy;
    assert_near(energy.seek, 200.0 * 30e-3, 0.01, "seeks but for neighbours by chance");
    assert_near(energy.transfer, 200.0 * 50e-6, 1e-9, "transfers");
    assert_near(energy.idle, 4.0 * now_s(&rig), 1e-9, "turning");
}

#[test]
fn the_meter_reads_the_account_on_a_schedule_of_virtual_time() {
    let mut rig = Rig::new("sm2246en?size=1GiB");
    rig.drive.begin_metering();
    rig.fill(100);
    rig.write_randomly_for(20, 100, 9);
    let readings = rig.drive.energy_readings().to_vec();
    assert!(
        readings.windows(2).all(|pair| {
            pair[1].0.as_nanos() - pair[0].0.as_nanos() == 100_000_000 && pair[1].1 > pair[0].1
        })
    );
    let (last_at, last) = *readings.last().expect("readings");
    assert!(readings.len() > 200 && now_s(&rig) - last_at.as_nanos() as f64 / 1e9 <= 0.1);
    assert_near(last, rig.drive.ground_truth().energy.joules, 0.01, "the meter's last reading");
}
