//! `drivelab trace export`: a trace in the format of another program, in a file that is not there yet, or to stdout.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, IsTerminal as _, LineWriter, Write};
use std::os::fd::AsFd as _;
use std::os::unix::fs::FileTypeExt as _;
use std::path::{Path, PathBuf};

use drivelab_inspect::trace::TracePhases;
use drivelab_runner::{Ending, Failure, PrintableWriter, output, refused, say, signals, usage};
use drivelab_trace::{ExportFormat, Exported, TraceError, export};

use super::analysed::{gap_of_run, open_trace};
use crate::args::TraceExportArgs;

/// The most of a name that fio reads.
const FIO_NAME_BYTES: usize = 256;

/// Writes the trace, and says what the format cannot hold.
pub fn main(args: &TraceExportArgs) -> Result<Ending, Failure> {
    let format = format(args)?;
    check_file(format, args.replay_on.as_deref())?;
    let source = open_trace(&args.trace, &args.phases.request())?.stretch(args.stretch.request())?;
    source.check_stretch()?;
    let interrupt = signals::interrupt()?;
    let mut destination = TraceDestination::open(args.file.as_deref())?;
    let mut keep_going = || !interrupt.is_raised();
    let exported =
        match export(&source, format, args.replay_on.as_deref(), destination.writer(), &mut keep_going) {
            Ok(exported) => exported,
            // A reader that went away (`| head`) has what it wanted.
            Err(TraceError::Output(error)) if error.kind() == ErrorKind::BrokenPipe => {
                return Ok(Ending::Passed);
            }
            Err(error) => return Err(destination.failed(error)),
        };
    if source.manifest().account.is_none() {
        output::say("The trace was not ended: what there is of it was exported.");
    }
    tell(&exported, format);
    if let Some(run) = source.run() {
        output::say(TracePhases::from_chosen(&run.chosen, exported.left_out).sentence("exported"));
    }
    if interrupt.is_raised() {
        let by = signals::stopped_in_words();
        say!("{by}: the first {} requests were exported", exported.requests);
        return Ok(Ending::Interrupted);
    }
    let gap = source
        .run()
        .filter(|_| source.within.is_none())
        .and_then(|run| gap_of_run(run, exported.requests + exported.left_out));
    gap.iter().for_each(output::say);
    Ok(if exported.faults.is_empty() && gap.is_none() { Ending::Passed } else { Ending::CheckFailed })
}

fn format(args: &TraceExportArgs) -> Result<ExportFormat, Failure> {
    let Some(name) = &args.format else {
        let all = ExportFormat::ALL.map(ExportFormat::word).join(", ");
        let ending = args.file.as_deref().and_then(Path::extension).and_then(|ending| ending.to_str());
        let text = match ending.and_then(ending_of) {
            Some(format) => format!(
                "the format is not named: add --format {} for such a file; the formats are {all}",
                format.word()
            ),
            None => format!("the format is not named: add --format with one of {all}"),
        };
        return Err(Failure::Usage(text));
    };
    ExportFormat::of_word(name).ok_or_else(|| usage!("--format {name}: no such format"))
}

/// The format of which files often have this ending.
fn ending_of(ending: &str) -> Option<ExportFormat> {
    match ending {
        "csv" => Some(ExportFormat::Csv),
        "fio" | "log" => Some(ExportFormat::Fio3),
        "load" => Some(ExportFormat::Blkreplay),
        "blkparse" | "txt" => Some(ExportFormat::Blkparse),
        _ => None,
    }
}

