//! After a failed write: whether the last frames that were reported as kept are there.

use std::path::Path;

use drivelab_inspect::stream::{RecordFindings, RecordReadBack, RecordedChannel};
use drivelab_runner::{Failure, output};
use drivelab_stream::reader::{Chart, Recording, first_lost};
use drivelab_stream::{ChannelOutcome, End, RecordingOutcome};

use super::super::opened;

/// What came of reading the last frames back.
pub enum FramesReadBack {
    /// No write failed.
    Unneeded,
    /// The drive is gone or answers nothing, which is said elsewhere.
    NoDrive,
    /// They cannot be read.
    Failed(Failure),
    /// The first frame of each channel that is not there.
    Done(Vec<Option<u64>>),
}

impl FramesReadBack {
    /// Reads the last frames back where a write failed and the drive is still there.
    pub fn read(target: &Path, outcome: &RecordingOutcome, is_gone: bool) -> FramesReadBack {
        if !matches!(outcome.end, End::Failed(_)) {
            return FramesReadBack::Unneeded;
        }
        // A read would not come back from a drive that hangs.
        if is_gone || outcome.unanswered.is_some() {
            return FramesReadBack::NoDrive;
        }
        output::say("drivelab: a write failed: reading back the last frames that were reported as kept");
        read(target, &outcome.channels).map_or_else(FramesReadBack::Failed, FramesReadBack::Done)
    }

    /// The same in the findings.
    pub fn found(&self) -> RecordReadBack {
        match self {
            FramesReadBack::Unneeded => RecordReadBack::Unneeded,
            FramesReadBack::NoDrive | FramesReadBack::Failed(_) => RecordReadBack::Failed,
            FramesReadBack::Done(_) => RecordReadBack::Done,
        }
    }

    /// The first frame of a channel that is not there.
    pub fn first_lost(&self, channel: usize) -> Option<u64> {
        let FramesReadBack::Done(channels) = self else { return None };
        *channels.get(channel)?
    }

    /// What is to be said of it; a loop device has a reason of its own.
    pub fn failures(self, found: &RecordFindings, is_loop: bool) -> Vec<Failure> {
        let hint = if is_loop {
            ". A loop device acknowledges what it has no room for where the file system of its file is full: give the file all \
             its room before (fallocate)"
        } else {
            ""
        };
        let lost = |channel: &RecordedChannel| {
            let (first, last) = channel.first_lost.zip(channel.last_kept)?;
            Some(Failure::DriveFailed(format!(
                "{}: frames from {first} to {last} were reported as kept, since the target had acknowledged their blocks, and \
                 are not all there{hint}",
                channel.name
            )))
        };
        match self {
            FramesReadBack::Unneeded | FramesReadBack::NoDrive => Vec::new(),
            FramesReadBack::Failed(error) => vec![Failure::DriveFailed(format!(
                "the last frames that were reported as kept cannot be read back: {error}"
            ))],
            FramesReadBack::Done(_) => found.channels.iter().filter_map(lost).collect(),
        }
    }
}

fn read(target: &Path, channels: &[ChannelOutcome]) -> Result<Vec<Option<u64>>, Failure> {
    let image = opened::image(target)?;
    let recording = Recording::open(&image)?;
    let chart = Chart::read(&recording)?;
    let of_channel = |(number, channel): (u16, &ChannelOutcome)| {
        let last_kept = channel.kept.last;
        last_kept.map_or(Ok(None), |last| first_lost(&recording, &chart, number, last)).map_err(Failure::from)
    };
    (0..).zip(channels).map(of_channel).collect()
}
