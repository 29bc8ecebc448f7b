//! Questions on many drives and machines, answered from what `drivelab export` wrote.
//!
//! ```text
//! DEST/catalogue, DEST/drives ─▶ names ─┐
//! DEST/date=*/host=*/run=*/rollup.parquet ─▶ sums by model, drive, hour, run ─▶ answers
//! ```
//!
//! The answers are those of the queries in `sql/`, to the last digit. Files are read one after the other: once to see whether
//! they are whole, then for the percentiles that say which I/Os are slow, for how many are, and for how these are spread over
//! time. Memory is taken for the sums, which grow with drives and runs, and not with I/Os and days. What cannot be read is named
//! and in no sum. This module knows no devices and no clock, and prints nothing.

mod answers;
mod bucket_counts;
mod error;
mod findings;
mod machines;
mod passes;
mod reading;
mod registry;
mod source;
mod tables;

pub use error::FleetError;
pub use findings::{
    AmplificationRow, FleetFindings, HourRow, Operation, PeerRow, PercentileRow, ReviewRow, SlowerRow,
    SlowestRow,
};
pub use reading::read_fleet;
pub use source::{FleetFolder, FleetSource, FleetStore};
