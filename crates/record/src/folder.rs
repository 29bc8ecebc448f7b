//! The folder of a run: where its parts are.

use std::fs::{self, File, TryLockError};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use drivelab_files::{DOCUMENT, write_whole};

use crate::parts::SEGMENTS;
use crate::syncer::sync_folder_of;
use crate::{RecordError, RunWriter};
use drivelab_documents::{MANIFEST_SCHEMA, Manifest, parse_document};

const MANIFEST: &str = "run.json";
/// Holds room on the disk for the last manifest, while a run goes on: one that filled the disk would look killed without.
const ROOM: &str = "run.json.room";
/// More than a manifest is long: with a thousand faults and the waits of an overloaded drive it has 300 KB.
const ROOM_BYTES: usize = 512 << 10;

/// The folder of one run.
#[derive(Clone, Debug)]
pub struct RunFolder {
    path: PathBuf,
    /// Of a run that is under way in this process.
    _hold: Option<Hold>,
}

impl RunFolder {
    /// Makes a new folder with its manifest, and the writer of its records.
    ///
    /// # Errors
    /// Where the folder cannot be made, or holds something already: nothing is ever overwritten.
    pub fn create(path: &Path, manifest: &Manifest) -> Result<(RunFolder, RunWriter), RecordError> {
        let segments = path.join(SEGMENTS);
        let folder = RunFolder::make(path, manifest, Some(&segments))?;
        Ok((folder, RunWriter::new(segments)))
    }

    /// Makes a new folder with its manifest for a run that keeps no records of its I/Os.
    ///
    /// # Errors
    /// As [`RunFolder::create`].
    pub fn create_unrecorded(path: &Path, manifest: &Manifest) -> Result<RunFolder, RecordError> {
        RunFolder::make(path, manifest, None)
    }

    /// Opens the folder of a run that no process writes any more. None begins to, as long as what is returned lives.
    ///
    /// # Errors
    /// As [`RunFolder::open`], or where the run is still under way. A file system that has no locks of folders does not tell.
    pub fn open_ended(path: &Path) -> Result<(RunFolder, Manifest), RecordError> {
        // Before the manifest is read: a run may end in between.
        let hold = if is_run_folder(path) { Hold::take(path)? } else { None };
        let (folder, manifest) = RunFolder::open(path)?;
        Ok((RunFolder { _hold: hold, ..folder }, manifest))
    }

    fn make(path: &Path, manifest: &Manifest, segments: Option<&Path>) -> Result<RunFolder, RecordError> {
        let was_there = path.is_dir();
        fs::create_dir_all(path).map_err(|error| RecordError::io(path, error))?;
        let mut entries = fs::read_dir(path).map_err(|error| RecordError::io(path, error))?;
        if entries.next().is_some() {
            return Err(RecordError::NotEmpty(path.to_owned()));
        }
        if let Some(segments) = segments {
            fs::create_dir(segments).map_err(|error| RecordError::io(segments, error))?;
        }
        let folder = RunFolder { path: path.to_owned(), _hold: Hold::take(path)? };
        folder.save(manifest).and_then(|()| folder.take_room()).inspect_err(|_| {
            // Without a manifest this is no run; only what was made here is taken away again.
            let _ = fs::remove_file(path.join(MANIFEST));
            let _ = segments.map(fs::remove_dir);
            if !was_there {
                let _ = fs::remove_dir(path);
            }
        })?;
        Ok(folder)
    }

