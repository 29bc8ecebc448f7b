//! The folder of a trace: its manifest and its segments.

use std::fs::{self, DirBuilder, File};
use std::io::{self, Write as _};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

use drivelab_block::TracedIo;
use drivelab_files::{DOCUMENT, create_partial};
use drivelab_record::{RecordError, RecordWriter, SortedReader, sum_of_segments};

use crate::manifest::{TRACE_SCHEMA, TraceManifest};
use crate::stretch::StretchError;

const MANIFEST: &str = "trace.json";
const SEGMENTS: &str = "segments";

/// What can go wrong with a trace; each says what to do.
#[derive(Debug, thiserror::Error)]
pub enum TraceError {
    /// The system refused: the file or folder, and its error.
    #[error("{0}: {1}")]
    Io(PathBuf, #[source] io::Error),
    /// The user may not read or write a file or folder.
    #[error("{path} cannot be {done}: you have no permission there: {mend}")]
    Denied {
        /// The file or folder.
        path: PathBuf,
        /// What was tried, such as `read`.
        done: &'static str,
        /// What to type instead.
        mend: &'static str,
    },
    /// A file to be imported is not there, or is none: what is wrong, and what to name.
    #[error("{0} {1}")]
    NoSource(PathBuf, &'static str),
    /// The segments could not be read or written.
    #[error(transparent)]
    Records(#[from] RecordError),
    /// The folder is not that of a trace, and why not.
    #[error("{0} is not the folder of a trace: {1}")]
    NotATrace(PathBuf, String),
    /// The folder to be made holds something already.
    #[error("{0} is not empty: name a folder that is empty or not there yet")]
    NotEmpty(PathBuf),
    /// The folder to be made is there, and is none.
    #[error("{0} is a file or a link to nothing: name a folder that is empty or not there yet")]
    NoFolder(PathBuf),
    /// The format of a file was not recognised; the formats there are.
    #[error("{0}: no format that drivelab knows fits it: name one with --format ({1})")]
    UnknownFormat(PathBuf, String),
    /// A file is no text, and no trace that can be read as it is: what it may be.
    #[error(
        "{0}: no format that drivelab knows fits it, which is {1}: of binary files, blktrace's and pages of trace_pipe_raw \
         can be read"
    )]
    UnknownBinary(PathBuf, &'static str),
    /// A trace that is still being made, or was killed, is to get a name.
    #[error("{0}: the trace was not ended: only one that was takes a name")]
    NotEnded(PathBuf),
    /// It was interrupted before anything was read.
    #[error("interrupted before anything was read: nothing is kept")]
    Interrupted,
    /// A file has another format than the one that was named.
    #[error(
        "{path} is no file of the format {asked}, and looks like {found}: write --format {found}, or leave --format out"
    )]
    OtherFormat {
        /// The file.
        path: PathBuf,
        /// The format that was named.
        asked: &'static str,
        /// The format that fits what the file holds.
        found: &'static str,
    },
    /// A file ends, or is damaged, before its format can be told: what was found.
    #[error("{0}: {1}, before anything that tells its format: take another copy of it, or one that is whole")]
    Unreadable(PathBuf, #[source] io::Error),
    /// A file holds nothing.
    #[error("{0} is empty: there is nothing to import")]
    Empty(PathBuf),
    /// Pages of the kernel's ring buffer without the description of what they hold.
    #[error(
        "{0}: no format that drivelab knows fits it. Pages of trace_pipe_raw need the format files of their events beside \
         them: copy /sys/kernel/tracing/events/block/*/format there, as block_rq_issue.format and so on"
    )]
    NoLayouts(PathBuf),
    /// A file was named twice.
    #[error("{0} is named twice: name each file once")]
    Twice(PathBuf),
    /// The clocks of two files begin at different moments.
    #[error(
        "the clocks of {first} ({first_format}) and {second} ({second_format}) cannot be compared: import each into a \
         trace of its own"
    )]
    Clocks {
        /// A file.
        first: PathBuf,
        /// Its format.
        first_format: &'static str,
        /// One of another clock.
        second: PathBuf,
        /// Its format.
        second_format: &'static str,
    },
    /// The run in this folder has no phases that are asked for; which there are.
    #[error("{0}: {1}")]
    Phases(PathBuf, String),
    /// Phases of a trace were asked for.
    #[error("{0} is the folder of a trace, which has no phases: leave --phase out")]
    HasNoPhases(PathBuf),
    /// The program brings no such trace along.
    #[error("the program brings no trace shipped:{name} along, but {known}: name one of these, or a folder")]
    NotShipped {
        /// The name.
        name: String,
        /// Those that there are.
        known: String,
    },
    /// There is no such part of the trace in this folder, and why not.
    #[error("{0}: {1}")]
    Stretch(PathBuf, #[source] StretchError),
    /// What an export is written to refused.
    #[error("the export cannot be written: {0}")]
    Output(#[source] io::Error),
}

impl TraceError {
    pub(crate) fn io(path: &Path, source: io::Error) -> TraceError {
        TraceError::Io(path.to_owned(), source)
    }

    fn not_made(path: &Path, error: io::Error) -> TraceError {
        match error.kind() {
            io::ErrorKind::AlreadyExists => TraceError::NoFolder(path.to_owned()),
            io::ErrorKind::PermissionDenied => TraceError::Denied {
                path: path.to_owned(),
                done: "made",
                mend: "name a folder of yours with -o, or put sudo before the command",
            },
            _ => TraceError::io(path, error),
        }
    }

    fn not_read(path: &Path, error: io::Error) -> TraceError {
        match error.kind() {
            io::ErrorKind::PermissionDenied => TraceError::Denied {
                path: path.to_owned(),
                done: "read",
                mend: "put sudo before the command, as for the one that recorded it",
            },
            _ => TraceError::io(path, error),
        }
    }

    pub(crate) fn of_source(path: &Path, error: io::Error) -> TraceError {
        let why = match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => "is not there: name a file that is",
            io::ErrorKind::IsADirectory => "is a folder: name the files in it that are to be imported",
            io::ErrorKind::PermissionDenied => {
                "cannot be read: you have no permission to read it: put sudo before the command"
            }
            _ => return TraceError::io(path, error),
        };
        TraceError::NoSource(path.to_owned(), why)
    }
}

