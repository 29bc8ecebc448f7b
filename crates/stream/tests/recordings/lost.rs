//! The last frames that were reported as kept, read back from a target that has lost a block of them.

use crate::support::{BLOCK, Silent, folder, plan, run, synthetic};
use drivelab_block::Nanos;
use drivelab_stream::layout::StreamMode;
use drivelab_stream::plan::Plan;
use drivelab_stream::reader::{Chart, Recording, check, first_lost};

/// What a check of all of it proves is what reading back the end has to name.
#[test]
fn the_first_frame_of_a_lost_block_is_named_and_no_other() {
    let folder = folder();
    let path = folder.path().join("target");
    let plan = plan(synthetic(&[(9_000, 30_000)]), StreamMode::Linear, 60 * BLOCK);
    let outcome = run(&path, 200 * BLOCK, &plan, &mut Silent);
    let last_kept = outcome.channels[0].at_end.kept.last.expect("frames");
    let whole = std::fs::read(&path).expect("the target");
    let places = {
        let image = whole.as_slice();
        let recording = Recording::open(&image).expect("a recording");
        let chart = Chart::read(&recording);
        assert_eq!(first_lost(&recording, &chart, 0, last_kept).expect("an answer"), None);
        assert_eq!(first_lost(&recording, &chart, 0, last_kept + 1).expect("an answer"), Some(last_kept + 1));
        chart.places.iter().map(|place| recording.superblock.offset(place.sequence)).collect::<Vec<u64>>()
    };
    for back in [1, 2, 5] {
        let mut holed = whole.clone();
        let at = usize::try_from(places[places.len() - back]).expect("a place");
        // All of the block but its head: so much a short write leaves.
        holed[at + 8_192..at + 65_536].fill(0);
        let image = holed.as_slice();
        let recording = Recording::open(&image).expect("a recording");
        let chart = Chart::read(&recording);
        let lost = first_lost(&recording, &chart, 0, last_kept).expect("an answer").expect("a loss");
        let proved = check(&recording, &chart).expect("a check").frames[0];
        assert!(proved <= last_kept, "block {back} from the end holds frames");
        // The frames before the block are whole, and all behind it that do not begin in it are proved, too.
        assert!(lost <= proved, "{lost} {proved}");
        let before = first_lost(&recording, &chart, 0, lost - 1).expect("an answer");
        assert_eq!(before, None, "frames up to {lost} are there");
    }
}

/// The oldest blocks of a cyclic log may be overwritten at any moment: that is no loss.
#[test]
fn what_a_cyclic_recording_has_overwritten_is_not_lost() {
    let folder = folder();
    let path = folder.path().join("target");
    let plan = plan(synthetic(&[(9_000, 30_000), (500, 900)]), StreamMode::Cyclic, 150 * BLOCK);
    let outcome = run(&path, 48 * BLOCK, &plan, &mut Silent);
    let image = std::fs::read(&path).expect("the target");
    let image = image.as_slice();
    let recording = Recording::open(&image).expect("a recording");
    let chart = Chart::read(&recording);
    let lasts: Vec<Option<u64>> = outcome.channels.iter().map(|channel| channel.at_end.kept.last).collect();
    // On a busy machine one source may fill the recording before the thread of the other has a turn.
    assert!(lasts.iter().any(Option::is_some), "no frame was kept");
    for (channel, last) in (0..).zip(lasts) {
        let lost = last.map(|last| first_lost(&recording, &chart, channel, last).expect("an answer"));
        assert_eq!(lost.flatten(), None, "{channel}");
    }
}

/// How far back a reader looks is the recording's own: the blocks that may have been in flight, and the channel's one before.
#[test]
fn blocks_that_were_in_flight_at_the_end_are_read_and_older_ones_are_not() {
    let folder = folder();
    let path = folder.path().join("target");
    // A block is written when it is full, so that there are as many on any machine.
    let plan = Plan {
        flush_after: Nanos::from_millis(600_000),
        ..plan(synthetic(&[(9_000, 30_000)]), StreamMode::Linear, 60 * BLOCK)
    };
    let outcome = run(&path, 200 * BLOCK, &plan, &mut Silent);
    let last_kept = outcome.channels[0].at_end.kept.last.expect("frames");
    let whole = std::fs::read(&path).expect("the target");
    let lost = |image: &[u8], chart: Option<&Chart>| {
        let recording = Recording::open(&image).expect("a recording");
        let own = Chart::read(&recording);
        first_lost(&recording, chart.unwrap_or(&own), 0, last_kept).expect("an answer")
    };
    let image = &whole[..];
    let recording = Recording::open(&image).expect("a recording");
    let chart = Chart::read(&recording);
    let superblock = &recording.superblock;
    let in_flight = u64::from(superblock.window + superblock.in_flight);
    let from = recording.blocks().end - in_flight;
    let before = chart.places.iter().rposition(|place| place.sequence < from).expect("a long recording");
    assert_eq!(chart.places[before + 1].sequence, from, "no index, so that the test is a sharp one");
    for (number, place) in chart.places.iter().enumerate() {
        let mut holed = whole.clone();
        holed[usize::try_from(superblock.offset(place.sequence)).expect("a place") + 4_096] ^= 1;
        assert_eq!(lost(&holed, None).is_some(), number >= before, "block {} from {from}", place.sequence);
    }
    // A block that no index tells of: what lies before it is there.
    for number in before + 2..chart.places.len() {
        let mut holed = chart.clone();
        let removed = holed.places.remove(number);
        let first = removed.entry.frame_sequences.first;
        let lost = lost(image, Some(&holed)).expect("a block is missing");
        if number + 1 < chart.places.len() {
            assert!((first - 1..=first).contains(&lost), "{lost} of {removed:?}");
        }
    }
}

/// Of frames that are longer than a block, one may have begun before the blocks that are read: it is not called lost.
#[test]
fn no_frame_is_called_lost_that_begins_before_what_is_read() {
    let folder = folder();
    let path = folder.path().join("target");
    let plan = plan(synthetic(&[(200_000, 500_000)]), StreamMode::Linear, 90 * BLOCK);
    let outcome = run(&path, 200 * BLOCK, &plan, &mut Silent);
    let image = std::fs::read(&path).expect("the target");
    let image = image.as_slice();
    let recording = Recording::open(&image).expect("a recording");
    let chart = Chart::read(&recording);
    for number in 0..=outcome.channels[0].at_end.kept.last.expect("frames") {
        assert_eq!(first_lost(&recording, &chart, 0, number).expect("an answer"), None, "{number}");
    }
}
