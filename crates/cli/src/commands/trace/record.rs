//! `drivelab trace record`: what a system does to its drives, into a folder that was named or into a new one in it.

use std::path::{Path, PathBuf};
use std::{fs, io};

use drivelab_block::ByteCount;
use drivelab_documents::ClockTime;
use drivelab_runner::{
    CommandPath, Ending, EventRecorder, Failure, LiveTrace, OwnFiles, check_live_file, recorded_drives, say,
    signals, unix_nanos, usage,
};
use drivelab_trace::{TraceManifest, is_trace_folder};

use super::{rollup, show};
use crate::args::{ExportPlace, TraceRecordArgs};

/// Segments are some 10 MB each: less than a few of them would keep nothing.
const LEAST_SIZE: u64 = 64 << 20;

/// Records until a signal or a limit ends it, and shows what came of it. `mask` is the user's mask of permissions: a rollup in
/// a folder is for others to read.
pub fn main(args: &TraceRecordArgs, mask: u32) -> Result<Ending, Failure> {
    check(args)?;
    let drives = recorded_drives(&args.devices)?;
    let interrupt = signals::interrupt()?;
    let live = args.live.file.as_deref().map(LiveTrace::begin).transpose()?;
    let around = args.new_folder_in.as_deref().or(args.output.as_deref()).unwrap_or(Path::new("."));
    let opened = rollup::open(&args.rollup, around, mask)?;
    let place = place(args)?;
    let mut recorder = EventRecorder::begin(&drives, &place.folder, args.buffer, place.max_size)?;
    if let Some(label) = args.label.text.as_deref() {
        recorder.recording.call(label)?;
    }
    recorder.live = live;
    let rollup = opened.map(|opened| opened.begin(&mut recorder)).transpose()?;
    if args.exclude_own_writes {
        recorder.own = OwnFiles::find(&place.folder, &drives)?;
    }
    let names = drives.iter().map(|drive| format!("{} ({})", drive.name, drive.span().word()));
    let names: Vec<String> = names.collect();
    say!("recording {} into {}; Ctrl-C ends it", names.join(", "), place.folder.display());
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
    say!("trace: {}", place.folder.display());
    let lost = manifest.account.map_or(0, |account| account.lost_events);
    if lost > 0 {
        say!("{lost} events found no room: give the kernel more with --buffer");
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
        (None, None) => Err(usage!("name a folder for the trace with -o")),
    }
}

/// The summary of the trace, or its document. A service that ends has no time to read weeks of records: the next one waits.
fn summary(args: &TraceRecordArgs, folder: &Path, manifest: &TraceManifest) -> Result<Ending, Failure> {
    if args.new_folder_in.is_none() || args.json.is_asked {
        return show::made(folder, args.json.is_asked);
    }
    let requests = manifest.account.as_ref().map_or(0, |account| account.requests);
    say!("{requests} requests; `drivelab trace show {}` shows them", folder.display());
    Ok(Ending::Passed)
}

fn check(args: &TraceRecordArgs) -> Result<(), Failure> {
    if let Some(file) = args.live.file.as_deref() {
        let rollup = match &args.rollup.rollup_to {
            Some(ExportPlace::Folder(folder)) => {
                Some(CommandPath { role: "the folder of the rollup", path: folder.clone() })
            }
            _ => None,
        };
        check_live_file(file, CommandPath::output(args.output.as_deref()).into_iter().chain(rollup))?;
    }
    // Half of it is kept of older recordings.
    let (least, shown) =
        if args.new_folder_in.is_some() { (2 * LEAST_SIZE, "128MiB") } else { (LEAST_SIZE, "64MiB") };
    if args.max_size.is_some_and(|size| size.get() < least) {
        return Err(usage!("--max-size: less than {shown} keeps no segment whole: give more"));
    }
    if args.buffer.is_some_and(|size| !(64 << 10..=1 << 30).contains(&size.get())) {
        return Err(usage!("--buffer: a processor's buffer is between 64KiB and 1GiB"));
    }
    Ok(())
}

/// Where a recording goes, and how much of it is kept.
pub struct RecordingPlace {
    pub folder: PathBuf,
    /// The most that is kept of it; all where there is no bound.
    pub max_size: Option<ByteCount>,
}

