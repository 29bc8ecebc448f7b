//! Arguments of `stream`, and a channel as it is typed: `cam0=pipe:/tmp/cam0,framing=mjpeg,ring=128MiB`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use drivelab_block::{ByteCount, Nanos};
use drivelab_kinds::load::Operation;
use drivelab_runner::SafetyOptions;
use drivelab_stream::layout::StreamFraming;
use drivelab_stream::plan::{ChannelPlan, OnFull};
use drivelab_stream::source::{FrameArrivals, SourceKind, SyntheticFrames};

use super::units::{self, Rate};
use super::{BlockSizeArg, JsonArg, LiveArg, OPERATIONS, PageArg, QueueDepthArg, SeedArg};

/// What to do with streams.
#[derive(Debug, Subcommand)]
pub enum StreamCommand {
    /// Record frames of any number of channels to a raw drive or a file
    Record(Box<StreamRecordArgs>),
    /// List the frames of a recording
    List(StreamListArgs),
    /// Write frames of a recording into files, into one MJPEG file, or to stdout
    Extract(StreamExtractArgs),
    /// Prove every frame of a recording: checksums, and no block missing
    Check(StreamLookArgs),
    /// Say what a recording is: when, which channels, how far it reaches
    Info(StreamLookArgs),
    /// Can a drive record these channels for so long? By a result of `stalls`; with the buffers that it takes
    Plan(StreamPlanArgs),
    /// Find out what keeps a recorder's bandwidth while other programs use its drive, on this machine
    Contend(Box<StreamContendArgs>),
}

#[derive(Debug, Args)]
#[command(after_help = "\
The answer is yes only if the drive was written as fast as the recording writes it, three times as much, for three \
times as long, and took it: a delay that comes once in a recording would then have been seen (95 % confidence). No if \
the recording does not fit, or if the drive is slower than the channels for long, without its delays or with three of \
them at least. Else it is not shown, and a command is printed that measures what is missing.

Examples:
  drivelab stalls /dev/sdb --rate 161MB/s --duration 9h -o sdb-stalls --serial=S3Z9NB0K123456 --destroy-data
  drivelab stream plan --channels 4 --rate 40MB/s --for 3h --on sdb-stalls
  drivelab stream plan --channels 4 --rate 40MB/s --for 3h --on /dev/sdb     # does it fit?")]
pub struct StreamPlanArgs {
    /// How many channels are recorded
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = units::whole::<u32>(1..=32))]
    pub channels: u32,
    /// Open loop: what each channel brings, such as 40MB/s, or 20/s for frames of --frame
    #[arg(long, value_name = "RATE", value_parser = Rate::parse)]
    pub rate: Rate,
    /// How long is recorded, such as 8h
    #[arg(long = "for", value_name = "DURATION", value_parser = units::duration)]
    pub lasting: Nanos,
    /// Bytes of the longest frame
    #[arg(long, value_name = "SIZE", default_value = "2MB", value_parser = units::size_above_zero)]
    pub frame: ByteCount,
    /// Overwrite the oldest blocks where the target is full, instead of ending
    #[arg(long)]
    pub cyclic: bool,
    /// The folder of a result of `stalls`, or a drive of which nothing was measured; several are compared
    #[arg(long, value_name = "STALLS-OR-DRIVE", required = true)]
    pub on: Vec<String>,
    #[command(flatten)]
    pub page: PageArg,
    #[command(flatten)]
    pub json: JsonArg,
}

