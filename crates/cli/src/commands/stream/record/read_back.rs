//! After a failed write: whether the last frames that were reported as kept can be read back.
//!
//! A target that ran out of room may have acknowledged a write of which it has only a part. The kernel's loop device does so
//! where the file system of its file is full: it completes a write that found room in part as a whole one (seen on Linux 6.18
//! over Btrfs).

use std::cell::Cell;
use std::path::Path;

use drivelab_runner::Failure;
use drivelab_stream::ChannelOutcome;
use drivelab_stream::reader::{Break, Chart, Frame, FrameReader, Recording, Wanted};

use super::super::opened;

/// How much of each channel is read back, in bytes: more than is ever in flight together.
const LOOK_BACK: u64 = 256 << 20;

/// For each channel the first frame that was reported as kept and cannot be read back, of the last ones.
pub fn first_lost(target: &Path, channels: &[ChannelOutcome]) -> Result<Vec<Option<u64>>, Failure> {
    let image = opened::image(target)?;
    let recording = Recording::open(&image)?;
    let chart = Chart::of(&recording)?;
    (0..).zip(channels).map(|(number, channel)| of_channel(&recording, &chart, (number, channel))).collect()
}

fn of_channel(
    recording: &Recording<'_>,
    chart: &Chart,
    (number, channel): (u16, &ChannelOutcome),
) -> Result<Option<u64>, Failure> {
    let Some(last_kept) = channel.kept.last else { return Ok(None) };
    let mean = (channel.kept.bytes / channel.kept.frames.max(1)).max(1);
    let first = last_kept.saturating_sub(LOOK_BACK / mean);
    // The number after the last frame that was found, and the same at the first break.
    let (next, broken_at) = (Cell::new(first), Cell::new(None));
    let wanted = Wanted { sequences: (first, last_kept), ..Wanted::ALL };
    let mut found = |frame: Frame<'_>| {
        next.set(frame.spot.entry.sequence + 1);
        Ok(())
    };
    let mut broken = |_: Break| broken_at.set(broken_at.get().or(Some(next.get())));
    FrameReader::new(recording, chart, number).frames(wanted, &mut found, &mut broken)?;
    Ok(broken_at.get().or(Some(next.get())).filter(|lost| *lost <= last_kept))
}