    /// Opens the folder of a run, finished or not.
    ///
    /// # Errors
    /// Where it is not the folder of a run, or its manifest cannot be used.
    pub fn open(path: &Path) -> Result<(RunFolder, Manifest), RecordError> {
        let file = path.join(MANIFEST);
        let text = drivelab_files::read(&file, DOCUMENT).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => RecordError::NotARun(path.to_owned()),
            _ => RecordError::io(&file, error),
        })?;
        let manifest = parse_document(&text, MANIFEST_SCHEMA, "made the run")
            .map_err(|message| RecordError::Manifest(file, message))?;
        Ok((RunFolder { path: path.to_owned(), _hold: None }, manifest))
    }

    /// Replaces the manifest in one step: a reader sees the old one or the new one, never a part.
    ///
    /// # Errors
    /// Where it cannot be written; the old one is still there.
    pub fn save(&self, manifest: &Manifest) -> Result<(), RecordError> {
        let text = manifest.to_json();
        self.write_file(MANIFEST, text.as_bytes())
    }

    /// The same at the end of the run, written over the room that was held for it.
    ///
    /// # Errors
    /// As [`RunFolder::save`].
    pub fn save_the_end(&self, manifest: &Manifest) -> Result<(), RecordError> {
        let (room, path) = (self.path.join(ROOM), self.path.join(MANIFEST));
        let text = manifest.to_json();
        let written = File::options().write(true).open(&room).and_then(|mut file| {
            file.write_all(text.as_bytes())?;
            file.set_len(text.len() as u64)?;
            file.sync_all()
        });
        written.and_then(|()| replace(&room, &path)).or_else(|_| {
            // Where it was taken away, or was too little, there may be room all the same.
            let _ = fs::remove_file(&room);
            self.save(manifest)
        })
    }

    /// Holds room for the last manifest of the run, also of one that goes on.
    ///
    /// # Errors
    /// Where there is none.
    pub fn take_room(&self) -> Result<(), RecordError> {
        // Bytes that do not compress: a file system that packs them would hold less.
        let mut state = 1_u64;
        let noise = std::iter::repeat_with(|| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            state.to_be_bytes()[0]
        });
        self.write_file(ROOM, &noise.take(ROOM_BYTES).collect::<Vec<u8>>())
    }

    /// Puts a file into the folder, in one step.
    ///
    /// # Errors
    /// Where it cannot be written; an older one is still there.
    pub fn write_file(&self, name: &str, contents: &[u8]) -> Result<(), RecordError> {
        let path = self.path.join(name);
        write_whole(&path, contents).map_err(|error| RecordError::io(&path, error))
    }

    /// Where the folder is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The size of what is in the segments' folder, in bytes; 0 where it cannot be read.
    pub fn records_bytes(&self) -> u64 {
        let Ok(entries) = fs::read_dir(self.segments()) else { return 0 };
        entries.flatten().filter_map(|entry| entry.metadata().ok()).map(|file| file.len()).sum()
    }

    /// The folder of its segments.
    pub fn segments(&self) -> PathBuf {
        self.path.join(SEGMENTS)
    }
}

/// The lock on the folder of a run (flock(2)), released when the last copy is dropped or the process ends, even if it is
/// killed.
#[derive(Clone, Debug)]
pub(crate) struct Hold {
    _folder: Arc<File>,
}

impl Hold {
    /// Locks a folder for this process; `None` on a file system that has no locks of folders (NFS): the run goes on without. If
    /// another process holds it, its run is still under way.
    pub(crate) fn take(path: &Path) -> Result<Option<Hold>, RecordError> {
        let Ok(folder) = File::open(path) else { return Ok(None) };
        match folder.try_lock() {
            Ok(()) => Ok(Some(Hold { _folder: Arc::new(folder) })),
            Err(TryLockError::WouldBlock) => Err(RecordError::UnderWay(path.to_owned())),
            Err(TryLockError::Error(_)) => Ok(None),
        }
    }
}

/// Gives a file that is on the disk another one's name, which is on the disk, too, when this returns: after a power cut the older
/// file would be there again.
fn replace(file: &Path, name: &Path) -> io::Result<()> {
    fs::rename(file, name)?;
    // Not every file system can sync a folder; the file is whole in any case.
    let _ = sync_folder_of(name);
    Ok(())
}

/// Whether a folder looks like that of a run.
pub fn is_run_folder(path: &Path) -> bool {
    path.join(MANIFEST).is_file()
}