#[derive(Debug, Args)]
#[command(mut_arg("block_size", |arg| arg.default_value("1MiB").value_parser(block_size).help("Bytes of one I/O, 1MiB to 4MiB")))]
#[command(mut_arg("queue_depth", |arg| arg.default_value("8")))]
#[command(after_help = RECORD_HELP)]
pub struct StreamRecordArgs {
    /// A drive or a file
    pub target: PathBuf,
    /// A channel: its name, what it is read from, and how
    #[arg(long = "channel", value_name = "NAME=SOURCE[,KEY=VALUE...]", required = true, value_parser = channel)]
    pub channels: Vec<ChannelPlan>,
    /// Stop after this time [default: until all sources have ended, the target is full, or Ctrl-C]
    #[arg(long, value_parser = units::duration)]
    pub duration: Option<Nanos>,
    /// Stop after this many bytes of frames
    #[arg(long, value_name = "SIZE", value_parser = units::size)]
    pub bytes: Option<ByteCount>,
    /// Overwrite the oldest blocks where the target is full, instead of ending
    #[arg(long)]
    pub cyclic: bool,
    #[command(flatten)]
    pub block_size: BlockSizeArg,
    #[command(flatten)]
    pub queue_depth: QueueDepthArg,
    /// At most this many blocks are read by a recovery; an index is written twice as often
    /// [default: 256, or a quarter of a small target]
    #[arg(long, value_name = "BLOCKS")]
    pub index_interval: Option<u32>,
    /// Report frames as kept when a flush has ended behind their write. Without it a power cut may take what the drive's
    /// volatile cache held, though it was reported; a kill of the program never does
    #[arg(long)]
    pub durable: bool,
    /// How long a frame may wait for its block to fill up
    #[arg(long, value_name = "DURATION", default_value = "1s", value_parser = units::duration)]
    pub flush_after: Nanos,
    /// Write a line `CHANNEL SEQUENCE` into this file (- for stdout) whenever all frames of a channel up to this one
    /// are kept
    #[arg(long, value_name = "FILE")]
    pub kept: Option<PathBuf>,
    /// Put the writes into the real-time I/O class, which the schedulers bfq and mq-deadline honour
    #[arg(long)]
    pub priority: bool,
    #[command(flatten)]
    pub live: LiveArg,
    #[command(flatten)]
    pub json: JsonArg,
    #[command(flatten)]
    pub safety: SafetyOptions,
}

const RECORD_HELP: &str = "\
Sources:
  pipe:PATH   a named pipe, or anything that is read to its end
  file:PATH   a file
  fd:N        a descriptor that drivelab was started with (fd:0 is stdin)
  unix:PATH   a Unix socket made at PATH; programs connect to it one after the other
  synthetic   frames that are made, to try a drive

Keys:
  framing=length|mjpeg     four bytes with the length (little-endian) before each frame, or JPEG
                           pictures one after the other [default: length]
  ring=64MiB               memory of the channel; a frame has to fit into it
  on-full=drop|wait        where the ring is full: drop whole frames and count them, or let the
                           source wait [default: drop for sockets and for synthetic with a rate]
  size=1MB or size=1MB-2MB synthetic: length of a frame, or the least and the greatest
  rate=30/s                synthetic: frames a second [default: as fast as there is room]
  arrivals=regular|poisson synthetic: how they are spaced [default: regular]
  seed=1                   synthetic: seed of every draw

Exit code 1 says that frames were dropped. A target that is full ends a recording with 0.

Examples:
  mkfifo cam0; camera > cam0 &
  drivelab stream record /dev/sdb --channel cam0=pipe:cam0,framing=mjpeg --serial=S3Z9NB0K123456
  capture | drivelab stream record rec.bin --file-size 8GiB --channel radar=fd:0 --cyclic
  drivelab stream record /dev/sdb --channel a=synthetic,size=1MB-2MB,rate=60/s --dry-run";

fn block_size(text: &str) -> Result<ByteCount, String> {
    let size = units::size(text)?;
    if !(1 << 20..=4 << 20).contains(&size.get()) || !size.get().is_multiple_of(4096) {
        return Err("a block is 1MiB to 4MiB long, in whole 4KiB".to_owned());
    }
    Ok(size)
}

/// Which frames.
#[derive(Clone, Debug, Args)]
pub struct FramesArgs {
    /// Only the frames of this channel; repeatable
    #[arg(long = "only", value_name = "NAME")]
    pub channels: Vec<String>,
    /// From this frame on: a number, a time such as 2026-03-01T12:00:00Z, or a duration such as 10s after the start
    #[arg(long, value_name = "SEQUENCE|TIME", value_parser = Edge::parse)]
    pub from: Option<Edge>,
    /// Up to this frame, and with it
    #[arg(long, value_name = "SEQUENCE|TIME", value_parser = Edge::parse)]
    pub to: Option<Edge>,
}

