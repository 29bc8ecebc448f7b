//! The folder of a run, and the way of a completion into it and out again.
//!
//! ```text
//! engine ─▶ CompletionSender ═ queue ═ CompletionReceiver ─▶ RunWriter ─▶ segments/000000.parquet, 000001.parquet, ...
//!                                                                      └─▶ segments/000002.tail  (of the open segment)
//! ```
//!
//! A segment is written under another name and renamed when it is whole. Until then a tail, appended twice a second, says
//! where the row groups are that it has already, and holds the records that are in none: a killed run loses at most its last
//! second. (Of a simulated drive, up to 127 completions for each worker are on their way as well, however long that takes.)
//! This crate knows no device and no workload; it cannot tell a real drive from a simulated one.

#![forbid(unsafe_code)]

mod digest;
mod error;
mod folder;
mod gauges;
mod groups_reader;
mod guard;
mod in_order;
mod pace;
mod parts;
mod queue;
mod reader;
mod record_file;
mod rotation;
mod rows;
mod segment;
mod sorted;
mod sum;
mod syncer;
mod tail;
mod traced;
mod writer;

pub use digest::Digest;
pub use error::RecordError;
pub use folder::{RunFolder, is_run_folder};
pub use gauges::{Gauge, GaugeReader, GaugeWriter, Readings};
pub use queue::{CompletionReceiver, CompletionSender, OnFull, queue};
pub use reader::{RecordReader, RunReader};
pub use record_file::{RecordFile, system_error};
pub use rotation::Written;
pub use rows::Row;
pub use sorted::SortedReader;
pub use sum::sum_of_segments;
pub use traced::{IssuedWithin, TracedReader};
pub use writer::{RecordWriter, RunWriter};
