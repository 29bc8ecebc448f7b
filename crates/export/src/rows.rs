//! What the catalogue and the table of drives say of a result.

use std::io::Write as _;
use std::path::Path;

use drivelab_record::system_error;
use parquet::errors::ParquetError;

use crate::ExportError;
use crate::catalogue::{self, CatalogueEntry};
use crate::destination::{Destination, Readers};
use crate::drives::{self, DriveEntry};
use crate::exported_files::{ExportedFiles, ExportedForms};

/// The rows of a result but for what is counted while its records are read.
pub struct ResultRows {
    pub row: CatalogueEntry,
    pub drives: Vec<DriveEntry>,
}

impl ResultRows {
    /// Writes the rows of the table of drives and the row of the catalogue, where others or none are there; says whether it did.
    pub fn write(
        &self,
        destination: &dyn Destination,
        forms: &ExportedForms,
        files: Option<&ExportedFiles>,
    ) -> Result<bool, ExportError> {
        let drives = drives::file_of(&self.row.key, &self.drives);
        let are_drives_written = write_small(destination, &self.row.key.drives_file(), drives)?;
        // Last: a row says that its files are there.
        let row = catalogue::file_of(&self.row, files, forms);
        let is_row_written = write_small(destination, &self.row.key.catalogue_file(), row)?;
        Ok(are_drives_written || is_row_written)
    }
}

/// Writes a file that was made in memory, where it is not there as it is; says whether it did.
fn write_small(
    destination: &dyn Destination,
    path: &Path,
    file: Result<Vec<u8>, ParquetError>,
) -> Result<bool, ExportError> {
    let file = file.map_err(|error| ExportError::not_written(path, system_error(error)))?;
    if destination.read_small(path)?.is_some_and(|there| there == file) {
        return Ok(false);
    }
    let new = destination.begin(path, Readers::All)?;
    new.file()?.write_all(&file).map_err(|error| new.not_written(error))?;
    new.publish()?;
    Ok(true)
}
