//! `drivelab stream list`.
//!
//! Frames are printed as they are found: a recording of weeks has more of them than there is memory.

use std::cell::Cell;
use std::io::{self, BufWriter, Write as _};

use drivelab_inspect::stream::{ListFindings, StreamFindings, StreamFrame};
use drivelab_runner::{Ending, Failure, PrintableWriter, output};
use drivelab_stream::StreamError;
use drivelab_stream::layout::Superblock;
use drivelab_stream::reader::{Chart, FrameReader, FrameSpot, Recording, Wanted};
use serde::Serialize;
use serde::ser::{Error as _, SerializeSeq as _, Serializer};

use super::documents::{self, recording_of, recovery_of};
use super::{opened, text};
use crate::args::StreamListArgs;

/// Lists frames.
pub fn main(args: &StreamListArgs) -> Result<Ending, Failure> {
    let image = opened::image(&args.target)?;
    let recording = Recording::open(&image)?;
    let superblock = recording.superblock();
    let listing = Listing {
        recording: &recording,
        chart: Chart::read(&recording)?,
        channels: opened::channels(&args.frames, superblock)?,
        wanted: opened::wanted(&args.frames, superblock)?,
        found: Cell::new(0),
    };
    let ending = if args.json.is_asked() {
        let recording_found = recording_of(&args.target, superblock);
        let recovery = recovery_of(&recording);
        documents::print(StreamFindings::List(ListFindings {
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
        self.recording.superblock()
    }

    /// Gives on each frame with the name of its channel; an error of `found` ends it.
    fn each(&self, mut found: impl FnMut(StreamFrame) -> Result<(), StreamError>) -> Result<(), StreamError> {
        for channel in &self.channels {
            let name = &self.superblock().channels[usize::from(*channel)].name;
            let reader = FrameReader::new(self.recording, &self.chart, *channel);
            reader.spots(self.wanted, &mut |spot| {
                self.found.set(self.found.get() + 1);
                found(frame_of(name, spot))
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
        let heading = text::heading(self.superblock()) + &text::recovery(self.recording);
        let columns =
            format!("{:<16} {:>10} {:>12}  {:<24} {:>8}", "channel", "sequence", "bytes", "time", "block");
        writeln!(out, "{heading}{columns}").map_err(StreamError::Output)?;
        self.each(|frame| {
            let StreamFrame { channel, sequence, bytes, time_unix_ns, block } = frame;
            let time = text::time(time_unix_ns);
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

fn frame_of(channel: &str, spot: FrameSpot) -> StreamFrame {
    StreamFrame {
        channel: channel.to_owned(),
        sequence: spot.entry.sequence,
        bytes: spot.entry.length,
        time_unix_ns: spot.entry.time_unix_ns,
        block: spot.block,
    }
}
