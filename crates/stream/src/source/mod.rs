//! Where frames come from, and how they get into a ring: read straight into it, or made there.

mod lengths;
mod mjpeg;
mod open;
mod pattern;
mod pictures;
mod station;
mod stop;
mod synthetic;

pub use open::{Source, SourceKind};
pub use pattern::{FRAME_STAMP, dress, key, verify};
pub use station::{Budget, ChannelWriter, SourceTally};
pub use stop::Stop;
pub use synthetic::{FrameArrivals, SyntheticFrames};

use crate::StreamError;
use crate::layout::StreamFraming;

/// Fills a ring from a source until it ends, or the recording does; what came of it, and why it ended before its
/// time.
pub fn run(
    source: Source,
    framing: StreamFraming,
    mut station: ChannelWriter<'_>,
) -> (SourceTally, Option<StreamError>) {
    let read = match (source, framing) {
        (Source::Synthetic(synthetic), _) => {
            synthetic.run(&mut station);
            Ok(())
        }
        (Source::Descriptor(name, descriptor), framing) => {
            stream(&descriptor, framing, &mut station).map_err(|error| StreamError::source(&name, error))
        }
        (Source::Listener(listener), framing) => {
            let stop = station.stop;
            listener.run(stop, |connection| {
                // What a program leaves unfinished is forgotten; what it has delivered is not held back for the next.
                let read = stream(connection, framing, &mut station);
                station.finish();
                read
            })
        }
    };
    // What is in the ring is kept, however the source ended.
    station.finish();
    (station.tally, read.err())
}

fn stream(
    descriptor: &impl std::os::fd::AsFd,
    framing: StreamFraming,
    station: &mut ChannelWriter<'_>,
) -> std::io::Result<()> {
    match framing {
        StreamFraming::Length => lengths::run(descriptor.as_fd(), station),
        StreamFraming::Mjpeg => pictures::run(descriptor.as_fd(), station),
    }
}
