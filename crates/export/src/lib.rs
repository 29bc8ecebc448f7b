//! Runs and traces for engines that read Parquet: a folder in the layout of Hive, and a catalogue.
//!
//! ```text
//! DEST/date=2026-11-24/host=lab/run=r0123456789abcdef/rollup.parquet    (or run-records.parquet, trace-records.parquet)
//! DEST/catalogue/r0123456789abcdef.lab.parquet                          (one row)
//! DEST/drives/r0123456789abcdef.lab.parquet                             (a row for each device)
//! ```
//!
//! The destination is a folder or a prefix of an object store. A file is there when all of it is: in a folder it is written
//! under another name and renamed, to a store it is put when it is whole; the rows of the drives and of the catalogue come
//! last. What is there and whole is left alone, and what is not is written again, so that an export that was killed ends the
//! same as one that was not. This crate knows no devices and no clock, and prints nothing.

#![forbid(unsafe_code)]

mod catalogue;
mod days;
mod destination;
mod drives;
mod export;
mod exported_files;
pub mod fleet;
mod folder;
mod layout;
mod live;
mod rolled;
pub mod rollup;
mod rows;
pub mod s3;
mod small_file;
mod source;
mod store;
mod whole;

pub use catalogue::CATALOGUE_FORMAT;
pub use destination::{Destination, ExportError, NewFile, Readers, WholeFile};
pub use drives::DRIVES_FORMAT;
pub use export::{ExportedResult, export};
pub use exported_files::ExportForm;
pub use folder::ExportFolder;
pub use layout::{CATALOGUE, DRIVES, HostName, ROLLUP_FILE, partition_value};
pub use live::{
    Attempts, ClosedSums, DroppedDay, LiveRollup, LiveStep, NotWritten, RecordingSums, WrittenStep,
};
pub use source::{ExportSource, SourceOptions};
pub use store::ExportStore;
