//! A channel as it is typed: `cam0=pipe:/tmp/cam0,framing=mjpeg,ring=128MiB`.

use std::path::PathBuf;

use drivelab_block::ByteCount;
use drivelab_stream::layout::Framing;
use drivelab_stream::plan::OnFull;
use drivelab_stream::source::{FrameArrivals, SourceKind, SyntheticFrames};

use super::units::{self, Rate};

/// A channel, understood as far as one can without the others.
#[derive(Clone, Debug, PartialEq)]
pub struct ChannelArg {
    /// Its name.
    pub name: String,
    /// What it is read from.
    pub source: SourceKind,
    /// How its frames are told apart.
    pub framing: Framing,
    /// The length of its ring.
    pub ring: ByteCount,
    /// What happens where that is full.
    pub on_full: OnFull,
}

/// The memory of a channel where none is given.
const RING: ByteCount = ByteCount::new(64 << 20);
/// The length of a synthetic frame where none is given.
const FRAME: u32 = 1_000_000;

impl ChannelArg {
    /// Reads a channel.
    pub fn parse(text: &str) -> Result<ChannelArg, String> {
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
}

/// The keys behind a source, as far as they were given.
#[derive(Debug, Default)]
struct Keys {
    framing: Option<Framing>,
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
            ("framing", "length") => self.framing = Some(Framing::Length),
            ("framing", "mjpeg") => self.framing = Some(Framing::Mjpeg),
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

    fn channel(self, name: &str, source: &str) -> Result<ChannelArg, String> {
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
        Ok(ChannelArg {
            name: name.to_owned(),
            framing: self.framing.unwrap_or(Framing::Length),
            ring: self.ring.unwrap_or(RING),
            on_full: self.on_full.unwrap_or(if drops { OnFull::Drop } else { OnFull::Wait }),
            source: if is_synthetic { SourceKind::Synthetic(self.synthetic()) } else { opened(source)? },
        })
    }

    fn synthetic(&self) -> SyntheticFrames {
        let (least_bytes, most_bytes) = self.size.unwrap_or((FRAME, FRAME));
        SyntheticFrames {
            least_bytes,
            most_bytes,
            rate: self.rate,
            arrivals: self.arrivals.unwrap_or(FrameArrivals::Regular),
            seed: self.seed.unwrap_or(1),
            key: 0,
        }
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
        let camera = ChannelArg::parse("cam0=pipe:/tmp/a,framing=mjpeg,ring=16MiB").expect("a channel");
        assert_eq!((camera.framing, camera.on_full), (Framing::Mjpeg, OnFull::Wait));
        assert_eq!(camera.source, SourceKind::Pipe("/tmp/a".into()));
        let paced = ChannelArg::parse("a=synthetic,size=1MB-2MB,rate=30/s").expect("a channel");
        assert_eq!((paced.on_full, paced.ring), (OnFull::Drop, RING));
        assert_eq!(ChannelArg::parse("a=synthetic").expect("a channel").on_full, OnFull::Wait);
        assert_eq!(ChannelArg::parse("a=unix:/tmp/s").expect("a channel").on_full, OnFull::Drop);
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
            let told = ChannelArg::parse(text);
            assert!(told.as_ref().is_err_and(|error| error.contains(word)), "{text}: {told:?}");
        }
    }
}
