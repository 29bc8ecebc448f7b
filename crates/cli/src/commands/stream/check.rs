//! `drivelab stream check`.

use drivelab_inspect::stream::{CheckFindings, ProvedChannel, StreamFindings, view};
use drivelab_runner::{Ending, Failure, Outputs};
use drivelab_stream::reader::{Chart, Checked, Problem, Recording, check};
use drivelab_view::Page;

use super::documents::{document_of, recording_of, recovery_of};
use super::opened;
use crate::args::StreamLookArgs;

/// Proves a recording.
pub fn main(args: &StreamLookArgs) -> Result<Ending, Failure> {
    let image = opened::image(&args.target)?;
    let recording = Recording::open(&image)?;
    let chart = Chart::read(&recording)?;
    let checked = check(&recording, &chart)?;
    // A kill leaves both superblocks whole: one that is not was damaged.
    let is_whole = !recording.recovery().superblock_lost && recording.cut_at().is_none();
    let is_well = checked.problems.is_empty() && is_whole;
    let ending = if is_well { Ending::Passed } else { Ending::CheckFailed };
    let superblock = recording.superblock();
    let words = |problems: &[Problem]| problems.iter().map(|problem| problem.words(superblock)).collect();
    let found = CheckFindings {
        recording: recording_of(&args.target, superblock),
        recovery: recovery_of(&recording),
        blocks: checked.blocks,
        channels: channels(&recording, &checked),
        problems: words(&checked.problems),
        unfinished: words(&checked.unfinished),
    };
    let page = Page::from_view(view(&found));
    let outputs = Outputs { json: args.json.is_asked(), ..Outputs::default() };
    outputs.make(&page, &[document_of(<StreamFindings>::Check(found))])?;
    Ok(ending)
}

fn channels(recording: &Recording<'_>, checked: &Checked) -> Vec<ProvedChannel> {
    let names = recording.superblock().channels.iter().map(|channel| channel.name.clone());
    let counts = checked.frames.iter().zip(&checked.bytes);
    names
        .zip(counts)
        .map(|(name, (frames, bytes))| ProvedChannel { name, frames: *frames, bytes: *bytes })
        .collect()
}
