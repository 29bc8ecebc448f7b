//! `drivelab trace record`.

use std::path::Path;

use drivelab_runner::{
    Ending, EventRecorder, Failure, LiveTrace, OwnFiles, RecordedDrive, output, recorded_drives, signals,
};

use super::show;
use crate::args::TraceRecordArgs;

/// Segments are some 10 MB each: less than a few of them would keep nothing.
const LEAST_SIZE: u64 = 64 << 20;

/// Records until it is told to end, and shows what came of it.
pub fn main(args: &TraceRecordArgs) -> Result<Ending, Failure> {
    let drives = recorded_drives(&args.devices)?;
    check(args)?;
    let interrupt = signals::interrupt()?;
    let live = LiveTrace::begin()?;
    let mut recorder = EventRecorder::begin(&drives, &args.output, args.buffer, args.max_size)?;
    recorder.show_live(live);
    if args.exclude_own_writes {
        recorder.exclude(OwnFiles::of(&args.output, &drives)?);
    }
    say_what(&drives, &args.output);
    let was_cut = recorder.run(args.duration, &interrupt)?;
    let manifest = recorder.end()?;
    let shown = show::made(&args.output, args.json.is_asked())?;
    output::say(format_args!("trace: {}", args.output.display()));
    let lost = manifest.account.map_or(0, |account| account.lost_events);
    if lost > 0 {
        output::say(format_args!("{lost} events found no room: give the kernel more with --buffer"));
        return Ok(Ending::CheckFailed);
    }
    Ok(if was_cut { Ending::Interrupted } else { shown })
}

fn check(args: &TraceRecordArgs) -> Result<(), Failure> {
    if args.max_size.is_some_and(|size| size.get() < LEAST_SIZE) {
        let message = "--max-size: less than 64MiB keeps no segment whole: give more";
        return Err(Failure::Usage(message.to_owned()));
    }
    if args.buffer.is_some_and(|size| !(64 << 10..=1 << 30).contains(&size.get())) {
        let message = "--buffer: a processor's buffer is between 64KiB and 1GiB";
        return Err(Failure::Usage(message.to_owned()));
    }
    Ok(())
}

fn say_what(drives: &[RecordedDrive], folder: &Path) {
    let names: Vec<String> =
        drives.iter().map(|drive| format!("{} ({})", drive.name, drive.span().name())).collect();
    output::say(format_args!("recording {} into {}; Ctrl-C ends it", names.join(", "), folder.display()));
}
