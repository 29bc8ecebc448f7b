//! Where the files of a fleet are, in a folder or below a prefix of an object store, and which of them are exported ones.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use crate::s3::Store;
use crate::{CATALOGUE, DRIVES, ROLLUP_FILE, partition_value};
use drivelab_files::open_regular;
use tempfile::TempDir;

use crate::fleet::FleetError;

/// What was exported, file by file. Paths are relative to the destination of the exports.
pub trait FleetSource {
    /// The files that may be exported ones, in no order.
    ///
    /// # Errors
    /// Where they cannot be listed.
    fn list(&self) -> Result<Vec<PathBuf>, FleetError>;

    /// Makes ready what `open` is to be asked for.
    ///
    /// # Errors
    /// Where a store fails, or there is no room. A file that is not there any more is no error yet.
    fn fetch(&self, path: &Path) -> Result<(), FleetError>;

    /// Opens a file that was fetched, as often as it is asked for.
    ///
    /// # Errors
    /// Where it is not there any more or cannot be read.
    fn open(&self, path: &Path) -> io::Result<File>;

    /// A path as messages name it; of an empty one the destination itself.
    fn shown(&self, path: &Path) -> PathBuf;
}

/// This folder, that results were exported to.
#[derive(Debug)]
pub struct FleetFolder(pub PathBuf);

impl FleetFolder {
    /// The names in a folder; none where it is not there.
    fn names(&self, folder: &Path) -> Result<Vec<String>, FleetError> {
        let whole = self.0.join(folder);
        let not_read = |error| FleetError::not_read(&whole, error);
        let entries = match fs::read_dir(&whole) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries.map_err(not_read)?,
        };
        let mut names = Vec::new();
        for entry in entries {
            names.extend(entry.map_err(not_read)?.file_name().into_string().ok());
        }
        Ok(names)
    }

    /// The folders of a key in a folder.
    fn partitions(&self, folder: &Path, key: &str) -> Result<Vec<PathBuf>, FleetError> {
        let names = self.names(folder)?.into_iter();
        let found = names.filter(|name| partition_value(name, key).is_some()).map(|name| folder.join(name));
        Ok(found.filter(|path| self.0.join(path).is_dir()).collect())
    }
}

impl FleetSource for FleetFolder {
    fn list(&self) -> Result<Vec<PathBuf>, FleetError> {
        let mut folders = vec![PathBuf::from(CATALOGUE), PathBuf::from(DRIVES)];
        for date in self.partitions(Path::new(""), "date")? {
            for host in self.partitions(&date, "host")? {
                folders.extend(self.partitions(&host, "run")?);
            }
        }
        let mut files = Vec::new();
        for folder in folders {
            files.extend(self.names(&folder)?.into_iter().map(|name| folder.join(name)));
        }
        Ok(files)
    }

    fn fetch(&self, _: &Path) -> Result<(), FleetError> {
        Ok(())
    }

    fn open(&self, path: &Path) -> io::Result<File> {
        open_regular(&self.0.join(path))
    }

    fn shown(&self, path: &Path) -> PathBuf {
        if path.as_os_str().is_empty() { self.0.clone() } else { self.0.join(path) }
    }
}

/// A prefix of a store that results were exported to. Each file is fetched once, into a folder that is removed with this.
#[derive(Debug)]
pub struct FleetStore {
    store: Store,
    fetched: TempDir,
}

impl FleetStore {
    /// An open store.
    ///
    /// # Errors
    /// Where no folder can be made among the temporary files.
    pub fn new(store: Store) -> io::Result<FleetStore> {
        Ok(FleetStore { store, fetched: tempfile::tempdir()? })
    }
}

impl FleetSource for FleetStore {
    fn list(&self) -> Result<Vec<PathBuf>, FleetError> {
        Ok(self.store.list()?)
    }

    fn fetch(&self, path: &Path) -> Result<(), FleetError> {
        let Some(bytes) = self.store.read(path)? else { return Ok(()) };
        let local = self.fetched.path().join(path);
        let made = fs::create_dir_all(local.parent().unwrap_or(self.fetched.path()));
        made.and_then(|()| fs::write(&local, bytes)).map_err(|error| FleetError::not_read(&local, error))
    }

    fn open(&self, path: &Path) -> io::Result<File> {
        File::open(self.fetched.path().join(path))
    }

    fn shown(&self, path: &Path) -> PathBuf {
        self.store.address().of_object(path)
    }
}

/// The rollup of a day of a run.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RollupPlace {
    pub host: String,
    pub run: String,
    pub date: String,
    /// Relative to the destination.
    pub path: PathBuf,
}

/// Where everything is, relative to the destination.
#[derive(Debug, Default)]
pub struct ExportedPlaces {
    /// The rollups, those of a run next to each other.
    pub rollups: Vec<RollupPlace>,
    /// In the order of their names, as the next.
    pub catalogue: Vec<PathBuf>,
    pub drives: Vec<PathBuf>,
}

impl ExportedPlaces {
    pub fn list(source: &dyn FleetSource) -> Result<ExportedPlaces, FleetError> {
        let mut places = ExportedPlaces::default();
        for path in source.list()? {
            if let Some(rollup) = rollup_place(&path) {
                places.rollups.push(rollup);
            } else if is_of_table(&path, CATALOGUE) {
                places.catalogue.push(path);
            } else if is_of_table(&path, DRIVES) {
                places.drives.push(path);
            }
        }
        places.rollups.sort();
        places.catalogue.sort();
        places.drives.sort();
        if places.rollups.is_empty() && places.catalogue.is_empty() {
            return Err(FleetError::NoExport(source.shown(Path::new(""))));
        }
        Ok(places)
    }
}

/// The rollup that has this path; none where it is the path of something else.
fn rollup_place(path: &Path) -> Option<RollupPlace> {
    let mut parts = path.to_str()?.split('/');
    let [date, host, run] = ["date", "host", "run"].map(|key| partition_value(parts.next()?, key));
    let is_rollup = parts.next() == Some(ROLLUP_FILE) && parts.next().is_none();
    is_rollup.then_some(())?;
    Some(RollupPlace { host: host?, run: run?, date: date?, path: path.to_owned() })
}

/// Whether a path is that of a file of a table of small files. Files that are being written begin with a full stop.
fn is_of_table(path: &Path, table: &str) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.parent() == Some(Path::new(table)) && name.ends_with(".parquet") && !name.starts_with('.')
}
