//! Files of other formats into a trace.

mod binary;
mod detect;
mod lines;
mod open;

use std::collections::HashSet;
use std::fs;
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use drivelab_block::TracedIo;
use open::Going;

use crate::folder::{TraceError, TraceFolder};
use crate::format::blktrace::ClockAnchor;
use crate::format::{Clock, Format};
use crate::manifest::{Account, TraceManifest};
use crate::ring::{self, Layout, Layouts};
use crate::sort::Sorter;
use crate::times::Times;
use crate::trace_builder::{ImportedTrace, IoSink, TraceBuilder};

pub(crate) struct LookedAtFile<'a> {
    path: PathBuf,
    /// What pages of the kernel's ring buffer hold; none where the file is something else.
    layouts: Layouts,
    start: Vec<u8>,
    rest: Box<dyn Read + 'a>,
}

impl<'a> LookedAtFile<'a> {
    fn reader(self) -> impl Read + 'a {
        io::Cursor::new(self.start).chain(self.rest)
    }
}

/// Imports files into a new trace. Without a format, each file's is found out from what it holds; files of a
/// binary format are one source, merged by time, and all others are read one after the other.
///
/// `keep_going` is asked now and then, also while a pipe has nothing to read; where it says no, the trace ends there.
///
/// # Errors
/// Where a file cannot be read at all or its format not be told, and where the trace cannot be written.
/// Damage inside a file is no error: what came before it is kept, and the trace's account says where it is.
pub fn import(
    files: &[PathBuf],
    format: Option<Format>,
    folder: &Path,
    version: &str,
    keep_going: &mut dyn FnMut() -> bool,
) -> Result<TraceManifest, TraceError> {
    check_names(files)?;
    let going = Going::new(keep_going);
    let mut sources = Vec::new();
    for path in files {
        let source = open::open(path, &going).map_err(|error| TraceError::of_source(path, error))?;
        if let Some(asked) = format
            && let Some(found) = detect::other_than(&source, asked)
        {
            let (path, asked, found) = (source.path.display(), asked.word(), found.word());
            return Err(TraceError::Usage(format!(
                "{path} is no file of the format {asked}, and looks like {found}: write --format {found}, or leave --format out"
            )));
        }
        let Some(format) = format.or_else(|| detect::detect(&source)) else {
            return Err(if going.is_on() { unknown(source) } else { TraceError::Interrupted });
        };
        if format == Format::Ring && source.layouts.is_empty() {
            return Err(TraceError::usage(&source.path, NO_LAYOUTS));
        }
        sources.push((source, format));
    }
    check_clocks(&sources)?;
    let mut manifest = begun(files, &sources, version);
    let folder = TraceFolder::create(folder, &manifest)?;
    let whole_seconds = sources.iter().any(|(_, format)| format.has_whole_seconds());
    let mut collector = TraceBuilder::new(Sorter::new(folder.clone(), whole_seconds), Times::default());
    let clock = sources.first().map(|(_, format)| *format);
    let time_of_day = read(sources, &mut collector, &mut || going.is_on());
    if !going.is_on() {
        manifest
            .notices
            .push("The import was interrupted: what was read until then is in the trace.".to_owned());
    }
    let collected = collector.finish()?;
    let unix_nanos = |at| match time_of_day {
        Some(anchor) => anchor.unix_nanos(at),
        None => clock.and_then(|format| format.unix_nanos(at)),
    };
    conclude(&mut manifest, collected, unix_nanos, whole_seconds)?;
    folder.save(&manifest)?;
    Ok(manifest)
}

struct Nothing;

impl IoSink for Nothing {
    fn keep(&mut self, _: TracedIo) -> Result<(), TraceError> {
        Ok(())
    }
}

/// Reads a file's bytes as [`import`] does, and says what an import of them would come to. Nothing is
/// written anywhere. `layouts` are the texts of the `format` files that pages of the kernel's ring buffer need.
///
/// # Errors
/// Where the bytes cannot be read at all, or no format be told.
pub fn examine(bytes: impl Read, format: Option<Format>, layouts: &[&str]) -> Result<Account, TraceError> {
    let path = Path::new("source");
    let source = open::unpacked(path, bytes).map_err(|error| TraceError::io(path, error))?;
    let layouts = Layouts::new(layouts.iter().filter_map(|text| Layout::parse(text)).collect());
    let source = LookedAtFile { layouts, ..source };
    let Some(format) = format.or_else(|| detect::detect(&source)) else { return Err(unknown(source)) };
    let mut collector = TraceBuilder::new(Nothing, Times::default());
    read(vec![(source, format)], &mut collector, &mut || true);
    Ok(collector.finish()?.account)
}

/// Refuses a file that is named twice, by whatever names: its I/Os would count twice.
fn check_names(files: &[PathBuf]) -> Result<(), TraceError> {
    let mut seen = HashSet::new();
    for path in files {
        let found = fs::metadata(path).map_err(|error| TraceError::of_source(path, error))?;
        if found.is_file() && !seen.insert((found.dev(), found.ino())) {
            let path = path.display();
            return Err(TraceError::Usage(format!("{path} is named twice: name each file once")));
        }
    }
    Ok(())
}

