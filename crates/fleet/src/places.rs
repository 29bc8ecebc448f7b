//! The files of a destination.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use drivelab_export::{CATALOGUE, DRIVES, ROLLUP_FILE, partition_value};

use crate::FleetError;

/// The rollup of a day of a run.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RollupPlace {
    pub host: String,
    pub run: String,
    pub date: String,
    pub path: PathBuf,
}

/// Where everything is.
#[derive(Debug)]
pub struct Places {
    /// The rollups, those of a run next to each other.
    pub rollups: Vec<RollupPlace>,
    pub catalogue: Vec<PathBuf>,
    pub drives: Vec<PathBuf>,
}

impl Places {
    /// Lists a destination.
    pub fn of(destination: &Path) -> Result<Places, FleetError> {
        let mut rollups = Vec::new();
        for (date, folder) in partitions(destination, "date")? {
            for (host, folder) in partitions(&folder, "host")? {
                for (run, folder) in partitions(&folder, "run")? {
                    let path = folder.join(ROLLUP_FILE);
                    if path.is_file() {
                        rollups.push(RollupPlace { host: host.clone(), run, date: date.clone(), path });
                    }
                }
            }
        }
        rollups.sort();
        let [catalogue, drives] = [CATALOGUE, DRIVES].map(|name| small_files(&destination.join(name)));
        let places = Places { rollups, catalogue: catalogue?, drives: drives? };
        if places.rollups.is_empty() && places.catalogue.is_empty() {
            return Err(FleetError::NoExport { path: destination.to_owned() });
        }
        Ok(places)
    }
}

/// The folders of a key in a folder, with their values.
fn partitions(folder: &Path, key: &str) -> Result<Vec<(String, PathBuf)>, FleetError> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).map_err(|error| FleetError::not_read(folder, error))? {
        let entry = entry.map_err(|error| FleetError::not_read(folder, error))?;
        let value = entry.file_name().to_str().and_then(|name| partition_value(name, key));
        found.extend(value.map(|value| (value, entry.path())).filter(|(_, path)| path.is_dir()));
    }
    Ok(found)
}

/// The files of a table in the order of their names; none where there is no such table.
fn small_files(folder: &Path) -> Result<Vec<PathBuf>, FleetError> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(|error| FleetError::not_read(folder, error))?,
    };
    let mut files = Vec::new();
    for entry in entries {
        let path = entry.map_err(|error| FleetError::not_read(folder, error))?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        // Files that are being written begin with a full stop.
        if name.ends_with(".parquet") && !name.starts_with('.') {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}
