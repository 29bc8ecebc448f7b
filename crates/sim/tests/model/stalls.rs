//! Delays by bytes written and freezes by the clock, against what the profile asked for.

use crate::rig::{self, Rig, SECOND, request};
use drivelab_block::{Completion, Engine, Instant, Op};

const MS: u64 = 1_000_000;

/// Writes of 1 MiB at depth 1; returns their completions.
fn stream(rig: &mut Rig, count: u64) -> Vec<Completion> {
    rig.set_depth(1);
    let slots = rig.sectors() / 2048;
    let mut requests = (0..count).map(|i| request(Op::Write, i % slots * 2048, 2048));
    let mut completions = Vec::new();
    rig.run(None, || requests.next(), |completion| completions.push(*completion));
    completions
}

#[test]
fn delays_come_exactly_after_the_bytes_asked_for_and_last_as_long() {
    let mut rig =
        Rig::new("mx200-250?size=8GiB&controller_noise=0%&delay_every=5GB&delay=300ms&delay_deviation=20ms");
    let completions = stream(&mut rig, 40_000);
    let truth = rig.drive.ground_truth();
    assert_eq!(truth.delays.len() as u64, 40_000 * (1 << 20) / 5_000_000_000);
    let mut plain: Vec<u64> = completions.iter().map(|completion| completion.service().get()).collect();
    plain.sort_unstable();
    let median = plain[plain.len() / 2];
    let long: Vec<usize> =
        (0..completions.len()).filter(|&i| completions[i].service().get() > 5 * median).collect();
    assert_eq!(long.len(), truth.delays.len(), "each delay is seen by the host, and nothing else is");
    for (number, (&at, delay)) in long.iter().zip(&truth.delays).enumerate() {
        assert_eq!(at as u64 + 1, delay.host_write);
        let due = (number as u64 + 1) * 5_000_000_000 / (1 << 20);
        assert!((at as u64).abs_diff(due) <= 1, "delay {number} met write {at}, not {due}");
        assert_eq!(completions[at].submitted_at, delay.at);
        assert_eq!(completions[at].service(), delay.duration, "the write's own work is done meanwhile");
    }
    rig.check();
}

/// The published spread is that of the published spacing: a spacing of one's own is exact unless it gets one of its own.
#[test]
fn a_spacing_of_ones_own_is_exact() {
    let mut rig = Rig::new("mx200-250?size=8GiB&delay_every=2GB");
    stream(&mut rig, 8_000);
    let mut due = 0;
    let truth = rig.drive.ground_truth();
    assert_eq!(truth.delays.len(), 4);
    for delay in &truth.delays {
        due += 2_000_000_000_u64;
        assert_eq!(delay.host_write, due.div_ceil(1 << 20));
    }
    rig.check();
}

#[test]
fn the_spacing_varies_only_where_a_deviation_is_given() {
    let spec = "mx200-250?size=8GiB&delay_every=2GB&delay_every_deviation=400MB&delay_deviation=0s";
    let mut rig = Rig::new(spec);
    stream(&mut rig, 24_000);
    let truth = rig.drive.ground_truth();
    let megabytes: Vec<u64> =
        truth.delays.iter().map(|delay| delay.written_since_previous.get() / 1_000_000).collect();
    let twelve = &megabytes[..12];
    rig::assert_near(rig::mean(twelve), 2000.0, 0.01, "mean spacing, MB");
    rig::assert_near(rig::deviation(twelve), 400.0, 0.02, "deviation of the spacing, MB");
    rig.check();
}

#[test]
fn a_frozen_drive_answers_nothing() {
    let mut rig = Rig::new("consistent?size=4GiB&over_provisioning=50%&freeze_every=6s&freeze_for=1s");
    let counts = rig.write_randomly_for(30, 100, 51);
    for (second, &count) in counts.iter().enumerate() {
        assert_eq!(count == 0, second % 6 == 5, "{count} answers in second {second}");
    }
    assert_eq!(rig.drive.ground_truth().freezes, 5);
    rig.check();
}

#[test]
fn a_request_that_meets_a_freeze_is_answered_when_it_ends() {
    let mut rig = Rig::new("hdd-7200?freeze_every=6s&freeze_for=1s");
    let mut batch = drivelab_block::Batch::with_capacity(4);
    rig.drive.reap(Instant::from_nanos(5 * SECOND + SECOND / 4), &mut batch).unwrap();
    rig.drive.submit(request(Op::Read, 0, 8)).unwrap();
    rig.drive.reap(Instant::NEVER, &mut batch).unwrap();
    let completed_at = batch.as_slice()[0].completed_at.as_nanos();
    assert!((6 * SECOND..6 * SECOND + 100 * MS).contains(&completed_at), "{completed_at}");
}
