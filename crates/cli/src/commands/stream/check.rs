//! `drivelab stream check`.

use drivelab_block::ByteCount;
use drivelab_runner::{Ending, Failure, output};
use drivelab_stream::reader::{Chart, Checked, Problem, Recording, check};
use std::fmt::Write as _;

use super::documents::{CheckDocument, Head, ProvedChannel, RecoveryDocument};
use super::{opened, text};
use crate::args::StreamLookArgs;

/// More lines than this help nobody.
const LINES_MAX: usize = 20;

/// Proves a recording.
pub fn main(args: &StreamLookArgs) -> Result<Ending, Failure> {
    let image = opened::image(&args.target)?;
    let recording = Recording::open(&image)?;
    let chart = Chart::of(&recording)?;
    let checked = check(&recording, &chart)?;
    // A kill leaves both superblocks whole: one that is not was damaged.
    let is_whole = !recording.recovery().superblock_lost && recording.cut_at().is_none();
    let is_well = checked.problems.is_empty() && is_whole;
    let ending = if is_well { Ending::Passed } else { Ending::CheckFailed };
    let superblock = recording.superblock();
    let words = |problems: &[Problem]| problems.iter().map(|problem| problem.words(superblock)).collect();
    let document = CheckDocument {
        head: Head::of("check", &args.target, superblock),
        recovery: RecoveryDocument::of(&recording),
        blocks: checked.blocks,
        channels: channels(&recording, &checked),
        problems: words(&checked.problems),
        unfinished: words(&checked.unfinished),
    };
    if args.json.is_asked() {
        output::print_json(&document)?;
    } else {
        let heading = text::heading(superblock) + &text::recovery(&recording);
        output::print(&(heading + &shown(&document, text::by_right(superblock))))?;
    }
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

fn shown(document: &CheckDocument, by_right: &str) -> String {
    let mut shown = String::new();
    for channel in &document.channels {
        let bytes = ByteCount::new(channel.bytes);
        let _ = writeln!(shown, "  {:<16} {} frames proved, {bytes}", channel.name, channel.frames);
    }
    shown += &lines(by_right, &document.unfinished);
    if document.problems.is_empty() && document.recovery.superblock_lost() {
        shown + &format!("{} blocks proved, nothing is wrong in them\n", document.blocks)
    } else if document.problems.is_empty() {
        shown + &format!("{} blocks proved, nothing is wrong\n", document.blocks)
    } else {
        shown + &format!("{} blocks proved\n", document.blocks) + &lines("wrong", &document.problems)
    }
}

fn lines(what: &str, problems: &[String]) -> String {
    let mut lines = String::new();
    for problem in problems.iter().take(LINES_MAX) {
        let _ = writeln!(lines, "  {what}: {problem}");
    }
    if problems.len() > LINES_MAX {
        let _ = writeln!(lines, "  and {} more, which --json names", problems.len() - LINES_MAX);
    }
    lines
}
