//! `drivelab stream list`.

use std::fmt::Write as _;

use drivelab_stream::reader::{Chart, FrameReader, Recording};

use super::documents::{FrameDocument, Head, ListDocument, RecoveryDocument};
use super::{opened, text};
use crate::args::StreamListArgs;
use crate::commands::output;
use crate::exit::{Ending, Failure};

/// Lists frames.
pub fn main(args: &StreamListArgs) -> Result<Ending, Failure> {
    let image = opened::image(&args.target)?;
    let recording = Recording::open(&image)?;
    let superblock = recording.superblock();
    let channels = opened::channels(&args.frames, superblock)?;
    let wanted = opened::wanted(&args.frames, superblock)?;
    let chart = Chart::of(&recording)?;
    let mut frames = Vec::new();
    for channel in channels {
        let name = &superblock.channels[usize::from(channel)].name;
        FrameReader::new(&recording, &chart, channel).spots(wanted, &mut |spot| {
            frames.push(FrameDocument {
                channel: name.clone(),
                sequence: spot.entry.sequence,
                bytes: spot.entry.length,
                time_unix_ns: spot.entry.time_unix_ns,
                block: spot.block,
            });
            Ok(())
        })?;
    }
    opened::say_empty(&args.frames, frames.len() as u64);
    if args.json {
        let head = Head::of("list", &args.target, superblock);
        return output::print_json(&ListDocument {
            head,
            recovery: RecoveryDocument::of(&recording),
            frames,
        });
    }
    let mut shown = text::heading(superblock) + &text::recovery(&recording);
    let _ = writeln!(
        shown,
        "{:<16} {:>10} {:>12}  {:<24} {:>8}",
        "channel", "sequence", "bytes", "time", "block"
    );
    for frame in &frames {
        let FrameDocument { channel, sequence, bytes, time_unix_ns, block } = frame;
        let time = text::time(*time_unix_ns);
        let _ = writeln!(shown, "{channel:<16} {sequence:>10} {bytes:>12}  {time} {block:>8}");
    }
    output::print(&shown)
}
