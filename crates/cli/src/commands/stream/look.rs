//! `drivelab stream check`, `info` and `list`: what a recording holds.

use std::cell::Cell;
use std::fmt::Write as _;
use std::io::{self, BufWriter, Write as _};

use drivelab_block::ByteCount;
use drivelab_inspect::stream::{
    ChannelSpan, CheckFindings, InfoFindings, ListFindings, ProvedChannel, StreamFindings, StreamFrame, view,
};
use drivelab_runner::{Ending, Failure, Outputs, PrintableWriter, output};
use drivelab_stream::StreamError;
use drivelab_stream::layout::Superblock;
use drivelab_stream::reader::{Chart, Checked, FrameReader, FrameSpot, Problem, Recording, Wanted, check};
use drivelab_view::Page;
use serde::Serialize;
use serde::ser::{Error as _, SerializeSeq as _, Serializer};

use super::opened::{self, document_of, recording_of, recovery_of};
use crate::args::{StreamListArgs, StreamLookArgs};

pub fn check_recording(args: &StreamLookArgs) -> Result<Ending, Failure> {
    let image = opened::image(&args.target)?;
    let recording = Recording::open(&image)?;
    let chart = Chart::read(&recording);
    let checked = check(&recording, &chart)?;
    // A kill leaves both superblocks whole: one that is not was damaged.
    let is_whole = !recording.recovery.superblock_lost && recording.cut_at().is_none();
    let is_well = checked.problems.is_empty() && is_whole;
    let ending = if is_well { Ending::Passed } else { Ending::CheckFailed };
    let superblock = &recording.superblock;
    let words = |problems: &[Problem]| problems.iter().map(|problem| problem.words(superblock)).collect();
    let found = CheckFindings {
        recording: recording_of(&args.target, superblock),
        recovery: recovery_of(&recording),
        blocks: checked.blocks,
        channels: proved_channels(&recording, &checked),
        problems: words(&checked.problems),
        unfinished: words(&checked.unfinished),
    };
    let page = Page::from_view(view(&found));
    let outputs = Outputs { json: args.json.is_asked, ..Outputs::default() };
    outputs.make(&page, &[document_of(<StreamFindings>::Check(found))])?;
    Ok(ending)
}

fn proved_channels(recording: &Recording<'_>, checked: &Checked) -> Vec<ProvedChannel> {
    let names = recording.superblock.channels.iter().map(|channel| channel.name.clone());
    let counts = checked.frames.iter().zip(&checked.bytes);
    names
        .zip(counts)
        .map(|(name, (frames, bytes))| ProvedChannel { name, frames: *frames, bytes: *bytes })
        .collect()
}

pub fn show_info(args: &StreamLookArgs) -> Result<Ending, Failure> {
    let image = opened::image(&args.target)?;
    let recording = Recording::open(&image)?;
    let chart = Chart::read(&recording);
    let superblock = &recording.superblock;
    let blocks = recording.blocks();
    let document = InfoFindings {
        recording: recording_of(&args.target, superblock),
        recovery: recovery_of(&recording),
        generation: superblock.generation,
        index_interval: superblock.index_interval,
        log: [blocks.start, blocks.end],
        pass: superblock.pass(blocks.end.saturating_sub(1)),
        channels: spans(&recording, &chart),
    };
    if args.json.is_asked {
        return opened::print(<StreamFindings>::Info(document));
    }
    output::print(&(opened::heading(superblock) + &opened::recovery(&recording) + &info_in_words(&document)))
}

fn spans(recording: &Recording<'_>, chart: &Chart) -> Vec<ChannelSpan> {
    let of = |(number, channel): (usize, &drivelab_stream::layout::ChannelEntry)| {
        let own = chart.places.iter().filter(|place| usize::from(place.entry.channel) == number);
        let entries: Vec<_> = own.map(|place| place.entry).collect();
        let with_frames: Vec<_> = entries.iter().filter(|entry| entry.frames > 0).collect();
        let ends = with_frames.first().zip(with_frames.last());
        #[expect(clippy::cast_possible_truncation, reason = "at most CHANNELS_MAX")]
        let under_way = FrameReader::new(recording, chart, number as u16).under_way();
        let begun: u64 = entries.iter().map(|entry| u64::from(entry.frames)).sum();
        ChannelSpan {
            name: channel.name.clone(),
            framing: channel.framing,
            blocks: entries.len() as u64,
            frames: begun - u64::from(under_way.is_some()),
            under_way: under_way.map(|spot| spot.entry.sequence),
            bytes: entries.iter().map(|entry| u64::from(entry.used)).sum(),
            sequences: ends.map(|(first, last)| [first.frame_sequences.first, last.frame_sequences.last]),
            times_unix_ns: ends.map(|(first, last)| [first.times_unix_ns.first, last.times_unix_ns.last]),
        }
    };
    recording.superblock.channels.iter().enumerate().map(of).collect()
}