/// An end of the frames that are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edge {
    /// A frame's number.
    Sequence(u64),
    /// Nanoseconds of Unix time.
    Time(u64),
    /// Nanoseconds after the recording's start.
    After(u64),
}

impl Edge {
    fn parse(text: &str) -> Result<Edge, String> {
        if let Ok(sequence) = text.parse() {
            return Ok(Edge::Sequence(sequence));
        }
        if let Ok(time) = humantime::parse_rfc3339_weak(text) {
            let since = time.duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
            return Ok(Edge::Time(u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)));
        }
        units::duration(text).map(|after| Edge::After(after.get())).map_err(|_| {
            "neither a number, nor a time such as 2026-03-01T12:00:00Z, nor a duration such as 10s".to_owned()
        })
    }
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  drivelab stream list /dev/sdb --only cam0 --from 1min --to 2min\n  \
    drivelab stream list rec.bin --json | jq '.frames | length'")]
pub struct StreamListArgs {
    /// A drive or a file with a recording; it may still be recorded
    pub target: PathBuf,
    #[command(flatten)]
    pub frames: FramesArgs,
    #[command(flatten)]
    pub json: JsonArg,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Into a folder, each frame is a file CHANNEL/SEQUENCE.bin or .jpg. To stdout (-o -), pictures follow one \
another, and other frames have their length before them as a source has. Only frames that are whole are \
written; what is missing is said, and the exit code is 1 then.

Examples:
  drivelab stream extract /dev/sdb -o frames
  drivelab stream extract /dev/sdb --only cam0 --from 100 --to 199 --mjpeg cam0.mjpeg
  drivelab stream extract rec.bin --only radar --stdout | decode")]
#[command(group(clap::ArgGroup::new("where").required(true).args(["output", "stdout", "mjpeg"])))]
pub struct StreamExtractArgs {
    /// A drive or a file with a recording; it may still be recorded
    pub target: PathBuf,
    #[command(flatten)]
    pub frames: FramesArgs,
    /// Keep each frame as a file in this folder
    #[arg(short, long, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Write all frames to stdout, one after the other
    #[arg(long)]
    pub stdout: bool,
    /// Write all pictures of a channel into this file
    #[arg(long, value_name = "FILE")]
    pub mjpeg: Option<PathBuf>,
    #[command(flatten)]
    pub json: JsonArg,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  drivelab stream check /dev/sdb\n  drivelab stream info rec.bin --json")]
pub struct StreamLookArgs {
    /// A drive or a file with a recording; it may still be recorded
    pub target: PathBuf,
    #[command(flatten)]
    pub json: JsonArg,
}

#[derive(Clone, Debug, Args)]
#[command(after_help = "\
The recorder writes to TARGET, and `drivelab load` works on a file in --competitor-directory, which has to lie on the \
same drive. What helps is what every run of it says: fewer frames dropped, or as few and a longest write \
that is 1.5 times shorter, against every run without it. With fewer than five runs chance could say so, and \
nothing is recommended. Schedulers, control groups and priorities are put back; what a \
kill left is put back by the next start.

Example:
  drivelab stream contend /dev/sdb1 --competitor-directory /mnt/sdb2 --rate 160MB/s --serial=S3Z9NB0K123456")]
pub struct StreamContendArgs {
    /// A partition, a drive or a file for the recorder
    pub target: PathBuf,
    /// A folder on the same drive, for the competitor's file
    #[arg(long, value_name = "DIR")]
    pub competitor_directory: PathBuf,
    /// Open loop: the stream's rate, in frames of 1 MB
    #[arg(long, value_name = "RATE", default_value = "100MB/s", value_parser = Rate::parse)]
    pub rate: Rate,
    /// Memory of the stream's ring
    #[arg(long, value_name = "SIZE", default_value = "64MiB", value_parser = units::size)]
    pub ring: ByteCount,
    /// What the competitor does
    #[arg(long, default_value = "randwrite", value_parser = units::choice(OPERATIONS))]
    pub competitor: Operation,
    /// Size of the competitor's file
    #[arg(long, value_name = "SIZE", default_value = "256MiB", value_parser = units::size)]
    pub competitor_size: ByteCount,
    /// How long each cell lasts: a run of a mechanism
    #[arg(long, value_name = "DURATION", default_value = "10s", value_parser = units::duration)]
    pub cell_duration: Nanos,
    /// Repetitions of each mechanism
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = units::whole::<u16>(1..=100))]
    pub runs: u16,
    #[command(flatten)]
    pub seed: SeedArg,
    #[command(flatten)]
    pub json: JsonArg,
    #[command(flatten)]
    pub safety: SafetyOptions,
}

