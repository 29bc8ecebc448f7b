//! What a command does now, written every few seconds as a file for the textfile collector of Prometheus' node exporter.
//!
//! The file is text in the exposition format of Prometheus, version 0.0.4, with the last line of
//! `OpenMetrics`, which is a comment there. It is written under another name in the same
//! folder and renamed into place, so that whoever reads it finds a whole one.

mod exposition;
mod latency;
mod out;
mod run;
mod shared;
mod stream;
mod trace;

pub use out::{CommandPath, check_live_file};
pub(crate) use run::{LiveRun, LiveState};
pub use stream::LiveStream;
pub use trace::LiveTrace;
