//! The folder of a trace: its manifest and its segments.

use std::fmt;
use std::fs::{self, DirBuilder, File};
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

use drivelab_block::TracedIo;
use drivelab_files::{DOCUMENT, write_whole};
use drivelab_record::{RecordError, RecordWriter, SortedReader, sum_of_segments};

use crate::manifest::{TRACE_SCHEMA, TraceManifest};

const MANIFEST: &str = "trace.json";
const SEGMENTS: &str = "segments";

/// What can go wrong with a trace; each says what to do.
#[derive(Debug, thiserror::Error)]
pub enum TraceError {
    /// The system refused.
    #[error("{0}")]
    Environment(String),
    /// What was named is none, or cannot be used as it was asked.
    #[error("{0}")]
    Usage(String),
    /// The segments could not be read or written.
    #[error(transparent)]
    Records(#[from] RecordError),
    /// It was interrupted before anything was read.
    #[error("interrupted before anything was read: nothing is kept")]
    Interrupted,
    /// What an export is written to refused.
    #[error("the export cannot be written: {0}")]
    Output(#[source] io::Error),
}

impl TraceError {
    pub(crate) fn io(path: &Path, source: impl fmt::Display) -> TraceError {
        TraceError::Environment(format!("{}: {source}", path.display()))
    }

    /// Why a file or folder cannot be used as it was asked.
    pub(crate) fn usage(path: &Path, why: impl fmt::Display) -> TraceError {
        TraceError::Usage(format!("{}: {why}", path.display()))
    }

    fn not_made(path: &Path, error: io::Error) -> TraceError {
        let shown = path.display();
        match error.kind() {
            io::ErrorKind::AlreadyExists => TraceError::Usage(format!(
                "{shown} is a file or a link to nothing: name a folder that is empty or not there yet"
            )),
            io::ErrorKind::PermissionDenied => TraceError::Environment(format!(
                "{shown} cannot be made: you have no permission there: name a folder of yours with -o, or put sudo before the \
                 command"
            )),
            _ => TraceError::io(path, error),
        }
    }

    fn not_read(path: &Path, error: io::Error) -> TraceError {
        match error.kind() {
            io::ErrorKind::PermissionDenied => TraceError::Environment(format!(
                "{} cannot be read: you have no permission there: put sudo before the command, as for the one that recorded it",
                path.display()
            )),
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
        TraceError::Usage(format!("{} {why}", path.display()))
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
            let shown = path.display();
            let why = format!("{shown} is not empty: name a folder that is empty or not there yet");
            return Err(TraceError::Usage(why));
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
        let wrong = |message: String| {
            TraceError::Usage(format!("{} is not the folder of a trace: {message}", path.display()))
        };
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
            return Err(TraceError::usage(path, "the trace was not ended: only one that was takes a name"));
        }
        folder.save(&TraceManifest { label: Some(label.to_owned()), ..manifest })
    }

    /// Replaces the manifest in one step.
    ///
    /// # Errors
    /// Where it cannot be written; the old one is still there.
    pub fn save(&self, manifest: &TraceManifest) -> Result<(), TraceError> {
        let path = self.path.join(MANIFEST);
        let text = serde_json::to_string_pretty(manifest).map_err(io::Error::from);
        let written = text.and_then(|text| write_whole(&path, format!("{text}\n").as_bytes()));
        written.map_err(|error| TraceError::io(&path, error))
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