impl StreamContendArgs {
    /// The stream's rate in bytes a second; its frames have 1 MB.
    pub fn bytes_per_second(&self) -> f64 {
        self.rate.bytes(ByteCount::new(1_000_000))
    }
}

/// The memory of a channel where none is given.
const RING: ByteCount = ByteCount::new(64 << 20);
/// The length of a synthetic frame where none is given.
const FRAME: u32 = 1_000_000;

/// Reads a channel, understood as far as one can without the others.
fn channel(text: &str) -> Result<ChannelPlan, String> {
    let mut parts = text.split(',');
    let first = parts.next().unwrap_or_default();
    let (name, source) = first
        .split_once('=')
        .ok_or("a channel is NAME=SOURCE, such as cam0=pipe:/tmp/cam0 or a=synthetic,rate=30/s")?;
    let (mut keys, mut seen) = (Keys::default(), Vec::new());
    for part in parts {
        let (key, value) = part.split_once('=').ok_or_else(|| format!("{part:?}: a key is KEY=VALUE"))?;
        if seen.contains(&key) {
            return Err(format!("{key} is given twice: leave one out"));
        }
        seen.push(key);
        keys.set(key, value).map_err(|error| format!("{key}: {error}"))?;
    }
    keys.channel(name, source)
}

/// The keys behind a source, as far as they were given.
#[derive(Debug, Default)]
struct Keys {
    framing: Option<StreamFraming>,
    ring: Option<ByteCount>,
    on_full: Option<OnFull>,
    size: Option<(u32, u32)>,
    rate: Option<f64>,
    arrivals: Option<FrameArrivals>,
    seed: Option<u64>,
}

impl Keys {
    fn set(&mut self, key: &str, value: &str) -> Result<(), String> {
        let choices = |choices: &str| format!("{value:?} is none of {choices}");
        match (key, value) {
            ("framing", "length") => self.framing = Some(StreamFraming::Length),
            ("framing", "mjpeg") => self.framing = Some(StreamFraming::Mjpeg),
            ("framing", _) => return Err(choices("length, mjpeg")),
            ("on-full", "drop") => self.on_full = Some(OnFull::Drop),
            ("on-full", "wait") => self.on_full = Some(OnFull::Wait),
            ("on-full", _) => return Err(choices("drop, wait")),
            ("arrivals", "regular") => self.arrivals = Some(FrameArrivals::Regular),
            ("arrivals", "poisson") => self.arrivals = Some(FrameArrivals::Poisson),
            ("arrivals", _) => return Err(choices("regular, poisson")),
            ("ring", _) => self.ring = Some(units::size(value)?),
            ("size", _) => self.size = Some(sizes(value)?),
            ("rate", _) => self.rate = Some(rate(value)?),
            ("seed", _) => {
                self.seed = Some(value.parse().map_err(|_| "a seed is a whole number".to_owned())?);
            }
            _ => {
                return Err(
                    "there is no such key: framing, ring, on-full, size, rate, arrivals and seed are"
                        .to_owned(),
                );
            }
        }
        Ok(())
    }

