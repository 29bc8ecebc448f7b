//! The engine's contract, reads, and determinism.

use crate::rig::{CompletionHash, Dice, Rig, UNIT_SECTORS, request};
use drivelab_block::{Batch, ByteCount, Engine, Full, Instant, Limits, Nanos, Op, OpSet, Status};
use drivelab_sim::{SimDrive, Spec};

#[test]
fn a_drive_can_be_sent_to_another_thread() {
    fn is_send<T: Send>() {}
    is_send::<SimDrive>();
}

/// The hash of all completions of a mixed run.
fn hash_of_a_mixed_run(seed: u64) -> u64 {
    let profile = Spec::parse("sm2246en?size=4GiB&delay_every=1GB&delay=50ms&delay_deviation=5ms").unwrap();
    let mut rig = Rig::new("sm2246en?size=4GiB");
    rig.drive = SimDrive::new(&profile, seed);
    rig.set_depth(32);
    let units = rig.sectors() / UNIT_SECTORS;
    let mut dice = Dice::new(9);
    let mut left = 300_000;
    let mut hash = CompletionHash::new();
    rig.run(
        None,
        || {
            left -= 1;
            let op = if dice.below(3) == 0 { Op::Read } else { Op::Write };
            (left > 0).then(|| request(op, dice.below(units - 4) * UNIT_SECTORS, 1 + dice.below(32)))
        },
        |completion| hash.add(completion),
    );
    rig.check();
    hash.value()
}

#[test]
fn the_same_seed_gives_the_same_completions_to_the_nanosecond() {
    assert_eq!(hash_of_a_mixed_run(1), hash_of_a_mixed_run(1));
    assert_ne!(hash_of_a_mixed_run(1), hash_of_a_mixed_run(2));
}

#[test]
fn no_more_requests_are_taken_than_were_prepared_for() {
    let mut rig = Rig::new("sm2246en?size=4GiB");
    rig.set_depth(2);
    let third = request(Op::Write, 16, 8);
    rig.drive.submit(request(Op::Write, 0, 8)).unwrap();
    rig.drive.submit(request(Op::Write, 8, 8)).unwrap();
    assert_eq!(rig.drive.submit(third), Err(Full(third)));
    let limits = Limits { queue_depth: 4, max_transfer: ByteCount::new(4096), ops: OpSet::EMPTY };
    assert!(rig.drive.prepare(limits).is_err(), "requests are in flight");
}

#[test]
fn time_passes_only_in_reap() {
    let mut rig = Rig::new("sm2246en?size=4GiB");
    let mut batch = Batch::with_capacity(8);
    let drive = &mut rig.drive;
    drive.reap(Instant::from_nanos(500), &mut batch).unwrap();
    assert_eq!(drive.now().as_nanos(), 500, "with nothing in flight, time passes to the deadline");
    drive.submit(request(Op::Write, 0, 8)).unwrap();
    assert_eq!(drive.now().as_nanos(), 500);
    drive.reap(Instant::from_nanos(100), &mut batch).unwrap();
    assert_eq!((drive.now().as_nanos(), batch.as_slice().len()), (500, 0), "a past deadline only polls");
    drive.reap(Instant::from_nanos(600), &mut batch).unwrap();
    assert_eq!((drive.now().as_nanos(), batch.as_slice().len()), (600, 0), "not complete by then");
    drive.reap(Instant::NEVER, &mut batch).unwrap();
    let completion = batch.as_slice()[0];
    assert_eq!(drive.now(), completion.completed_at);
    assert!(completion.service() > Nanos::from_micros(10));
    assert_eq!(completion.intended_at, completion.submitted_at, "a closed loop has no schedule");
    assert!(drive.reap(Instant::NEVER, &mut batch).is_err(), "it would wait for ever");
}

#[test]
fn a_full_batch_leaves_the_rest_for_later() {
    let mut rig = Rig::new("sm2246en?size=4GiB");
    for i in 0..8 {
        rig.drive.submit(request(Op::Read, i * 8, 8)).unwrap();
    }
    let mut seen = 0;
    while seen < 8 {
        let mut batch = Batch::with_capacity(3);
        rig.drive.reap(Instant::NEVER, &mut batch).unwrap();
        assert!(!batch.as_slice().is_empty());
        seen += batch.as_slice().len();
    }
}

#[test]
fn what_a_drive_cannot_do_is_a_failed_request() {
    let mut rig = Rig::new("sm2246en?size=4GiB&logical_block=4096");
    let end = rig.sectors();
    let cases = [
        (request(Op::Read, end, 8), 5),
        (request(Op::Write, end - 8, 16), 5),
        (request(Op::Write, 0, 0), 22),
        (request(Op::Write, 1, 8), 22),
        (request(Op::Read, 0, 4), 22),
    ];
    for (request, errno) in cases {
        let mut batch = Batch::with_capacity(1);
        rig.drive.submit(request).unwrap();
        rig.drive.reap(Instant::NEVER, &mut batch).unwrap();
        let refused = batch.as_slice()[0];
        assert_eq!(refused.status, Status::errno(errno), "{request:?}");
        assert!(refused.service() > Nanos::ZERO, "a closed loop of refusals would never end");
    }
    assert_eq!(rig.counts().host_writes, 0);
    rig.check();
}

fn service_of(rig: &mut Rig, op: Op, start: u64, sectors: u64) -> Nanos {
    let mut batch = Batch::with_capacity(1);
    rig.drive.submit(request(op, start, sectors)).unwrap();
    rig.drive.reap(Instant::NEVER, &mut batch).unwrap();
    batch.as_slice()[0].service()
}

#[test]
fn reads_cost_a_page_read_only_where_there_is_data_in_flash() {
    let mut rig = Rig::new("sm2246en?size=4GiB&controller_noise=0%");
    let empty = service_of(&mut rig, Op::Read, 0, 8);
    rig.fill(50);
    service_of(&mut rig, Op::Flush, 0, 0);
    let from_flash = service_of(&mut rig, Op::Read, 0, 8);
    let extra = from_flash.get() - empty.get();
    assert!((100_000..150_000).contains(&extra), "tR and a transfer: {extra} ns");
    service_of(&mut rig, Op::Write, 0, 8);
    let buffered = service_of(&mut rig, Op::Read, 0, 8);
    assert_eq!(buffered, empty, "what is still in the write buffer costs no page read");
}

#[test]
fn a_write_of_part_of_a_unit_reads_the_rest_first() {
    let mut rig = Rig::new("sm2246en?size=4GiB&controller_noise=0%");
    rig.fill(50);
    service_of(&mut rig, Op::Flush, 0, 0);
    rig.reset_counts();
    let whole = service_of(&mut rig, Op::Write, 800, 8);
    let part = service_of(&mut rig, Op::Write, 1600, 1);
    assert!(part.get() > whole.get() + 90_000, "{part} against {whole}");
    let counts = rig.counts();
    assert_eq!((counts.host_bytes, counts.flash_units), (8 * 512 + 512, 2));
    rig.check();
}

#[test]
fn a_flush_waits_for_what_was_taken_to_be_programmed() {
    let mut rig = Rig::new("sm2246en?size=4GiB&controller_noise=0%");
    let write = service_of(&mut rig, Op::Write, 0, 8);
    let flush = service_of(&mut rig, Op::Flush, 0, 0);
    assert!(write < Nanos::from_micros(100) && flush > Nanos::from_millis(1), "{write}, {flush}");
    // Nothing is left to flush, and still the core has a command to serve.
    assert_eq!(service_of(&mut rig, Op::Flush, 0, 0), Nanos::from_micros(15));
    rig.check();
}
