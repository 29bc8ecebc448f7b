//! Who takes part in a run, in a process of its own: the recorder, or the competitor.

use std::ops::ControlFlow;
use std::path::Path;

use drivelab_block::{ByteCount, Nanos};
use drivelab_kinds::load::{Load, LoadSettings, Operation};
use drivelab_kinds::{RangeEnd, RangeOption};
use drivelab_runner::{
    Claimed, Destination, Ending, Failure, MeterOptions, SafetyOptions, TestRequest, keep_private,
    run_unshown,
};
use drivelab_stream::layout::{Framing, Shape};
use drivelab_stream::plan::{ChannelPlan, OnFull, Plan};
use drivelab_stream::source::{FrameArrivals, SourceKind, SyntheticFrames, key};

use super::runs::AHEAD;
use crate::args::StreamContendArgs;
use crate::commands::attended::{ContendTask, FoundByTask};
use crate::commands::stream::record::{RecordingJob, record_streams};

/// The seed of all that takes part.
const SEED: u64 = 1;
const FRAME: u32 = 1_000_000;

/// Does a part of the contention of these arguments.
pub fn main(
    args: &StreamContendArgs,
    part: &ContendTask,
    found: &mut Option<FoundByTask>,
) -> Result<Ending, Failure> {
    keep_private();
    match part {
        ContendTask::Record { priority, serial } => record(args, *priority, serial, found),
        ContendTask::MakeFile { file } => {
            let size = args.competitor_size;
            let settings = LoadSettings {
                operation: Operation::Write,
                block_size_bytes: 1 << 20,
                queue_depth: 4,
                bytes: Some(size.get()),
                ..closed_loop()
            };
            load(file, settings, &SafetyOptions { file_size: Some(size), ..SafetyOptions::default() }, found)
        }
        ContendTask::Compete { file } => {
            let settings = LoadSettings {
                operation: args.competitor,
                duration_ns: Some((args.cell_duration + AHEAD).get()),
                ..closed_loop()
            };
            load(file, settings, &safety_of_competitor(args.competitor), found)
        }
    }
}

/// What confirms that the competitor's file may be written: it is this program's own. What only reads or flushes takes no such
/// words.
fn safety_of_competitor(operation: Operation) -> SafetyOptions {
    let writes = operation.writes();
    SafetyOptions { destroy_data: writes, assume_unused: writes, ..SafetyOptions::default() }
}

/// Records frames as the user has asked for, as `stream record` does where nothing else is said.
fn record(
    args: &StreamContendArgs,
    priority: bool,
    serial: &[String],
    found: &mut Option<FoundByTask>,
) -> Result<Ending, Failure> {
    let frames = SyntheticFrames {
        least_bytes: FRAME,
        most_bytes: FRAME,
        rate: Some(args.bytes_per_second() / f64::from(FRAME)),
        arrivals: FrameArrivals::Regular,
        seed: SEED,
        key: key(SEED, 0),
    };
    let channel = ChannelPlan {
        name: "frames".to_owned(),
        source: SourceKind::Synthetic(frames),
        framing: Framing::Length,
        ring: args.ring,
        on_full: OnFull::Drop,
    };
    let plan = Plan {
        channels: vec![channel],
        shape: Shape::Cyclic,
        block: ByteCount::new(1 << 20),
        in_flight: 8,
        index_interval: None,
        durable: false,
        flush_after: Nanos::from_secs(1),
        duration: Some(args.cell_duration),
        bytes: None,
    };
    let safety = SafetyOptions {
        serial: serial.to_owned(),
        // What the target held was given up before the first run; from then on it holds a recording of the last one.
        destroy_data: true,
        // A file was made by the first run, or looked at before that.
        assume_unused: args.safety.assume_unused || args.safety.file_size.is_some(),
        ..args.safety.clone()
    };
    let (target, safety) = (args.target.as_path(), &safety);
    let job = RecordingJob { target, plan, safety, priority, kept: None, live: None, is_json: false };
    let mut recorded = None;
    let ended = record_streams(&job, &mut recorded);
    *found = recorded.map(|recorded| FoundByTask::Recorded {
        longest_write_ns: recorded.longest_write_ns,
        dropped: recorded.channels.iter().map(|channel| channel.dropped).sum(),
        mb_s: recorded.mb_s,
    });
    ended
}

fn load(
    file: &Path,
    settings: LoadSettings,
    safety: &SafetyOptions,
    found: &mut Option<FoundByTask>,
) -> Result<Ending, Failure> {
    let request = TestRequest {
        target: &file.display().to_string(),
        reached_by: None,
        goes_on: false,
        settings,
        input: (),
        seed: SEED,
        destination: Destination::default(),
        safety,
        meter: &MeterOptions { meter: None, volts: None, baseline: Nanos::ZERO, battery: None },
    };
    let mut claimed = Claimed::default();
    match run_unshown::<Load>(&request, &mut claimed)? {
        ControlFlow::Break(ending) => Ok(ending),
        ControlFlow::Continue(ended) => {
            *found = Some(FoundByTask::Loaded { mb_s: ended.kept.findings.mb_s });
            ended.failure.map_or(Ok(ended.ending), Err)
        }
    }
}

/// A load in a closed loop as `drivelab load` makes it where nothing else is said.
fn closed_loop() -> LoadSettings {
    LoadSettings {
        operation: Operation::Randread,
        block_size_bytes: 4096,
        queue_depth: 32,
        threads: 1,
        rate: None,
        arrivals: None,
        range: RangeOption { start: RangeEnd::Percent(0.0), end: RangeEnd::Percent(100.0) },
        duration_ns: None,
        bytes: None,
        compressibility_percent: 0,
        cpus: Vec::new(),
        until_warm_ns: None,
        verify: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_competitor_that_writes_nothing_confirms_nothing() {
        for operation in [Operation::Randread, Operation::Read, Operation::Flush] {
            let safety = safety_of_competitor(operation);
            assert!(!safety.destroy_data && !safety.assume_unused, "{operation:?}");
        }
        assert!(safety_of_competitor(Operation::Discard).destroy_data);
    }
}