/// Whether the folder is that of a trace.
pub fn is_trace_folder(path: &Path) -> bool {
    path.join(MANIFEST).is_file()
}

/// The folder of one trace.
#[derive(Clone, Debug)]
pub struct TraceFolder {
    path: PathBuf,
    /// The number of the first segment.
    first: u32,
}

/// Makes a folder for its owner alone: a trace shows which program used a drive when, and for what.
fn make_private(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)
}

impl TraceFolder {
    /// Makes a new folder with its manifest.
    ///
    /// # Errors
    /// Where the folder cannot be made, or holds something already: nothing is ever overwritten.
    pub fn create(path: &Path, manifest: &TraceManifest) -> Result<TraceFolder, TraceError> {
        make_private(path).map_err(|error| TraceError::not_made(path, error))?;
        let mut entries = fs::read_dir(path).map_err(|error| TraceError::not_read(path, error))?;
        if entries.next().is_some() {
            return Err(TraceError::NotEmpty(path.to_owned()));
        }
        let folder = TraceFolder { path: path.to_owned(), first: 0 };
        let segments = folder.segments();
        make_private(&segments).map_err(|error| TraceError::not_made(&segments, error))?;
        folder.save(manifest)?;
        Ok(folder)
    }

    /// Opens the folder of a trace, finished or not.
    ///
    /// # Errors
    /// Where it is not the folder of a trace.
    pub fn open(path: &Path) -> Result<(TraceFolder, TraceManifest), TraceError> {
        let wrong = |message: String| TraceError::NotATrace(path.to_owned(), message);
        let file = path.join(MANIFEST);
        let text = drivelab_files::read(&file, DOCUMENT).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound if path.is_dir() => wrong(format!(
                "it has no {MANIFEST}: name the folder that -o named, or type `drivelab` alone, which lists the results in a \
                 folder"
            )),
            io::ErrorKind::NotFound => {
                wrong("it is not there: `drivelab` alone lists the results in a folder".to_owned())
            }
            io::ErrorKind::NotADirectory => {
                let file = path.display();
                wrong(format!(
                    "it is a file: make a trace of it with `drivelab trace import {file} -o FOLDER`"
                ))
            }
            _ => TraceError::not_read(&file, error),
        })?;
        let damaged = |error: serde_json::Error| wrong(format!("{MANIFEST} is damaged, {error}"));
        let document: serde_json::Value = serde_json::from_slice(&text).map_err(damaged)?;
        match document["schema"].as_str() {
            Some(TRACE_SCHEMA) => {}
            other => {
                let found = other.unwrap_or("missing");
                return Err(wrong(format!("its schema is {found}, this drivelab reads {TRACE_SCHEMA}")));
            }
        }
        let manifest: TraceManifest = serde_json::from_value(document).map_err(damaged)?;
        Ok((TraceFolder { path: path.to_owned(), first: manifest.first_segment }, manifest))
    }

    /// Locks the folder for a recording; `None` on a file system that has no locks of folders (NFS). The lock ends with the file,
    /// also where its process is killed.
    pub(crate) fn lock(&self) -> Option<File> {
        let folder = File::open(&self.path).ok()?;
        folder.try_lock().ok().map(|()| folder)
    }

    /// Whether it is known that no recorder writes to it any more.
    pub fn is_left_by_its_recorder(&self) -> bool {
        self.lock().is_some()
    }

    /// Gives a trace that was ended a name.
    ///
    /// # Errors
    /// Where it is none, is still being made, or its manifest cannot be written.
    pub fn label(path: &Path, label: &str) -> Result<(), TraceError> {
        let (folder, manifest) = TraceFolder::open(path)?;
        if manifest.account.is_none() {
            return Err(TraceError::NotEnded(path.to_owned()));
        }
        folder.save(&TraceManifest { label: Some(label.to_owned()), ..manifest })
    }

    /// Replaces the manifest in one step.
    ///
    /// # Errors
    /// Where it cannot be written; the old one is still there.
    pub fn save(&self, manifest: &TraceManifest) -> Result<(), TraceError> {
        let (partial, whole) = (self.path.join(format!("{MANIFEST}.partial")), self.path.join(MANIFEST));
        let text = serde_json::to_string_pretty(manifest);
        let text = text.map_err(|error| TraceError::io(&whole, error.into()))? + "\n";
        create_partial(&partial)
            .and_then(|mut file| file.write_all(text.as_bytes()))
            .and_then(|()| fs::rename(&partial, &whole))
            .map_err(|error| TraceError::io(&whole, error))
    }

    /// Where the folder is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes its I/Os; the folder must have none yet.
    pub fn writer(&self) -> RecordWriter<TracedIo> {
        RecordWriter::new(self.segments())
    }

    /// Reads its I/Os, in the order of their issue.
    ///
    /// # Errors
    /// Where its segments cannot be listed.
    pub fn reader(&self) -> Result<SortedReader<TracedIo>, TraceError> {
        Ok(SortedReader::open(&self.segments(), self.first)?)
    }

    /// One sum of its segments, as [`drivelab_record::sum_of_segments`] makes it: it tells traces apart that have equal names.
    ///
    /// # Errors
    /// Where its segments cannot be listed.
    pub fn sum_of_segments(&self) -> io::Result<u64> {
        sum_of_segments(&self.segments())
    }

    pub(crate) fn segments(&self) -> PathBuf {
        self.path.join(SEGMENTS)
    }
}
