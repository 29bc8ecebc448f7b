//! Which plans of a recording are refused, at both sides of every limit.

use crate::support;
use crate::support::synthetic;
use drivelab_block::ByteCount;
use drivelab_stream::StreamError;
use drivelab_stream::layout::{Index, StreamMode};
use drivelab_stream::plan::{ChannelPlan, OnFull, Plan, RecordingPlaces};
use drivelab_stream::source::SourceKind;

const MIB: u64 = 1 << 20;

fn plan() -> Plan {
    let channels = synthetic(&[(1_000, 2_000)]);
    let channels =
        channels.into_iter().map(|channel| ChannelPlan { ring: ByteCount::new(8 * MIB), ..channel });
    Plan { block: ByteCount::new(MIB), ..support::plan(channels.collect(), StreamMode::Linear, MIB) }
}

fn with_channel(change: impl FnOnce(&mut ChannelPlan)) -> Plan {
    let mut plan = plan();
    change(&mut plan.channels[0]);
    plan
}

/// The plan with made frames of these lengths at this rate.
fn frames(bytes: (u32, u32), rate: Option<f64>, on_full: OnFull) -> Plan {
    with_channel(|channel| {
        let SourceKind::Synthetic(synthetic) = &mut channel.source else { panic!("frames are made") };
        (synthetic.least_bytes, synthetic.most_bytes) = bytes;
        (synthetic.rate, channel.on_full) = (rate, on_full);
    })
}

/// What is said against a plan on a target of a gibibyte; nothing of one that is taken.
fn refused(plan: &Plan) -> Option<String> {
    match plan.places(1 << 30, 512) {
        Ok(_) => None,
        Err(StreamError::Usage(message)) => Some(message),
        Err(other) => panic!("{other}"),
    }
}

#[track_caller]
fn limits(taken: &[Plan], refused_with: &[(Plan, &str)]) {
    for plan in taken {
        assert_eq!(refused(plan), None);
    }
    for (plan, words) in refused_with {
        let message = refused(plan).unwrap_or_else(|| panic!("not refused: {words}"));
        assert!(message.contains(words), "{message}");
    }
}

#[test]
fn the_places_follow_from_the_size_of_the_target() {
    let places = plan().places(1 << 30, 512).expect("room");
    let last = (1 << 30) - 4096;
    let expected = RecordingPlaces {
        block_bytes: 1 << 20,
        superblocks_at: [0, last],
        log_start: MIB,
        // The last superblock takes a part of the last block's place.
        log_blocks: 1022,
        index_interval: 16,
    };
    assert_eq!(places, expected);
    // Where nothing is asked for, an index comes every 256 blocks, or four times in a smaller log.
    let fitted = |capacity: u64| {
        Plan { index_interval: None, ..plan() }.places(capacity, 4096).map(|places| places.index_interval)
    };
    assert_eq!(fitted(8 << 30).ok(), Some(256));
    assert_eq!(fitted(101 * MIB + 4096).ok(), Some(25));
}

#[test]
fn blocks_queues_and_indexes_have_limits() {
    let block = |bytes: u64| Plan { block: ByteCount::new(bytes), ..plan() };
    let in_flight = |in_flight: u32| Plan { in_flight, ..plan() };
    let interval = |blocks: u32| Plan { index_interval: Some(blocks), ..plan() };
    let taken = [block(2 * MIB), block(MIB + 4096), in_flight(1), in_flight(256), interval(4)];
    let refused_with = [
        (block(MIB + 512), "--block-size"),
        (block(32 << 10), "--block-size"),
        (block(128 * MIB), "--block-size"),
        (in_flight(0), "--queue-depth"),
        (in_flight(257), "--queue-depth"),
        (interval(3), "--index-interval: between 4 and"),
        (interval(u32::MAX), "--index-interval: between 4 and"),
        (Plan { bytes: Some(ByteCount::new(0)), ..plan() }, "--bytes must be above 0"),
    ];
    limits(&taken, &refused_with);
    let most = u32::try_from(Index::capacity(1 << 20)).expect("a block of entries");
    let with = |blocks: u32| interval(blocks).places(1 << 50, 4096).map(|places| places.index_interval);
    assert_eq!(with(most).ok(), Some(most));
    with(most + 1).expect_err("more than an index tells of");
    let coarse = plan().places(1 << 30, 8192).expect_err("too long blocks").to_string();
    assert!(coarse.contains("8192"), "{coarse}");
}

#[test]
fn a_target_needs_room_for_twice_an_index_and_what_is_in_flight() {
    // Twice 16 and 4 blocks, one before the log, and the last superblock.
    let least = 41 * MIB + 4096;
    assert_eq!(plan().places(least, 512).map(|places| places.log_blocks).ok(), Some(40));
    let message = plan().places(least - 4096, 512).expect_err("too small").to_string();
    assert!(message.contains("room for 39 blocks, and 40 are the least: use one of 44.0 MB"), "{message}");
}

#[test]
fn channels_have_names_of_their_own_and_rings_of_two_blocks() {
    let many = |count: usize| {
        let channels = synthetic(&vec![(1_000, 2_000); count]).into_iter();
        let channels = channels.map(|channel| ChannelPlan { ring: ByteCount::new(2 * MIB), ..channel });
        Plan { channels: channels.collect(), ..plan() }
    };
    let ring = |bytes: u64| with_channel(|channel| channel.ring = ByteCount::new(bytes));
    let named = |name: &str| with_channel(|channel| channel.name = name.to_owned());
    let mut twice = many(2);
    twice.channels.iter_mut().for_each(|channel| channel.name = "camera".to_owned());
    // 16384 buffers, less two of the index and one of the superblock.
    let taken = [many(1), many(32), ring(2 * MIB), ring(16_381 * MIB), named("cam-1_b.x")];
    let refused_with = [
        (many(0), "between 1 and 32 channels"),
        (many(33), "between 1 and 32 channels"),
        (ring(2 * MIB - 1), "ring is at least two blocks"),
        (ring(16_382 * MIB), "more than 16381 blocks"),
        (named(""), "letters, digits"),
        (named(".hidden"), "letters, digits"),
        (twice, "two channels have this name"),
    ];
    limits(&taken, &refused_with);
}

#[test]
fn made_frames_fit_their_ring_and_end_some_time() {
    let wait = OnFull::Wait;
    // A frame may fill all blocks of its ring but one, less their headers.
    let longest = u32::try_from(7 * (MIB - 4096)).expect("a length");
    let taken = [
        frames((48, 48), None, wait),
        frames((48, longest), None, wait),
        frames((1_000, 1_000), Some(1e6), OnFull::Drop),
        frames((1_000, 1_000), Some(0.001), OnFull::Drop),
    ];
    let refused_with = [
        (frames((47, 100), None, wait), "size is 48 bytes or more"),
        (frames((200, 100), None, wait), "size is 48 bytes or more"),
        (frames((48, longest + 1), None, wait), "do not fit its ring"),
        (frames((1_000, 1_000), Some(0.0), wait), "rate is more than 0"),
        (frames((1_000, 1_000), Some(1e6 + 1.0), wait), "rate is more than 0"),
        (frames((1_000, 1_000), Some(f64::NAN), wait), "rate is more than 0"),
        (frames((1_000, 1_000), None, OnFull::Drop), "would drop without end"),
    ];
    limits(&taken, &refused_with);
}