/// Refuses files whose times cannot be compared: those of different clocks, and whole seconds beside finer times, since
/// what is spread over a second has no place among what has its own.
fn check_clocks(sources: &[(LookedAtFile<'_>, Format)]) -> Result<(), TraceError> {
    let Some((first, first_format)) = sources.first() else { return Ok(()) };
    let kind = |format: &Format| (format.clock(), format.has_whole_seconds());
    let other = sources.iter().find(|(_, format)| kind(format) != kind(first_format));
    other.map_or(Ok(()), |(second, second_format)| {
        let [one, other] = [(first, first_format), (second, second_format)]
            .map(|(file, format)| format!("{} ({})", file.path.display(), format.word()));
        Err(TraceError::Usage(format!(
            "the clocks of {one} and {other} cannot be compared: import each into a trace of its own"
        )))
    })
}

/// Reads all sources to their ends, and what the time of day was, where blktraces hold it.
fn read<K: IoSink + 'static>(
    sources: Vec<(LookedAtFile<'_>, Format)>,
    collector: &mut TraceBuilder<K>,
    keep_going: &mut dyn FnMut() -> bool,
) -> Option<ClockAnchor> {
    let (mut blktraces, mut rings) = (Vec::new(), Vec::new());
    for (source, format) in sources {
        match format {
            Format::Blktrace => blktraces.push(source),
            Format::Ring => rings.push(source),
            _ => lines::read(source, format, collector, keep_going),
        }
    }
    let time_of_day = binary::read_blktrace(blktraces, collector, keep_going);
    binary::read_ring(rings, collector, keep_going);
    time_of_day
}

/// What is said of a file whose format is not found out.
const UNKNOWN: &str = "no format that drivelab knows fits it";
/// What is said of pages of the kernel's ring buffer without the description of what they hold.
const NO_LAYOUTS: &str = "no format that drivelab knows fits it. Pages of trace_pipe_raw need the format files of their events \
                          beside them: copy /sys/kernel/tracing/events/block/*/format there, as block_rq_issue.format and so on";

/// How binary files begin that are no traces which can be read, and what to do with them.
const BINARY_MARKS: [(&[u8], &str); 3] = [
    (b"PERFILE2", "of perf record: import what `perf script` prints of it"),
    (b"\x17\x08\x44tracing", "of trace-cmd record: import what `trace-cmd report` prints of it"),
    (
        b"PAR1",
        "Parquet: name the folder of a trace to `trace show`, or import what a query writes of it as CSV",
    ),
];

/// Why no format fits: where the file is damaged before its first row, that is why.
fn unknown(mut source: LookedAtFile<'_>) -> TraceError {
    let path = &source.path;
    if let Err(error) = source.rest.read(&mut [0]) {
        let what = "before anything that tells its format: take another copy of it, or one that is whole";
        return TraceError::Environment(format!("{}: {error}, {what}", path.display()));
    }
    if source.start.is_empty() {
        return TraceError::Usage(format!("{} is empty: there is nothing to import", path.display()));
    }
    if ring::may_be_page(&source.start) {
        return TraceError::usage(path, NO_LAYOUTS);
    }
    if source.start.contains(&0) {
        let known = BINARY_MARKS.iter().find(|(mark, _)| source.start.starts_with(mark));
        let what = known.map_or("not text", |(_, what)| what);
        return TraceError::usage(
            path,
            format!(
                "{UNKNOWN}, which is {what}: of binary files, blktrace's and pages of trace_pipe_raw can be read"
            ),
        );
    }
    let formats = Format::ALL.map(Format::word).join(", ");
    TraceError::usage(path, format!("{UNKNOWN}: name one with --format ({formats})"))
}

fn begun(files: &[PathBuf], sources: &[(LookedAtFile<'_>, Format)], version: &str) -> TraceManifest {
    let mut formats: Vec<&str> = sources.iter().map(|(_, format)| format.word()).collect();
    formats.dedup();
    let starts_with_file =
        |(_, format): &(LookedAtFile<'_>, Format)| matches!(format.clock(), Clock::File(_));
    let mut notices = Vec::new();
    if sources.len() > 1 && sources.iter().any(starts_with_file) {
        notices.push(
            "The times of each file count from its own beginning: the files are taken to begin together."
                .to_owned(),
        );
    }
    TraceManifest {
        origins: files.iter().map(|path| path.display().to_string()).collect(),
        notices,
        ..TraceManifest::of_source(formats.join(", "), version)
    }
}

fn conclude(
    manifest: &mut TraceManifest,
    collected: ImportedTrace<Sorter>,
    unix_nanos: impl FnOnce(u64) -> Option<u64>,
    whole_seconds: bool,
) -> Result<(), TraceError> {
    let ImportedTrace { devices, processes, account, keeper } = collected;
    let (written, origin) = keeper.finish()?;
    let mut account = account;
    account.take_written(&written);
    if whole_seconds {
        manifest.notices.push(
            "The source's times are whole seconds: the requests of each second were spread evenly over it, in \
             the order of the source."
                .to_owned(),
        );
    }
    manifest.started_unix_ns = unix_nanos(origin).filter(|_| account.requests > 0);
    manifest.devices = devices;
    manifest.processes = processes;
    manifest.account = Some(account);
    Ok(())
}
