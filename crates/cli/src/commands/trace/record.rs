//! `drivelab trace record`.

use std::path::Path;

use drivelab_runner::{
    Ending, EventRecorder, Failure, LiveTrace, OwnFiles, RecordedDrive, output, recorded_drives, signals,
};
use drivelab_trace::TraceManifest;

use super::new_folder::{RecordingPlace, place_in};
use super::{rollup, show};
use crate::args::TraceRecordArgs;

/// Segments are some 10 MB each: less than a few of them would keep nothing.
const LEAST_SIZE: u64 = 64 << 20;

/// Records until a signal or a limit ends it, and shows what came of it. `mask` is the user's mask of permissions: a rollup in
/// a folder is for others to read.
pub fn main(args: &TraceRecordArgs, mask: u32) -> Result<Ending, Failure> {
    let drives = recorded_drives(&args.devices)?;
    check(args)?;
    let interrupt = signals::interrupt()?;
    let live = LiveTrace::begin()?;
    let around = args.new_folder_in.as_deref().or(args.output.as_deref()).unwrap_or(Path::new("."));
    let opened = rollup::open(&args.rollup, around, mask)?;
    let place = place(args)?;
    let mut recorder = EventRecorder::begin(&drives, &place.folder, args.buffer, place.max_size)?;
    if let Some(label) = args.label.text() {
        recorder.call(label)?;
    }
    recorder.show_live(live);
    let rollup = opened.map(|opened| opened.begin(&mut recorder)).transpose()?;
    if args.exclude_own_writes {
        recorder.exclude(OwnFiles::find(&place.folder, &drives)?);
    }
    say_what(&drives, &place.folder);
    let was_cut = recorder.run(args.duration, &interrupt);
    let ended = was_cut.and_then(|was_cut| Ok((was_cut, recorder.end()?)));
    let (was_cut, manifest) = match ended {
        Ok(ended) => ended,
        Err(failure) => {
            rollup.into_iter().for_each(|rollup| rollup.abandon(&place.folder));
            return Err(failure);
        }
    };
    let is_rollup_whole = rollup.is_none_or(|rollup| rollup.finish(&place.folder));
    let ending = summary(args, &place.folder, &manifest)?;
    output::say(format_args!("trace: {}", place.folder.display()));
    let lost = manifest.account.map_or(0, |account| account.lost_events);
    if lost > 0 {
        output::say(format_args!("{lost} events found no room: give the kernel more with --buffer"));
        return Ok(Ending::CheckFailed);
    }
    if !is_rollup_whole {
        return Ok(Ending::CheckFailed);
    }
    Ok(if was_cut { Ending::Interrupted } else { ending })
}

fn place(args: &TraceRecordArgs) -> Result<RecordingPlace, Failure> {
    match (&args.new_folder_in, &args.output) {
        (Some(parent), _) => place_in(parent, args.max_size),
        (None, Some(folder)) => Ok(RecordingPlace { folder: folder.clone(), max_size: args.max_size }),
        (None, None) => Err(Failure::Usage("name a folder for the trace with -o".to_owned())),
    }
}

/// The summary of the trace, or its document. A service that ends has no time to read weeks of records: the next one waits.
fn summary(args: &TraceRecordArgs, folder: &Path, manifest: &TraceManifest) -> Result<Ending, Failure> {
    if args.new_folder_in.is_none() || args.json.is_asked() {
        return show::made(folder, args.json.is_asked());
    }
    let requests = manifest.account.as_ref().map_or(0, |account| account.requests);
    output::say(format_args!("{requests} requests; `drivelab trace show {}` shows them", folder.display()));
    Ok(Ending::Passed)
}

fn check(args: &TraceRecordArgs) -> Result<(), Failure> {
    // Half of it is kept of older recordings.
    let (least, shown) =
        if args.new_folder_in.is_some() { (2 * LEAST_SIZE, "128MiB") } else { (LEAST_SIZE, "64MiB") };
    if args.max_size.is_some_and(|size| size.get() < least) {
        let message = format!("--max-size: less than {shown} keeps no segment whole: give more");
        return Err(Failure::Usage(message));
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