    fn channel(self, name: &str, source: &str) -> Result<ChannelPlan, String> {
        let is_synthetic = source == "synthetic";
        if !is_synthetic
            && (self.size.is_some() || self.rate.is_some() || self.arrivals.is_some() || self.seed.is_some())
        {
            return Err("size, rate, arrivals and seed are for synthetic channels".to_owned());
        }
        if is_synthetic && self.framing.is_some() {
            return Err("framing is for streams that are read: synthetic frames have none".to_owned());
        }
        if self.arrivals.is_some() && self.rate.is_none() {
            return Err("arrivals goes with rate, such as rate=30/s".to_owned());
        }
        let drops = self.rate.is_some() || source.starts_with("unix:");
        let (least_bytes, most_bytes) = self.size.unwrap_or((FRAME, FRAME));
        let synthetic = SyntheticFrames {
            least_bytes,
            most_bytes,
            rate: self.rate,
            arrivals: self.arrivals.unwrap_or(FrameArrivals::Regular),
            seed: self.seed.unwrap_or(1),
            key: 0,
        };
        Ok(ChannelPlan {
            name: name.to_owned(),
            framing: self.framing.unwrap_or(StreamFraming::Length),
            ring: self.ring.unwrap_or(RING),
            on_full: self.on_full.unwrap_or(if drops { OnFull::Drop } else { OnFull::Wait }),
            source: if is_synthetic { SourceKind::Synthetic(synthetic) } else { opened(source)? },
        })
    }
}

fn opened(source: &str) -> Result<SourceKind, String> {
    let path = |path: &str| {
        if path.is_empty() {
            Err("a source needs a path, such as pipe:/tmp/cam0".to_owned())
        } else {
            Ok(PathBuf::from(path))
        }
    };
    match source.split_once(':') {
        Some(("pipe", rest)) => Ok(SourceKind::Pipe(path(rest)?)),
        Some(("file", rest)) => Ok(SourceKind::File(path(rest)?)),
        Some(("unix", rest)) => Ok(SourceKind::Unix(path(rest)?)),
        Some(("fd", number)) => number
            .parse()
            .ok()
            .filter(|number| *number >= 0)
            .map(SourceKind::Descriptor)
            .ok_or_else(|| format!("{number:?} is no number of a descriptor: fd:0 is stdin")),
        _ => Err(format!("{source:?} is no source: pipe:PATH, file:PATH, unix:PATH, fd:N or synthetic are")),
    }
}

/// Reads `1MB` or `1MB-2MB`.
fn sizes(text: &str) -> Result<(u32, u32), String> {
    let (least, greatest) = text.split_once('-').unwrap_or((text, text));
    let size = |text| {
        u32::try_from(units::size(text)?.get()).map_err(|_| "a frame is shorter than 4 GiB".to_owned())
    };
    let sizes = (size(least)?, size(greatest)?);
    if sizes.0 > sizes.1 {
        return Err("the least length comes first, as in 1MB-2MB".to_owned());
    }
    Ok(sizes)
}

fn rate(text: &str) -> Result<f64, String> {
    match Rate::parse(text) {
        Ok(Rate::Ios(rate)) if rate <= 1e6 => Ok(rate),
        _ => Err("a rate is a number of frames a second, more than 0/s and at most 1000000/s, such as 30/s"
            .to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_channel_is_understood_with_what_its_source_stands_for() {
        let camera = channel("cam0=pipe:/tmp/a,framing=mjpeg,ring=16MiB").expect("a channel");
        assert_eq!((camera.framing, camera.on_full), (StreamFraming::Mjpeg, OnFull::Wait));
        assert_eq!(camera.source, SourceKind::Pipe("/tmp/a".into()));
        let paced = channel("a=synthetic,size=1MB-2MB,rate=30/s").expect("a channel");
        assert_eq!((paced.on_full, paced.ring), (OnFull::Drop, RING));
        assert_eq!(channel("a=synthetic").expect("a channel").on_full, OnFull::Wait);
        assert_eq!(channel("a=unix:/tmp/s").expect("a channel").on_full, OnFull::Drop);
    }

    #[test]
    fn what_makes_no_sense_is_told() {
        for (text, word) in [
            ("cam0", "NAME=SOURCE"),
            ("a=tape:1", "no source"),
            ("a=pipe:", "needs a path"),
            ("a=pipe:x,rate=3/s", "synthetic"),
            ("a=synthetic,framing=mjpeg", "framing"),
            ("a=synthetic,size=2MB-1MB", "least"),
            ("a=synthetic,rate=30", "rate"),
            ("a=synthetic,colour=red", "no such key"),
            ("a=fd:x", "descriptor"),
        ] {
            let told = channel(text);
            assert!(told.as_ref().is_err_and(|error| error.contains(word)), "{text}: {told:?}");
        }
    }
}
