//! A recording that is read: opened, in words, and in documents.

use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};
use std::path::Path;
use std::time::{Duration, UNIX_EPOCH};

use drivelab_files::place_of;
use drivelab_inspect::stream::{RecoveryFindings, StreamFindings, StreamRecording};
use drivelab_inspect::{Inspection as _, InspectionDocument};
use drivelab_runner::{Ending, Failure, output, usage};
use drivelab_safety::{FileTarget, System, Target, open_for_reading};
use drivelab_stream::StreamError;
use drivelab_stream::layout::{HEADER_BYTES, Superblock};
use drivelab_stream::reader::{Recording, TargetImage, Wanted};
use serde::Serialize;

use crate::args::{Edge, FramesArgs};
use crate::commands::folders::named_twice;

/// Opens a target for reading: no claim, whether it is recorded at the moment or not.
pub fn image(path: &Path) -> Result<TargetImage, Failure> {
    if path.to_str().is_some_and(|name| name.starts_with("sim:")) {
        return Err(usage!("a simulated drive keeps no data: name a drive or a file"));
    }
    let system = System::live();
    let target = Target::resolve(&system, path)?;
    // What is too short to be read in blocks holds none.
    let is_too_short =
        |file: &FileTarget| file.existing().is_some_and(|existing| existing.size.get() < HEADER_BYTES as u64);
    if let Target::File(file) = &target
        && is_too_short(file)
    {
        return Err(StreamError::NoRecording.into());
    }
    Ok(TargetImage::new(open_for_reading(&system, &target)?)?)
}

/// Refuses a file for what a command writes that is the target itself, or any drive, or holds something already.
pub fn check_new_file(option: &str, file: &Path, target: &Path) -> Result<(), Failure> {
    let refused = |is: &str| Err(usage!("{option} {} is {is}: name a file of its own", file.display()));
    let is_same = fs::metadata(file)
        .ok()
        .zip(fs::metadata(target).ok())
        .is_some_and(|(file, target)| (file.dev(), file.ino()) == (target.dev(), target.ino()));
    if is_same || place_of(file).is_ok_and(|file| place_of(target).is_ok_and(|target| target == file)) {
        return refused("the target");
    }
    if fs::metadata(file).is_ok_and(|known| known.file_type().is_block_device()) {
        return refused("a drive");
    }
    if fs::symlink_metadata(file).is_ok_and(|known| known.is_symlink()) && fs::metadata(file).is_err() {
        return Err(usage!(
            "{option} {} is a link to nothing: name a file that is not there yet",
            file.display()
        ));
    }
    if fs::metadata(file).is_ok_and(|known| known.is_file() && known.len() > 0) {
        return Err(usage!("{option} {} holds something: name a file that is not there yet", file.display()));
    }
    Ok(())
}

/// The numbers of the channels that are wanted.
pub fn channels(args: &FramesArgs, superblock: &Superblock) -> Result<Vec<u16>, Failure> {
    let names: Vec<&str> = superblock.channels.iter().map(|channel| channel.name.as_str()).collect();
    if args.channels.is_empty() {
        return Ok((0..).zip(&names).map(|(number, _)| number).collect());
    }
    let number = |wanted: &String| {
        let found = (0..).zip(&names).find(|(_, name)| *name == wanted).map(|(number, _)| number);
        found.ok_or_else(|| usage!("--only {wanted}: the recording has {} and no other", names.join(", ")))
    };
    if let Some(twice) = named_twice(&args.channels) {
        return Err(usage!("--only {} is given twice: leave one out", args.channels[twice]));
    }
    args.channels.iter().map(number).collect()
}