fn info_in_words(document: &InfoFindings) -> String {
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
            let _ = write!(shown, ", {first} to {last}, {} to {}", opened::time(from), opened::time(to));
        }
        if let Some(sequence) = channel.under_way {
            let _ = write!(shown, "; {sequence} has no end");
        }
        shown.push('\n');
    }
    shown
}

/// Lists frames. They are printed as they are found: a recording of weeks has more of them than there is memory.
pub fn list_frames(args: &StreamListArgs) -> Result<Ending, Failure> {
    let image = opened::image(&args.target)?;
    let recording = Recording::open(&image)?;
    let superblock = &recording.superblock;
    let listing = Listing {
        recording: &recording,
        chart: Chart::read(&recording),
        channels: opened::channels(&args.frames, superblock)?,
        wanted: opened::wanted(&args.frames, superblock)?,
        found: Cell::new(0),
    };
    let ending = if args.json.is_asked {
        let recording_found = recording_of(&args.target, superblock);
        let recovery = recovery_of(&recording);
        opened::print(StreamFindings::List(ListFindings {
            recording: recording_found,
            recovery,
            frames: &listing,
        }))?
    } else {
        listing.print()?
    };
    opened::say_empty(&args.frames, listing.found.get());
    Ok(ending)
}

/// The frames of a recording that are wanted, in the order of channels and numbers.
struct Listing<'a> {
    recording: &'a Recording<'a>,
    chart: Chart,
    channels: Vec<u16>,
    wanted: Wanted,
    /// How many were found until now.
    found: Cell<u64>,
}

impl<'a> Listing<'a> {
    fn superblock(&self) -> &'a Superblock {
        &self.recording.superblock
    }

    /// Gives on each frame with the name of its channel; an error of `found` ends it.
    fn each(&self, mut found: impl FnMut(StreamFrame) -> Result<(), StreamError>) -> Result<(), StreamError> {
        for channel in &self.channels {
            let name = &self.superblock().channels[usize::from(*channel)].name;
            let reader = FrameReader::new(self.recording, &self.chart, *channel);
            reader.spots(self.wanted, &mut |spot: FrameSpot| {
                self.found.set(self.found.get() + 1);
                found(StreamFrame {
                    channel: name.clone(),
                    sequence: spot.entry.sequence,
                    bytes: spot.entry.length,
                    time_unix_ns: spot.entry.time_unix_ns,
                    block: spot.block,
                })
            })?;
        }
        Ok(())
    }

    fn print(&self) -> Result<Ending, Failure> {
        let mut out = PrintableWriter(BufWriter::new(io::stdout().lock()));
        let printed = self.print_to(&mut out).and_then(|()| out.flush().map_err(StreamError::Output));
        match printed {
            Err(StreamError::Output(error)) => output::printed(Err(error)),
            other => Ok(other.map(|()| Ending::Passed)?),
        }
    }

    fn print_to(&self, out: &mut dyn io::Write) -> Result<(), StreamError> {
        let heading = opened::heading(self.superblock()) + &opened::recovery(self.recording);
        let columns =
            format!("{:<16} {:>10} {:>12}  {:<24} {:>8}", "channel", "sequence", "bytes", "time", "block");
        writeln!(out, "{heading}{columns}").map_err(StreamError::Output)?;
        self.each(|frame| {
            let StreamFrame { channel, sequence, bytes, time_unix_ns, block } = frame;
            let time = opened::time(time_unix_ns);
            writeln!(out, "{channel:<16} {sequence:>10} {bytes:>12}  {time} {block:>8}")
                .map_err(StreamError::Output)
        })
    }
}

impl Serialize for Listing<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(None)?;
        let mut refused = None;
        let listed = self.each(|frame| {
            list.serialize_element(&frame).map_err(|error| {
                let why = error.to_string();
                refused = Some(error);
                StreamError::Output(io::Error::other(why))
            })
        });
        match (refused, listed) {
            // What the writer said is given back as it was: that a reader went away is told from a fault by its kind.
            (Some(error), _) => Err(error),
            (None, Err(error)) => Err(S::Error::custom(error)),
            (None, Ok(())) => list.end(),
        }
    }
}
