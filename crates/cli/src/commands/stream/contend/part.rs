//! Who takes part in a run, in a process of its own: the recorder, or the competitor, as the command lines of both make them.

use std::ops::ControlFlow;
use std::path::Path;

use clap::Args;
use drivelab_kinds::load::Operation;
use drivelab_runner::{Claimed, Ending, Failure, SafetyOptions, keep_private, run_load_unshown};
use drivelab_stream::source::SourceKind;

use super::runs::AHEAD;
use crate::args::{LoadArgs, StreamContendArgs, StreamRecordArgs};
use crate::commands::attended::{ContendTask, FoundByTask};
use crate::commands::load::settings;
use crate::commands::stream::record::record_streams;

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
            let mut making: LoadArgs = typed("FILE --rw write --block-size 1MiB --queue-depth 4")?;
            making.bytes = Some(args.competitor_size);
            making.test.options.safety.file_size = Some(args.competitor_size);
            load(file, making, found)
        }
        ContendTask::Compete { file } => {
            let mut competing: LoadArgs = typed("FILE")?;
            competing.operation.rw = args.competitor;
            competing.duration = Some(args.cell_duration + AHEAD);
            competing.test.options.safety = safety_of_competitor(args.competitor);
            load(file, competing, found)
        }
    }
}

/// The arguments of a command that is typed with these words, behind its name.
fn typed<A: Args>(words: &str) -> Result<A, Failure> {
    let command = A::augment_args(clap::Command::new("drivelab").no_binary_name(true));
    let matches = command.try_get_matches_from(words.split(' '));
    let read = matches.and_then(|matches| A::from_arg_matches(&matches));
    read.map_err(|error| Failure::Usage(error.to_string()))
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
    let mut recording: StreamRecordArgs = typed("TARGET --cyclic --channel frames=synthetic,on-full=drop")?;
    recording.target.clone_from(&args.target);
    recording.duration = Some(args.cell_duration);
    recording.priority = priority;
    for channel in &mut recording.channels {
        channel.ring = args.ring;
        if let SourceKind::Synthetic(frames) = &mut channel.source {
            frames.rate = Some(args.bytes_per_second() / f64::from(frames.most_bytes));
        }
    }
    recording.safety = SafetyOptions {
        serial: serial.to_owned(),
        // What the target held was given up before the first run; from then on it holds a recording of the last one.
        destroy_data: true,
        // A file was made by the first run, or looked at before that.
        assume_unused: args.safety.assume_unused || args.safety.file_size.is_some(),
        ..args.safety.clone()
    };
    let mut recorded = None;
    let ended = record_streams(&recording, &mut recorded);
    *found = recorded.map(|recorded| FoundByTask::Recorded {
        longest_write_ns: recorded.longest_write_ns,
        dropped: recorded.channels.iter().map(|channel| channel.dropped).sum(),
        mb_s: recorded.mb_s,
    });
    ended
}

/// Puts a load on the competitor's file.
fn load(file: &Path, mut args: LoadArgs, found: &mut Option<FoundByTask>) -> Result<Ending, Failure> {
    args.test.target = file.display().to_string();
    let settings = settings(&args, args.operation.operation()?);
    let mut claimed = Claimed::default();
    match run_load_unshown(&args.test.request(settings, ()), &mut claimed)? {
        ControlFlow::Break(ending) => Ok(ending),
        ControlFlow::Continue(ended) => {
            *found = Some(FoundByTask::Loaded { mb_s: ended.kept.findings.mb_s });
            ended.failure.map_or(Ok(ended.ending), Err)
        }
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

    #[test]
    fn the_words_of_the_parts_are_those_of_their_commands() {
        let making: LoadArgs = typed("FILE --rw write --block-size 1MiB --queue-depth 4").expect("a load");
        assert_eq!((making.block_size.size.get(), making.queue_depth.depth, making.threads), (1 << 20, 4, 1));
        let recording: StreamRecordArgs =
            typed("TARGET --cyclic --channel frames=synthetic,on-full=drop").expect("a recording");
        assert_eq!((recording.block_size.size.get(), recording.queue_depth.depth), (1 << 20, 8));
        assert!(
            matches!(&recording.channels[0].source, SourceKind::Synthetic(frames) if frames.most_bytes == 1_000_000)
        );
    }
}
