//! Power states: what the first command after a rest waits for, and what the rest saves.

use crate::rig::{Rig, assert_near, request};
use drivelab_block::{Batch, Engine, Instant, Nanos, Op};
use drivelab_sim::{RestState, SimDrive, Spec};

const MS: u64 = 1_000_000;
const STATES: &str = "sm2246en?size=1GiB&controller_noise=0%&idle_power=2W\
                      &power_state_1_after=10ms&power_state_1_exit=300us&power_state_1_power=800mW\
                      &power_state_2_after=100ms&power_state_2_exit=5ms&power_state_2_power=50mW\
                      &power_state_3_after=2s&power_state_3_exit=40ms&power_state_3_power=5mW";

fn service(rig: &mut Rig) -> Nanos {
    let mut batch = Batch::with_capacity(1);
    rig.drive.submit(request(Op::Read, 0, 8)).unwrap();
    rig.drive.reap(Instant::NEVER, &mut batch).unwrap();
    batch.as_slice()[0].service()
}

#[test]
fn the_first_command_after_a_rest_pays_for_the_state_that_was_reached() {
    let mut rig = Rig::new(STATES);
    let awake = service(&mut rig);
    let rests = [0, 1, MS, 10 * MS - 1, 10 * MS, 99 * MS, 100 * MS, 1_999 * MS, 2_000 * MS, 60_000 * MS];
    for rest in rests {
        rig.rest(rest);
        let exit = match rest / MS {
            0..10 => Nanos::ZERO,
            10..100 => Nanos::from_micros(300),
            100..2_000 => Nanos::from_millis(5),
            _ => Nanos::from_millis(40),
        };
        assert_eq!(service(&mut rig), awake + exit, "after {rest} ns");
        assert_eq!(service(&mut rig), awake, "and the next one pays nothing");
    }
}

#[test]
fn a_drive_with_work_does_not_rest() {
    let mut rig = Rig::new(&format!("{STATES}&delay_every=4KiB&delay=300ms"));
    let mut batch = Batch::with_capacity(4);
    rig.drive.submit(request(Op::Write, 0, 8)).unwrap();
    rig.rest(200 * MS);
    rig.drive.submit(request(Op::Read, 0, 8)).unwrap();
    rig.drive.reap(Instant::NEVER, &mut batch).unwrap();
    rig.drive.reap(Instant::NEVER, &mut batch).unwrap();
    let second = batch.as_slice().last().expect("two answers");
    assert!(second.service().get() < 105 * MS, "it waits for the delay alone: {:?}", second.service());
}

#[test]
fn a_rest_takes_the_power_of_the_states_that_it_goes_through() {
    let mut rig = Rig::new(STATES);
    service(&mut rig);
    let before = (rig.drive.ground_truth().energy.idle, rig.drive.now());
    rig.rest(5_000 * MS);
    let idle = |rig: &mut Rig| rig.drive.ground_truth().energy.idle - before.0;
    let rested = 0.010 * 2.0 + 0.090 * 0.8 + 1.9 * 0.05 + 3.0 * 0.005;
    assert_near(idle(&mut rig), rested, 1e-9, "in the rest");
    service(&mut rig);
    let awake = rig.drive.now().since(before.1).as_secs_f64() - 5.0;
    assert_near(idle(&mut rig), rested + 2.0 * awake, 1e-9, "and the way out of it");
}

fn power_states(spec: &str) -> Vec<RestState> {
    SimDrive::new(&Spec::parse(spec).unwrap(), 1).power_states()
}

#[test]
fn the_states_can_be_read_from_the_profile() {
    let states = power_states(STATES);
    let found: Vec<(u64, u64, u64)> = states
        .iter()
        .map(|state| (state.after.get() / MS, state.exit_latency.get() / 1_000, state.microwatts / 1_000))
        .collect();
    assert_eq!(found, [(10, 300, 800), (100, 5_000, 50), (2_000, 40_000, 5)]);
    assert!(power_states("consistent").is_empty());
}
