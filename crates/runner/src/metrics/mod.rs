//! What a command does now, as a file for the textfile collector of Prometheus' node exporter.
//!
//! The file is text in the exposition format of Prometheus, version 0.0.4, with the last line of
//! `OpenMetrics`, which is a comment there. It is written under another name in the same
//! folder and renamed into place, so that whoever reads it finds a whole one.

mod exposition;
mod file;
mod latency;

pub use exposition::{Exposition, Family, Labels, MetricKind};
pub use file::LiveFile;
