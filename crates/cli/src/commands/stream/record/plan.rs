//! From arguments to the plan of a recording.

use std::path::Path;

use drivelab_block::{ByteCount, Geometry};
use drivelab_runner::PlannedTest;
use drivelab_stream::layout::Shape;
use drivelab_stream::plan::{ChannelPlan, Plan};
use drivelab_stream::source::{SourceKind, SyntheticFrames, key};

use drivelab_kinds::Outline;

use crate::args::{ChannelArg, StreamRecordArgs};

/// The plan; it is checked against the target later.
pub fn make(args: &StreamRecordArgs) -> Plan {
    Plan {
        channels: (0..).zip(&args.channels).map(|(number, channel)| planned(number, channel)).collect(),
        shape: if args.cyclic { Shape::Cyclic } else { Shape::Linear },
        block: args.block_size.size(),
        in_flight: args.queue_depth.depth(),
        index_interval: args.index_interval,
        durable: args.durable,
        flush_after: args.flush_after,
        duration: args.duration,
        bytes: args.bytes,
    }
}

fn planned(number: u16, channel: &ChannelArg) -> ChannelPlan {
    let source = match channel.source.clone() {
        // Channels of one seed differ all the same.
        SourceKind::Synthetic(made) => {
            SourceKind::Synthetic(SyntheticFrames { key: key(made.seed, number), ..made })
        }
        source => source,
    };
    ChannelPlan {
        name: channel.name.clone(),
        source,
        framing: channel.framing,
        ring: channel.ring,
        on_full: channel.on_full,
    }
}

/// What would be done.
pub fn outline(target: &Path, plan: &Plan, geometry: Option<&Geometry>) -> PlannedTest {
    let names: Vec<&str> = plan.channels.iter().map(|channel| channel.name.as_str()).collect();
    let rings: u64 = plan.channels.iter().map(|channel| channel.ring.get()).sum();
    let places =
        geometry.and_then(|geometry| plan.places(geometry.capacity.get(), geometry.logical_block).ok());
    let log = places.map_or_else(String::new, |places| {
        let bytes = ByteCount::new(places.log_blocks * u64::from(places.block_bytes));
        format!(", a log of {} blocks ({bytes})", places.log_blocks)
    });
    let shape = if plan.shape == Shape::Cyclic { "over and over" } else { "once through" };
    let sentence = format!(
        "channels {} recorded {shape}{log}, {} of rings, {} blocks of {} bytes in flight",
        names.join(", "),
        ByteCount::new(rings),
        plan.in_flight,
        plan.block.get()
    );
    let outline = Outline { sentences: vec![sentence], written: None, time: None };
    PlannedTest::new(&target.display().to_string(), Some(outline))
}
