//! `drivelab stream info`.

use drivelab_block::ByteCount;
use drivelab_inspect::stream::{ChannelSpan, InfoFindings, StreamFindings};
use drivelab_runner::{Ending, Failure, output};
use drivelab_stream::reader::{Chart, FrameReader, Recording};
use std::fmt::Write as _;

use super::documents::{self, framing_of, recording_of, recovery_of};
use super::{opened, text};
use crate::args::StreamLookArgs;

/// Says what a recording is.
pub fn main(args: &StreamLookArgs) -> Result<Ending, Failure> {
    let image = opened::image(&args.target)?;
    let recording = Recording::open(&image)?;
    let chart = Chart::read(&recording)?;
    let superblock = recording.superblock();
    let blocks = recording.blocks();
    let document = InfoFindings {
        recording: recording_of(&args.target, superblock),
        recovery: recovery_of(&recording),
        generation: superblock.generation,
        index_interval: superblock.index_interval,
        log: [blocks.start, blocks.end],
        pass: superblock.pass(blocks.end.saturating_sub(1)),
        channels: spans(&recording, &chart)?,
    };
    if args.json.is_asked() {
        return documents::print(<StreamFindings>::Info(document));
    }
    output::print(&(text::heading(superblock) + &text::recovery(&recording) + &shown(&document)))
}

fn spans(recording: &Recording<'_>, chart: &Chart) -> Result<Vec<ChannelSpan>, Failure> {
    let of = |(number, channel): (usize, &drivelab_stream::layout::ChannelEntry)| {
        let own = chart.places.iter().filter(|place| usize::from(place.entry.channel) == number);
        let entries: Vec<_> = own.map(|place| place.entry).collect();
        let with_frames: Vec<_> = entries.iter().filter(|entry| entry.frames > 0).collect();
        let ends = with_frames.first().zip(with_frames.last());
        #[expect(clippy::cast_possible_truncation, reason = "at most CHANNELS_MAX")]
        let under_way = FrameReader::new(recording, chart, number as u16).under_way()?;
        let begun: u64 = entries.iter().map(|entry| u64::from(entry.frames)).sum();
        Ok(ChannelSpan {
            name: channel.name.clone(),
            framing: framing_of(channel.framing),
            blocks: entries.len() as u64,
            frames: begun - u64::from(under_way.is_some()),
            under_way: under_way.map(|spot| spot.entry.sequence),
            bytes: entries.iter().map(|entry| u64::from(entry.used)).sum(),
            sequences: ends.map(|(first, last)| [first.frame_sequences.first, last.frame_sequences.last]),
            times_unix_ns: ends.map(|(first, last)| [first.times_unix_ns.first, last.times_unix_ns.last]),
        })
    };
    recording.superblock().channels.iter().enumerate().map(of).collect()
}

fn shown(document: &InfoFindings) -> String {
    let [start, end] = document.log;
    let mut shown = format!(
        "blocks {start} to {} of the log are there, pass {}; superblock of generation {}, an index every {} blocks or \
         sooner\n",
        end.saturating_sub(1),
        document.pass,
        document.generation,
        document.index_interval
    );
    for channel in &document.channels {
        let bytes = ByteCount::new(channel.bytes);
        let _ = write!(
            shown,
            "  {:<16} {} frames, {bytes} in {} blocks",
            channel.name, channel.frames, channel.blocks
        );
        if let (Some([first, last]), Some([from, to])) = (channel.sequences, channel.times_unix_ns) {
            let _ = write!(shown, ", {first} to {last}, {} to {}", text::time(from), text::time(to));
        }
        if let Some(sequence) = channel.under_way {
            let _ = write!(shown, "; {sequence} has no end");
        }
        shown.push('\n');
    }
    shown
}
