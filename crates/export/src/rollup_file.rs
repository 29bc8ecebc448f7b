//! The rollup of a day on its way into a destination.

use std::fs::File;
use std::io::{BufWriter, IntoInnerError};
use std::path::Path;

use crate::rollup::{Rollup, RollupWriter};
use drivelab_record::system_error;
use parquet::errors::ParquetError;

use crate::ExportError;
use crate::destination::{Destination, NewFile, Readers};
use crate::whole::RUN_WORD;

/// How long a file is to last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileLife {
    /// For good.
    Kept,
    /// Until a later one takes its place, within minutes.
    Replaced,
}

/// A rollup that is being written.
pub struct RollupFile {
    partial: Box<dyn NewFile>,
    writer: Box<RollupWriter<BufWriter<File>>>,
}

impl RollupFile {
    /// Begins the file with this path.
    pub fn begin(
        destination: &dyn Destination,
        path: &Path,
        readers: Readers,
        life: FileLife,
    ) -> Result<RollupFile, ExportError> {
        let partial = destination.begin(path, readers)?;
        let file = BufWriter::new(partial.file()?);
        let writer = match life {
            FileLife::Kept => RollupWriter::new(file),
            FileLife::Replaced => RollupWriter::quick(file),
        };
        let writer = writer.map_err(|error| partial.not_written(system_error(error)))?;
        Ok(RollupFile { partial, writer: Box::new(writer) })
    }

    /// Adds a rollup, all of whose intervals come after those that were added before.
    pub fn append(&mut self, rollup: &Rollup) -> Result<(), ExportError> {
        self.writer.append(rollup).map_err(|error| self.partial.not_written(system_error(error)))
    }

    /// Ends the file, which is to be published.
    pub fn finish(self, run: &str) -> Result<Box<dyn NewFile>, ExportError> {
        let RollupFile { partial, writer } = self;
        let failed = |error: ParquetError| partial.not_written(system_error(error));
        let file = writer.finish(&[(RUN_WORD, run.to_owned())]).map_err(failed)?;
        file.into_inner().map_err(IntoInnerError::into_error).map_err(|error| partial.not_written(error))?;
        Ok(partial)
    }
}