/// fio takes the first word for the name.
fn check_file(format: ExportFormat, file: Option<&str>) -> Result<(), Failure> {
    let Some(file) = file else { return Ok(()) };
    let wrong = |why: &str| Err(usage!("--replay-on {file:?}: {why}"));
    if !format.names_files() {
        return wrong("only fio2 and fio3 name files: leave it out, or choose one of them with --format");
    }
    if file.is_empty() || file.contains(|letter: char| letter.is_whitespace() || letter.is_control()) {
        return wrong("fio reads one word without blanks: name a path without, perhaps a link");
    }
    if file.len() > FIO_NAME_BYTES {
        return wrong("fio reads 256 bytes of a name: name a shorter path, perhaps a link");
    }
    Ok(())
}

fn tell(exported: &Exported, format: ExportFormat) {
    for fault in &exported.faults {
        say!("The export lacks a part of the trace: {fault}.");
    }
    if !exported.losses.is_empty() {
        let losses: Vec<String> =
            exported.losses.iter().map(|(what, count)| format!("{what} ({count})")).collect();
        say!("What {} cannot hold: {}.", format.word(), losses.join("; "));
    }
}

/// More than a line of an export has: characters are written whole.
const LINE_BYTES: usize = 1 << 16;

/// A file that was made, or something that takes a stream.
pub struct TraceDestination {
    file: File,
    /// Where it was told to be; none for stdout.
    path: Option<PathBuf>,
    /// Whether the file was made here, and goes again where it did not become whole.
    is_new: bool,
}

impl TraceDestination {
    /// Opens it: stdout where no path is told.
    pub fn open(path: Option<&Path>) -> Result<TraceDestination, Failure> {
        let Some(path) = path else { return stdout() };
        match OpenOptions::new().write(true).create_new(true).open(path) {
            Ok(file) => Ok(TraceDestination { file, path: Some(path.to_owned()), is_new: true }),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => existing(path),
            Err(error) => Err(Failure::not_written(path, &error)),
        }
    }

    /// Takes the export. On a terminal, what steers it in a name of the trace is escaped; files and pipes get the names as they
    /// are.
    pub fn writer(&mut self) -> Box<dyn Write + '_> {
        if self.file.is_terminal() {
            Box::new(LineWriter::with_capacity(LINE_BYTES, PrintableWriter(&mut self.file)))
        } else {
            Box::new(&mut self.file)
        }
    }

    /// What to tell of an export that did not become whole. What was made of it is removed.
    pub fn failed(self, error: TraceError) -> Failure {
        if self.is_new
            && let Some(path) = &self.path
        {
            // Where it cannot be removed, the next export to it says that it is there.
            let _ = fs::remove_file(path);
        }
        match (error, &self.path) {
            (TraceError::Output(error), Some(path)) => Failure::not_written(path, &error),
            (TraceError::Output(error), None) => Failure::io("stdout cannot be written", &error),
            (error, _) => error.into(),
        }
    }
}

fn stdout() -> Result<TraceDestination, Failure> {
    // Without the buffer that ends at each line.
    let own = io::stdout().as_fd().try_clone_to_owned();
    let own = own.map_err(|error| Failure::io("stdout cannot be written", &error))?;
    Ok(TraceDestination { file: File::from(own), path: None, is_new: false })
}

/// Opens what is there already, where it keeps nothing that writing would destroy.
fn existing(path: &Path) -> Result<TraceDestination, Failure> {
    let shown = path.display();
    let found = match fs::metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            return Err(usage!("{shown} is a link to nothing: name a file that is not there yet"));
        }
        found => found.map_err(|error| Failure::not_written(path, &error))?,
    };
    if output::is_stdout(&found) {
        return stdout();
    }
    if found.file_type().is_block_device() {
        return Err(refused!(
            "{shown} is a block device, which an export would overwrite: name a file; --replay-on names the device \
             that fio replays a trace on"
        ));
    }
    if found.is_file() {
        return Err(usage!("{shown} is there already: name a file that is not there yet"));
    }
    let opened = OpenOptions::new().write(true).open(path);
    let file = opened.map_err(|error| Failure::not_written(path, &error))?;
    Ok(TraceDestination { file, path: Some(path.to_owned()), is_new: false })
}
