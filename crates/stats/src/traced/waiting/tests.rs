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
    let mut waiting = Waiting::new(awaited, 0);
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
    let sum = Tally { ios: 3, bytes: 3 * 4_096, nanos: 1_100 * MILLIS, longest: 500 * MILLIS };
    assert_eq!(waits.sizes[3], sum);
    let all = found(&ios, AwaitedWrites::All);
    assert_eq!(of_size(&all.found()), expected(4));
    assert_eq!(all.found().spells, 4, "the source marks no writes");
}

#[test]
fn waits_that_overlap_or_lie_near_are_one_which_lasts_from_their_begin_to_their_end() {
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
    assert_eq!((waits.spells, waits.waited), (2, (450 + 100) * MILLIS));
    assert_eq!(waits.longest, 450 * MILLIS, "and not that of one I/O");
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

/// What a database commits is marked in any of these ways.
#[test]
fn programs_wait_for_each_kind_of_synchronous_write() {
    for flags in [IoFlags::SYNC, IoFlags::FUA, IoFlags::PREFLUSH] {
        let write = TracedIo { flags, ..io(1, Op::Write, 0, 500) };
        assert_eq!(found(&[write], AwaitedWrites::Synchronous).found().spells, 1, "{flags:?}");
    }
}

#[test]
fn an_io_of_an_unknown_duration_is_a_request_and_no_wait() {
    let ios = [TracedIo { service: None, ..io(1, Op::Read, 0, 0) }, io(1, Op::Read, 1, 300)];
    let waiting = found(&ios, AwaitedWrites::Synchronous);
    let bins = waiting.found().bins.all();
    assert_eq!(bins, [WaitBin { requests: 2, spells: 1, waited: 300 * MILLIS }]);
}

#[test]
fn waiters_and_what_was_around_are_told_with_their_bytes_and_times() {
    let of = |sectors, io| TracedIo {
        extent: Extent { start: Sector::new(77_000), length: SectorCount::new(sectors) },
        device: DeviceId(7),
        ..io
    };
    let ios = [
        of(8, io(2, Op::Write, 5, 40)),
        of(16, io(1, Op::Read, 10, 300)),
        of(24, io(2, Op::Write, 20, 3)),
        of(1, io(1, Op::Read, 30, 200)),
    ];
    let waiting = found(&ios, AwaitedWrites::Synchronous);
    let told = |process, work, [ios, sectors, millis, longest]: [u64; 4]| PartyTally {
        party: Party { process: ProcessId(process), device: DeviceId(7), work },
        tally: Tally { ios, bytes: sectors * 512, nanos: millis * MILLIS, longest: longest * MILLIS },
    };
    let waits = waiting.found();
    assert_eq!(waits.waiters, [told(1, IoWork::ScatteredReads, [2, 17, 500, 300])]);
    assert_eq!(waits.around, [told(2, IoWork::ScatteredWrites, [2, 32, 43, 40])]);
}

/// Reads and writes of one program each go on where its own kind ended.
#[test]
fn each_kind_of_work_is_told_apart() {
    let ios: Vec<TracedIo> = [
        (Op::Read, 0),
        (Op::Read, 8),
        (Op::Write, 16),
        (Op::Write, 24),
        (Op::Read, 16),
        (Op::Discard, 32),
        (Op::Flush, 0),
    ]
    .into_iter()
    .zip(0..)
    .map(|((op, start), at)| TracedIo {
        extent: Extent { start: Sector::new(start), length: SectorCount::new(8) },
        ..io(1, op, at, 300)
    })
    .collect();
    let waiting = found(&ios, AwaitedWrites::All);
    let waits = waiting.found();
    let works = |tallies: &[PartyTally]| -> Vec<(IoWork, u64)> {
        tallies.iter().map(|one| (one.party.work, one.tally.ios)).collect()
    };
    let awaited = [
        (IoWork::SequentialReads, 2),
        (IoWork::ScatteredReads, 1),
        (IoWork::SequentialWrites, 1),
        (IoWork::ScatteredWrites, 1),
        (IoWork::Flushes, 1),
    ];
    assert_eq!(
        (works(&waits.waiters), works(&waits.around)),
        (awaited.to_vec(), vec![(IoWork::Discards, 1)])
    );
    let streams: Vec<(Op, bool, u64)> =
        waits.streams.all().iter().map(|one| (one.op, one.is_sequential, one.ios)).collect();
    let expected = [(Op::Read, true, 2), (Op::Read, false, 1), (Op::Write, true, 1), (Op::Write, false, 1)];
    assert_eq!(streams, expected);
}

#[test]
fn what_each_process_did_is_counted_by_operation() {
    let of = |op, at, sectors| TracedIo {
        extent: Extent { start: Sector::new(at * 1_000), length: SectorCount::new(sectors) },
        ..io(1, op, at, 1)
    };
    let reads = [of(Op::Read, 1, 8), of(Op::Read, 2, 16)];
    let writes = [of(Op::Write, 3, 1), of(Op::Write, 4, 1), of(Op::Write, 5, 2)];
    let rest = [of(Op::Flush, 6, 0), of(Op::Flush, 7, 0), of(Op::Discard, 8, 99)];
    let waiting = found(&[&reads[..], &writes[..], &rest[..]].concat(), AwaitedWrites::Synchronous);
    let did = waiting.found().processes[1];
    assert_eq!((did.reads, did.writes, did.flushes), (2, 3, 2));
    assert_eq!((did.read_bytes, did.written_bytes), (24 * 512, 4 * 512));
    assert_eq!((did.sequential, did.waits), (0, 0));
}

/// Else a program that asks for nothing where it stopped looked as if it streamed.
#[test]
fn what_has_no_length_goes_on_nowhere() {
    let at = |start: u64, sectors: u32| TracedIo {
        extent: Extent { start: Sector::new(start), length: SectorCount::new(sectors) },
        ..io(1, Op::Read, start, 1)
    };
    let waiting = found(&[at(0, 8), at(8, 0), at(8, 8)], AwaitedWrites::Synchronous);
    assert_eq!(waiting.found().processes[1].sequential, 1, "the last one alone");
}

/// The I/Os of a process that were around, and the sum of their times in milliseconds.
fn around(waiting: &Waiting, process: u32) -> (u64, u64) {
    let all = waiting.found().around;
    let own = all.iter().filter(|one| one.party.process.0 == process);
    own.fold((0, 0), |(ios, millis), one| (ios + one.tally.ios, millis + one.tally.nanos / MILLIS))
}

#[test]
fn what_completed_at_the_moment_a_wait_began_was_not_around() {
    let ios = [io(2, Op::Write, 5, 5), io(3, Op::Write, 5, 6), io(1, Op::Read, 10, 300)];
    let waiting = found(&ios, AwaitedWrites::Synchronous);
    assert_eq!((around(&waiting, 2), around(&waiting, 3)), ((0, 0), (1, 6)));
}

/// The program that kept the drive busy is the one to be named, however much others asked for meanwhile.
#[test]
fn a_long_write_is_around_behind_any_number_of_short_ones() {
    let mut ios = vec![io(3, Op::Write, 7, 2_000)];
    ios.extend((0..5_000).map(|_| io(2, Op::Write, 8, 9)));
    ios.extend((0..600).map(|_| io(4, Op::Write, 9, 10)));
    ios.push(io(1, Op::Read, 10, 300));
    let waiting = found(&ios, AwaitedWrites::Synchronous);
    assert_eq!((around(&waiting, 3), around(&waiting, 4)), ((1, 2_000), (600, 6_000)));
}

/// Of short ones the last are remembered, whatever came before, and no more of them in a trace of any length.
#[test]
fn the_last_512_short_ones_are_remembered() {
    let mut ios: Vec<TracedIo> = (0..1_000).map(|_| io(2, Op::Write, 0, 9)).collect();
    ios.extend((0..500).map(|_| io(3, Op::Write, 1, 9)));
    ios.push(io(1, Op::Read, 2, 300));
    let waiting = found(&ios, AwaitedWrites::Synchronous);
    assert_eq!((around(&waiting, 3), around(&waiting, 2)), ((500, 4_500), (12, 108)));
}

/// Else a trace of weeks fills the list once, and whoever was in the way is never named again.
#[test]
fn long_ones_that_completed_make_room_for_later_ones() {
    let mut ios = vec![io(2, Op::Write, 0, 60_000)];
    ios.extend((0..4_095).map(|_| io(3, Op::Write, 0, 1_000)));
    ios.push(io(4, Op::Write, 1_000, 500));
    ios.push(io(1, Op::Read, 1_001, 300));
    let waiting = found(&ios, AwaitedWrites::Synchronous);
    let found = [2, 3, 4].map(|process| around(&waiting, process));
    assert_eq!(found, [(1, 60_000), (0, 0), (1, 500)]);
}

#[test]
fn no_more_than_4096_long_ones_are_remembered() {
    let mut ios: Vec<TracedIo> = (0..5_000).map(|_| io(2, Op::Write, 0, 60_000)).collect();
    ios.push(io(1, Op::Read, 1, 300));
    assert_eq!(around(&found(&ios, AwaitedWrites::Synchronous), 2).0, 4_096);
}

#[test]
fn the_20_longest_spells_are_kept_and_of_equal_ones_the_earlier() {
    let ios: Vec<TracedIo> =
        (0..25).map(|number| io(1, Op::Read, number * 10_000, 200 + number / 2 * 10)).collect();
    let waiting = found(&ios, AwaitedWrites::Synchronous);
    let worst: Vec<(u64, u64)> =
        waiting.found().worst.iter().map(|spell| (spell.from / MILLIS, spell.nanos() / MILLIS)).collect();
    let expected: Vec<(u64, u64)> =
        [24, 22, 23, 20, 21, 18, 19, 16, 17, 14, 15, 12, 13, 10, 11, 8, 9, 6, 7, 4]
            .map(|number| (number * 10_000, 200 + number / 2 * 10))
            .to_vec();
    assert_eq!(worst, expected);
}

/// What is in flight beyond the end of a spell, or twice at the same time, is time in flight once and until then.
#[test]
fn the_time_in_flight_of_others_is_that_of_their_union_within_the_spells() {
    let ios = [
        // 5 ms before the spell from 10 to 210, and 85 ms in it; 20 to 120 in it, and 100 to 300 beyond it.
        io(2, Op::Write, 5, 90),
        io(1, Op::Read, 10, 200),
        io(3, Op::Write, 20, 99),
        io(2, Op::Write, 80, 40),
        io(3, Op::Write, 190, 99),
        // Nothing else in the second one.
        io(1, Op::Read, 20_000, 400),
    ];
    let waiting = found(&ios, AwaitedWrites::Synchronous);
    let waits = waiting.found();
    let in_flight: Vec<(u32, u64, u64)> = (waits.in_flight.iter())
        .map(|one| (one.party.process.0, one.tally.ios, one.tally.nanos / MILLIS))
        .collect();
    // Process 3 from 20 to 119 and from 190 to 210, process 2 from 10 to 120; any from 10 to 120 and from 190 to 210.
    assert_eq!(in_flight, [(3, 1, 119), (2, 1, 110)]);
    assert_eq!((waits.any_in_flight / MILLIS, waits.waited / MILLIS), (130, 600));
}

#[test]
fn waits_count_in_the_minute_they_began_in() {
    let ios = [io(1, Op::Write, 0, 1), io(1, Op::Read, 59_999, 300), io(1, Op::Read, 180_000, 100)];
    let waiting = found(&ios, AwaitedWrites::Synchronous);
    let bins = waiting.found().bins;
    let none = WaitBin::default();
    let first = WaitBin { requests: 2, spells: 1, waited: 300 * MILLIS };
    let last = WaitBin { requests: 1, spells: 1, waited: 100 * MILLIS };
    assert_eq!((bins.width, bins.all()), (60_000 * MILLIS, &[first, none, none, last][..]));
}

#[test]
fn from_three_weeks_on_two_minutes_are_one_bin_and_nothing_is_lost() {
    let minute = |number: u64| io(1, Op::Read, number * 60_000, 300);
    let waiting = found(&[0, 1, 3, 32_768].map(minute), AwaitedWrites::Synchronous);
    let bins = waiting.found().bins;
    let of =
        |spells: u32| WaitBin { requests: spells.into(), spells, waited: u64::from(spells) * 300 * MILLIS };
    assert_eq!((bins.width, bins.all().len()), (120_000 * MILLIS, 16_385));
    assert_eq!((bins.all()[0], bins.all()[1], bins.all()[16_384]), (of(2), of(1), of(1)));
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
        // What lies between two waits that are one is waited as well: no more than 100 ms.
        let covered: Vec<u64> = (0..at + 1_000).filter(is_waited).collect();
        let between = covered.windows(2).map(|pair| pair[1] - pair[0] - 1).filter(|gap| *gap <= 100).sum::<u64>();
        let waited = covered.len() as u64 + between;
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
