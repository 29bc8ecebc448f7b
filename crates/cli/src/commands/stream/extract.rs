//! `drivelab stream extract`.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use drivelab_block::ByteCount;
use drivelab_inspect::stream::{ExtractFindings, StreamFindings};
use drivelab_runner::{Ending, Failure, folder_complaint, output, say, usage};
use drivelab_stream::StreamError;
use drivelab_stream::layout::{StreamFraming, Superblock};
use drivelab_stream::reader::{Chart, Frame, FrameReader, Problem, Recording, absent};

use super::opened;
use super::opened::{recording_of, recovery_of};
use crate::args::StreamExtractArgs;

pub fn main(args: &StreamExtractArgs) -> Result<Ending, Failure> {
    if let Some(file) = &args.mjpeg {
        opened::check_new_file("--mjpeg", file, &args.target)?;
    }
    let image = opened::image(&args.target)?;
    let recording = Recording::open(&image)?;
    let superblock = &recording.superblock;
    let channels = opened::channels(&args.frames, superblock)?;
    let wanted = opened::wanted(&args.frames, superblock)?;
    let mut sink = FrameSink::open(args, superblock, &channels)?;
    let chart = Chart::read(&recording);
    let mut breaks = Vec::new();
    let (mut frames, mut bytes) = (0, 0);
    for channel in channels {
        let entry = &superblock.channels[usize::from(channel)];
        let mut found = |frame: Frame<'_>| {
            frames += 1;
            bytes += frame.bytes.len() as u64;
            sink.put(&entry.name, entry.framing, &frame).map_err(StreamError::Output)
        };
        let mut broken = |broken: Problem| breaks.push((entry.name.as_str(), broken));
        match FrameReader::new(&recording, &chart, channel).frames(wanted, &mut found, &mut broken) {
            Err(StreamError::Output(error)) if is_gone(&error) => return Ok(Ending::Passed),
            read => read?,
        }
    }
    match sink.end() {
        Err(error) if is_gone(&error) => return Ok(Ending::Passed),
        ended => ended.map_err(StreamError::Output)?,
    }
    let absent = absent(&recording, &chart);
    if !(breaks.is_empty() && absent.is_empty()) {
        recording.look_again()?;
    }
    let (mut missing, mut unfinished) = (Vec::new(), Vec::new());
    let broken = breaks.iter().map(|(name, broken)| (broken, words(name, broken, superblock)));
    for (problem, words) in broken.chain(absent.iter().map(|absent| (absent, absent.words(superblock)))) {
        let list = if problem.is_by_right(&recording) { &mut unfinished } else { &mut missing };
        list.push(words);
    }
    let is_well = missing.is_empty() && recording.cut_at().is_none();
    let ending = if is_well { Ending::Passed } else { Ending::CheckFailed };
    opened::say_empty(&args.frames, frames);
    let document = ExtractFindings {
        recording: recording_of(&args.target, superblock),
        recovery: recovery_of(&recording),
        frames,
        bytes,
        missing,
        unfinished,
    };
    if args.json.is_asked {
        opened::print(<StreamFindings>::Extract(document))?;
    } else {
        for line in &document.missing {
            say!("drivelab: {line}");
        }
        for line in &document.unfinished {
            say!("{}: {line}", opened::by_right(superblock));
        }
        say!("{}{frames} frames, {}", opened::recovery(&recording), ByteCount::new(bytes));
    }
    Ok(ending)
}

/// A reader that went away (`| head`) is no error.
fn is_gone(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::BrokenPipe
}

fn words(channel: &str, broken: &Problem, superblock: &Superblock) -> String {
    match broken {
        Problem::Block { sequence, damage, .. } => {
            format!("{channel}: block {sequence} of the log: {damage}")
        }
        Problem::Frame { spot, .. } => {
            format!("{channel}: frame {} begins, and the rest of it is missing", spot.entry.sequence)
        }
        Problem::Missing { .. } | Problem::Index { .. } => broken.words(superblock),
    }
}

/// Refuses the folder of a channel that is a link: the frames would go to a folder that was not named.
fn link_complaint(folder: &Path) -> Option<Failure> {
    let is_link = fs::symlink_metadata(folder).is_ok_and(|found| found.is_symlink());
    is_link.then(|| usage!("-o {} is a link: remove it, or name another folder", folder.display()))
}

enum FrameSink {
    /// A folder for each channel of which there is a frame.
    Folders(PathBuf),
    Stream(Box<dyn Write>),
}

impl FrameSink {
    fn open(
        args: &StreamExtractArgs,
        superblock: &Superblock,
        channels: &[u16],
    ) -> Result<FrameSink, Failure> {
        let pictures =
            |number: &u16| superblock.channels[usize::from(*number)].framing == StreamFraming::Mjpeg;
        let is_stdout = args.stdout;
        if (is_stdout || args.mjpeg.is_some()) && channels.len() != 1 {
            return Err(usage!("one channel makes one stream: choose it with --only NAME"));
        }
        if is_stdout && args.json.is_asked {
            return Err(usage!("--stdout and --json both want stdout: leave one out"));
        }
        if let Some(path) = &args.mjpeg {
            if !channels.iter().all(pictures) {
                return Err(usage!("--mjpeg is for channels of pictures: use -o DIR or --stdout"));
            }
            let file = File::create(path).map_err(|error| Failure::not_written(path, &error))?;
            return Ok(FrameSink::Stream(Box::new(BufWriter::new(file))));
        }
        match &args.output {
            Some(folder) if !is_stdout => {
                let names = channels.iter().map(|number| &superblock.channels[usize::from(*number)].name);
                let folders: Vec<PathBuf> = names.map(|name| folder.join(name)).collect();
                Failure::all(folders.iter().filter_map(|folder| link_complaint(folder)))?;
                Failure::all(folders.iter().filter_map(|folder| folder_complaint("-o", folder)))?;
                output::make_folder(folder)?;
                Ok(FrameSink::Folders(folder.clone()))
            }
            _ => Ok(FrameSink::Stream(Box::new(BufWriter::new(io::stdout())))),
        }
    }

    fn put(&mut self, channel: &str, framing: StreamFraming, frame: &Frame<'_>) -> io::Result<()> {
        let sequence = frame.spot.entry.sequence;
        match self {
            FrameSink::Folders(parent) => {
                let ending = if framing == StreamFraming::Mjpeg { "jpg" } else { "bin" };
                let folder = parent.join(channel);
                fs::create_dir_all(&folder)?;
                // The folder was empty: what is there by now is not of this command.
                let mut file = File::create_new(folder.join(format!("{sequence:010}.{ending}")))?;
                file.write_all(frame.bytes)
            }
            FrameSink::Stream(stream) => {
                if framing == StreamFraming::Length {
                    stream.write_all(&frame.spot.entry.length.to_le_bytes())?;
                }
                stream.write_all(frame.bytes)
            }
        }
    }

    fn end(self) -> io::Result<()> {
        match self {
            FrameSink::Stream(mut stream) => stream.flush(),
            FrameSink::Folders(_) => Ok(()),
        }
    }
}
