//! After a failed write: whether the last frames that were reported as kept are there.

use std::path::Path;

use drivelab_inspect::stream::{RecordFindings, RecordReadBack, RecordedChannel};
use drivelab_runner::{Failure, output};
use drivelab_stream::reader::{Chart, Recording, first_lost};
use drivelab_stream::{ChannelOutcome, End, RecordingOutcome};

use super::super::opened;

/// What came of reading the last frames back.
pub enum ReadBack {
    /// No write failed.
    Unneeded,
    /// The drive is gone or answers nothing, which is said elsewhere.
    NoDrive,
    /// They cannot be read.
    Failed(Failure),
    /// The first frame of each channel that is not there.
    Done(Vec<Option<u64>>),
}

impl ReadBack {
    /// Reads the last frames back where a write failed and the drive is still there.
    pub fn read(target: &Path, outcome: &RecordingOutcome, is_gone: bool) -> ReadBack {
        if !matches!(outcome.end, End::Failed(_)) {
            return ReadBack::Unneeded;
        }
        // A read would not come back from a drive that hangs.
        if is_gone || outcome.unanswered.is_some() {
            return ReadBack::NoDrive;
        }
        output::say("drivelab: a write failed: reading back the last frames that were reported as kept");
        read(target, &outcome.channels).map_or_else(ReadBack::Failed, ReadBack::Done)
    }

    /// The same in the findings.
    pub fn found(&self) -> RecordReadBack {
        match self {
            ReadBack::Unneeded => RecordReadBack::Unneeded,
            ReadBack::NoDrive | ReadBack::Failed(_) => RecordReadBack::Failed,
            ReadBack::Done(_) => RecordReadBack::Done,
        }
    }

    /// The first frame of a channel that is not there.
    pub fn first_lost(&self, channel: usize) -> Option<u64> {
        let ReadBack::Done(channels) = self else { return None };
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
            ReadBack::Unneeded | ReadBack::NoDrive => Vec::new(),
            ReadBack::Failed(error) => vec![Failure::DriveFailed(format!(
                "the last frames that were reported as kept cannot be read back: {error}"
            ))],
            ReadBack::Done(_) => found.channels.iter().filter_map(lost).collect(),
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