/// A new folder in `parent`, named after this moment. Where all recordings there have a bound, the oldest are removed until the
/// others take at most half of it, and the new one may take what they leave.
pub fn place_in(parent: &Path, max_size: Option<ByteCount>) -> Result<RecordingPlace, Failure> {
    let mut kept = 0;
    if let Some(bound) = max_size {
        let recordings = recordings_in(parent).map_err(|error| not_listed(parent, &error))?;
        let sizes: Vec<u64> = recordings.iter().map(|recording| recording.bytes).collect();
        let removed = oldest_beyond(&sizes, bound.get() / 2);
        for recording in &recordings[..removed] {
            fs::remove_dir_all(&recording.folder).map_err(|error| not_listed(&recording.folder, &error))?;
            say!("removed the oldest recording, {}", recording.folder.display());
        }
        kept = sizes[removed..].iter().sum();
    }
    let max_size = max_size.map(|bound| ByteCount::new(bound.get() - kept));
    Ok(RecordingPlace { folder: free_name(parent, unix_nanos()), max_size })
}

fn not_listed(path: &Path, error: &io::Error) -> Failure {
    Failure::io(&format!("--new-folder-in: {}", path.display()), error)
}

struct OldRecording {
    folder: PathBuf,
    bytes: u64,
}

/// The recordings that were named after when they began, the oldest first. Other folders are not this option's to remove.
fn recordings_in(parent: &Path) -> io::Result<Vec<OldRecording>> {
    let entries = match fs::read_dir(parent) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut found = Vec::new();
    for entry in entries {
        let entry = entry?;
        let is_own = entry.file_name().to_str().is_some_and(is_own_name);
        // A link may lead to what is in another place.
        if is_own && entry.file_type()?.is_dir() && is_trace_folder(&entry.path()) {
            found.push(OldRecording { bytes: bytes_below(&entry.path())?, folder: entry.path() });
        }
    }
    found.sort_by(|one, other| one.folder.cmp(&other.folder));
    Ok(found)
}

fn bytes_below(folder: &Path) -> io::Result<u64> {
    let mut bytes = 0;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let about = entry.metadata()?;
        bytes += if about.is_dir() { bytes_below(&entry.path())? } else { about.len() };
    }
    Ok(bytes)
}

/// How many of the oldest have to go, so that the others take at most `bound` bytes.
fn oldest_beyond(sizes: &[u64], bound: u64) -> usize {
    let mut left: u64 = sizes.iter().sum();
    sizes
        .iter()
        .take_while(|size| {
            let is_beyond = left > bound;
            left -= **size;
            is_beyond
        })
        .count()
}

/// A name that nothing has: the second in UTC, such as `2026-11-28T03-10-00Z`.
fn free_name(parent: &Path, unix_ns: u64) -> PathBuf {
    let name = ClockTime::in_utc(unix_ns).map_or_else(String::new, name_of);
    let numbered = (2..).map(|number| parent.join(format!("{name}-{number}")));
    let mut names = std::iter::once(parent.join(&name)).chain(numbered);
    names.find(|path| fs::symlink_metadata(path).is_err()).unwrap_or_else(|| parent.join(&name))
}

fn name_of(time: ClockTime) -> String {
    format!("{}T{}Z", time.day(), time.second().replace(':', "-"))
}

fn is_own_name(name: &str) -> bool {
    const FORM: &[u8] = b"0000-00-00T00-00-00Z";
    let Some((time, rest)) = name.as_bytes().split_at_checked(FORM.len()) else { return false };
    let has_form = time.iter().zip(FORM).all(|(byte, form)| match form {
        b'0' => byte.is_ascii_digit(),
        form => byte == form,
    });
    has_form && (rest.is_empty() || (rest[0] == b'-' && rest[1..].iter().all(u8::is_ascii_digit)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_go_until_the_others_fit() {
        assert_eq!(oldest_beyond(&[], 0), 0);
        assert_eq!(oldest_beyond(&[5, 3, 2], 10), 0);
        assert_eq!(oldest_beyond(&[5, 3, 2], 9), 1);
        assert_eq!(oldest_beyond(&[5, 3, 2], 4), 2);
        assert_eq!(oldest_beyond(&[5, 3, 2], 0), 3);
    }

    #[test]
    fn its_own_names_are_known_and_no_others() {
        let name = name_of(ClockTime::in_utc(1_793_577_620_548_071_114).expect("a time"));
        assert_eq!(name, "2026-11-02T00-00-20Z");
        assert!(is_own_name(&name) && is_own_name(&format!("{name}-2")));
        for other in ["desktop", "2026-11-02", "2026-11-02T00-00-20Z.bak", "2026-11-02T00-00-20Z-old", ""] {
            assert!(!is_own_name(other), "{other}");
        }
    }
}
