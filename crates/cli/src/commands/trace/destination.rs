//! Where an export goes. Nothing that is there is ever overwritten.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, ErrorKind, IsTerminal as _, LineWriter, Write};
use std::os::fd::AsFd as _;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};

use drivelab_runner::{Failure, PrintableWriter};
use drivelab_trace::TraceError;

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
    let own = stdout_file().map_err(|error| Failure::io("stdout cannot be written", &error))?;
    Ok(TraceDestination { file: own, path: None, is_new: false })
}

/// Stdout without the buffer that ends at each line.
fn stdout_file() -> io::Result<File> {
    Ok(File::from(io::stdout().as_fd().try_clone_to_owned()?))
}

/// Opens what is there already, where it keeps nothing that writing would destroy.
fn existing(path: &Path) -> Result<TraceDestination, Failure> {
    let shown = path.display();
    let found = match fs::metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let message = format!("{shown} is a link to nothing: name a file that is not there yet");
            return Err(Failure::Usage(message));
        }
        found => found.map_err(|error| Failure::not_written(path, &error))?,
    };
    if is_stdout(&found) {
        return stdout();
    }
    if found.file_type().is_block_device() {
        return Err(Failure::Refused(format!(
            "{shown} is a block device, which an export would overwrite: name a file; --replay-on names the device \
             that fio replays a trace on"
        )));
    }
    if found.is_file() {
        let message = format!("{shown} is there already: name a file that is not there yet");
        return Err(Failure::Usage(message));
    }
    let opened = OpenOptions::new().write(true).open(path);
    let file = opened.map_err(|error| Failure::not_written(path, &error))?;
    Ok(TraceDestination { file, path: Some(path.to_owned()), is_new: false })
}

/// Whether it is what the shell made stdout: `/dev/stdout` is a file where that was redirected to one.
fn is_stdout(found: &Metadata) -> bool {
    let own = stdout_file().and_then(|own| own.metadata());
    own.is_ok_and(|own| (own.dev(), own.ino()) == (found.dev(), found.ino()))
}
