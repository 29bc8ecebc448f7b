use drivelab_block::{DeviceId, Extent, Instant, ProcessId, Sector, SectorCount};
use proptest::prelude::*;

use super::*;

const MILLIS: u64 = 1_000_000;

/// An I/O by its process, its issue and its duration in milliseconds.
fn io(process: u32, op: Op, at: u64, took: u64) -> TracedIo {
    let extent = Extent { start: Sector::new(at * 1000), length: SectorCount::new(8) };
    TracedIo {
        process: ProcessId(process),
        service: Some(Nanos::new(took * MILLIS)),
        ..TracedIo::new(Instant::from_nanos(at * MILLIS), op, extent)
    }
}

fn synchronous(io: TracedIo) -> TracedIo {
    TracedIo { flags: IoFlags::SYNC, ..io }
}

fn found(ios: &[TracedIo], awaited: AwaitedWrites) -> Waiting {
    let mut waiting = Waiting::new(awaited);
    ios.iter().for_each(|io| waiting.add(io));
    waiting
}

#[test]
fn programs_wait_for_reads_flushes_and_synchronous_writes() {
    let ios = [
        io(1, Op::Read, 0, 100),
        io(1, Op::Read, 1_000, 99),
        io(1, Op::Write, 2_000, 500),
        synchronous(io(1, Op::Write, 3_000, 500)),
        io(1, Op::Flush, 4_000, 500),
        io(1, Op::Discard, 5_000, 500),
    ];
    let waiting = found(&ios, AwaitedWrites::Synchronous);
    let waits = waiting.found();
    assert_eq!((waits.spells, waits.waited, waits.longest), (3, 1_100 * MILLIS, 500 * MILLIS));
    // All of them are of 4 KiB.
    let of_size = |waits: &Waits<'_>| waits.sizes.map(|size| size.ios);
    let expected = |count| std::array::from_fn(|class| if class == 3 { count } else { 0 });
    assert_eq!(of_size(&waits), expected(3));
    let all = found(&ios, AwaitedWrites::All);
    assert_eq!(of_size(&all.found()), expected(4));
    assert_eq!(all.found().spells, 4, "the source marks no writes");
}

#[test]
fn waits_that_overlap_or_lie_near_are_one_spell_and_their_union_is_the_time() {
    let ios = [
        io(1, Op::Read, 0, 200),
        io(2, Op::Read, 100, 150),
        // 100 ms behind the end.
        io(1, Op::Read, 350, 100),
        // 101 ms behind the end.
        io(1, Op::Read, 551, 100),
    ];
    let waiting = found(&ios, AwaitedWrites::Synchronous);
    let waits = waiting.found();
    assert_eq!((waits.spells, waits.waited), (2, (250 + 100 + 100) * MILLIS));
    let spans: Vec<(u64, u64)> = waits.worst.iter().map(|spell| (spell.from, spell.until)).collect();
    assert_eq!(spans, [(0, 450 * MILLIS), (551 * MILLIS, 651 * MILLIS)], "the longest one first");
    let by_process: Vec<(u32, u64, u64)> = waits
        .waiters
        .iter()
        .map(|one| (one.party.process.0, one.tally.ios, one.tally.nanos / MILLIS))
        .collect();
    assert_eq!(by_process, [(1, 3, 400), (2, 1, 150)]);
    assert_eq!((waits.processes[1].waits, waits.processes[1].waited), (3, 400 * MILLIS));
}

#[test]
fn what_was_in_flight_when_a_wait_began_or_came_while_it_lasted_was_around() {
    let ios = [
        // Complete before the wait begins, and in flight at its beginning.
        io(2, Op::Write, 0, 5),
        io(3, Op::Write, 1, 2_000),
        io(2, Op::Write, 8, 5),
        io(1, Op::Read, 10, 300),
        io(4, Op::Write, 200, 3),
        // Behind the end of the wait.
        io(5, Op::Write, 320, 3),
    ];
    let waiting = found(&ios, AwaitedWrites::Synchronous);
    let around: Vec<(u32, u64)> =
        waiting.found().around.iter().map(|one| (one.party.process.0, one.tally.ios)).collect();
    assert_eq!(around, [(3, 1), (2, 1), (4, 1)]);
}

#[test]
fn work_is_sequential_where_it_goes_on_where_the_same_process_ended_on_the_same_device() {
    let at = |process: u32, device: u16, start: u64| TracedIo {
        device: DeviceId(device),
        extent: Extent { start: Sector::new(start), length: SectorCount::new(8) },
        ..io(process, Op::Write, start, 1)
    };
    let ios = [at(1, 0, 0), at(2, 0, 1_000), at(1, 0, 8), at(2, 0, 1_008), at(1, 1, 16), at(2, 0, 1_000)];
    let waiting = found(&ios, AwaitedWrites::Synchronous);
    let waits = waiting.found();
    let sequential: Vec<u64> = waits.processes.iter().map(|process| process.sequential).collect();
    assert_eq!(sequential, [0, 1, 1]);
    let streams: Vec<(bool, u64)> =
        waits.streams.all().iter().map(|stream| (stream.is_sequential, stream.ios)).collect();
    assert_eq!(streams, [(false, 4), (true, 2)]);
}

#[test]
fn sizes_above_a_mebibyte_are_one_stream() {
    let long = |sectors: u32| TracedIo {
        extent: Extent { start: Sector::new(0), length: SectorCount::new(sectors) },
        ..io(1, Op::Read, 0, 1)
    };
    let waiting = found(&[long(2048), long(2049), long(9_000)], AwaitedWrites::Synchronous);
    let streams: Vec<_> =
        waiting.found().streams.all().iter().map(|stream| (stream.bytes, stream.ios)).collect();
    assert_eq!(streams, [(None, 2), (Some(1 << 20), 1)]);
}

proptest! {
    /// The same figures by trying every pair of waits.
    #[test]
    fn spells_and_time_are_those_of_the_union(
        steps in proptest::collection::vec((0u64..400, 0u64..600, 1u32..4), 1..80),
    ) {
        let mut at = 0;
        let ios: Vec<TracedIo> = steps.iter().map(|(step, took, process)| {
            at += step;
            io(*process, Op::Read, at, *took)
        }).collect();
        let waiting = found(&ios, AwaitedWrites::Synchronous);
        let waits = waiting.found();
        let slow: Vec<(u64, u64)> = ios.iter()
            .map(|io| (io.issued_at.as_nanos() / MILLIS, io.service.map_or(0, Nanos::get) / MILLIS))
            .filter(|(_, took)| *took >= 100)
            .map(|(at, took)| (at, at + took))
            .collect();
        let is_waited = |milli: &u64| slow.iter().any(|(from, until)| from <= milli && milli < until);
        let waited = (0..at + 1_000).filter(is_waited).count() as u64;
        prop_assert_eq!(waits.waited, waited * MILLIS);
        let begins_spell = |(place, (from, _)): (usize, &(u64, u64))| {
            slow[..place].iter().all(|(_, until)| until + 100 < *from)
        };
        let spells = slow.iter().enumerate().filter(|one| begins_spell(*one)).count() as u64;
        prop_assert_eq!(waits.spells, spells);
        let bins = waits.bins.all();
        prop_assert_eq!(bins.iter().map(|bin| bin.waited).sum::<u64>(), waits.waited);
        prop_assert_eq!(bins.iter().map(|bin| u64::from(bin.spells)).sum::<u64>(), waits.spells);
        prop_assert_eq!(waits.waiters.iter().map(|one| one.tally.ios).sum::<u64>(), slow.len() as u64);
    }
}
