//! Whether the last frames that were reported as kept can be read back.
//!
//! A target that ran out of room may have acknowledged a write of which it has only a part. The kernel's loop device does so
//! where the file system of its file is full: it completes a write that found room in part as a whole one (seen on Linux 6.18
//! over Btrfs).

use std::cell::Cell;

use super::chart::{Chart, LogPlace};
use super::frames::{Frame, FrameReader, Wanted};
use super::problem::Problem;
use super::recover::Recording;
use crate::StreamError;
use crate::layout::FirstLast;

/// The first frame of a channel that is not there, of those up to `last_kept`. Looked at are the blocks that may have been in
/// flight together at the end of the log, and the one of the channel before them.
///
/// # Errors
/// Where the image cannot be read.
pub fn first_lost(
    recording: &Recording<'_>,
    chart: &Chart,
    channel: u16,
    last_kept: u64,
) -> Result<Option<u64>, StreamError> {
    let places = last_places(recording, chart, channel);
    let Some(first) = places.iter().find(|place| place.entry.frames > 0) else { return Ok(None) };
    // The number after the last frame that was found, and the same at the first break.
    let (next, broken_at) = (Cell::new(first.entry.frame_sequences.first), Cell::new(None));
    let mut found = |frame: Frame<'_>| {
        next.set(frame.spot.entry.sequence + 1);
        Ok(())
    };
    let mut broken = |_: Problem| broken_at.set(broken_at.get().or(Some(next.get())));
    let wanted = Wanted { sequences: FirstLast::new(0, last_kept), ..Wanted::ALL };
    let chart = Chart { places, lost_indexes: Vec::new() };
    FrameReader::new(recording, &chart, channel).frames(wanted, &mut found, &mut broken)?;
    Ok(broken_at.get().or(Some(next.get())).filter(|lost| *lost <= last_kept))
}

/// The last blocks of a channel, up to the first that is missing among them.
fn last_places(recording: &Recording<'_>, chart: &Chart, channel: u16) -> Vec<LogPlace> {
    let superblock = &recording.superblock;
    let back = u64::from(superblock.window) + u64::from(superblock.in_flight);
    let from = recording.blocks().end.saturating_sub(back);
    let settled = recording.settled_start();
    let of_channel = |place: &&LogPlace| place.entry.channel == channel && place.sequence >= settled;
    let mut places: Vec<LogPlace> = chart.places.iter().filter(of_channel).copied().collect();
    let before = places.partition_point(|place| place.sequence < from).saturating_sub(1);
    places.drain(..before);
    let is_gap = |pair: &[LogPlace]| {
        pair[1].entry.channel_sequence != pair[0].entry.channel_sequence.saturating_add(1)
    };
    if let Some(gap) = places.windows(2).position(is_gap) {
        places.truncate(gap + 1);
    }
    places
}