/// Which of their frames are wanted.
pub fn wanted(args: &FramesArgs, superblock: &Superblock) -> Result<Wanted, Failure> {
    let mut wanted = Wanted::ALL;
    let after = |nanos: u64| superblock.started_unix_ns.saturating_add(nanos);
    match args.from {
        Some(Edge::Sequence(sequence)) => wanted.sequences.first = sequence,
        Some(Edge::Time(time)) => wanted.times_unix_ns.first = time,
        Some(Edge::After(nanos)) => wanted.times_unix_ns.first = after(nanos),
        None => {}
    }
    match args.to {
        Some(Edge::Sequence(sequence)) => wanted.sequences.last = sequence,
        Some(Edge::Time(time)) => wanted.times_unix_ns.last = time,
        Some(Edge::After(nanos)) => wanted.times_unix_ns.last = after(nanos),
        None => {}
    }
    if [wanted.sequences, wanted.times_unix_ns].iter().any(|range| range.first > range.last) {
        return Err(usage!("--from lies behind --to: no frame can be between them"));
    }
    Ok(wanted)
}

/// Says that a range held nothing, where one was asked for.
pub fn say_empty(args: &FramesArgs, found: u64) {
    if found == 0 && (args.from.is_some() || args.to.is_some()) {
        output::say("drivelab: no frame lies between --from and --to; `stream info` says what there is");
    }
}

pub fn time(unix_ns: u64) -> String {
    humantime::format_rfc3339_millis(UNIX_EPOCH + Duration::from_nanos(unix_ns)).to_string()
}

/// The line that says what a recording is.
pub fn heading(superblock: &Superblock) -> String {
    let channels: Vec<&str> = superblock.channels.iter().map(|channel| channel.name.as_str()).collect();
    format!(
        "recording {} of {}, {}, {} blocks of {} KiB: {}\n",
        superblock.run,
        time(superblock.started_unix_ns),
        superblock.shape.word(),
        superblock.log_blocks,
        superblock.block_bytes >> 10,
        channels.join(", ")
    )
}

/// How it was found, where that is not as it should be.
pub fn recovery(recording: &Recording<'_>) -> String {
    let recovery = recording.recovery;
    let mut text = String::new();
    if !recording.superblock.is_closed {
        let _ = writeln!(
            text,
            "not closed: it still goes on, or it was killed; {} blocks were read to find its end",
            recovery.blocks_read
        );
    }
    if let Some(byte) = recording.cut_at() {
        let _ = writeln!(
            text,
            "the image ends at byte {byte}, before the log does: it was cut, and what lay behind is gone"
        );
    }
    if recovery.superblock_lost {
        text += "one of the two superblocks is unusable; the other is not\n";
    }
    if recovery.index_lost {
        text += "the last index is missing: the whole log was gone through\n";
    }
    text
}

/// What is said before something that is not whole, and has not to be.
pub fn by_right(superblock: &Superblock) -> &'static str {
    if superblock.is_closed { "not whole at an end of the log" } else { "under way or being overwritten" }
}

/// What a superblock holds of its recording.
pub fn recording_of(target: &Path, superblock: &Superblock) -> StreamRecording {
    StreamRecording {
        target: target.display().to_string(),
        run: superblock.run.to_string(),
        started_unix_ns: superblock.started_unix_ns,
        mode: superblock.shape,
        block_bytes: superblock.block_bytes,
        log_blocks: superblock.log_blocks,
    }
}

pub fn recovery_of(recording: &Recording<'_>) -> RecoveryFindings {
    let recovery = recording.recovery;
    RecoveryFindings {
        closed: recording.superblock.is_closed,
        blocks_read: recovery.blocks_read,
        index_lost: recovery.index_lost,
        superblock_lost: recovery.superblock_lost,
        cut_at_byte: recording.cut_at(),
    }
}

pub fn document_of<F>(findings: StreamFindings<F>) -> InspectionDocument<StreamFindings<F>> {
    InspectionDocument { schema: <StreamFindings>::DOCUMENT.to_owned(), findings }
}

pub fn print<F: Serialize>(findings: StreamFindings<F>) -> Result<Ending, Failure> {
    output::print_json(&document_of(findings))
}
