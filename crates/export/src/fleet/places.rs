//! The files of a destination.

use std::path::{Path, PathBuf};

use crate::{CATALOGUE, DRIVES, ROLLUP_FILE, partition_value};

use crate::fleet::FleetError;
use crate::fleet::source::FleetSource;

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
    /// Lists a destination.
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
