//! Streams: whether a drive can record them, recording them, and what a kill leaves.

#[path = "../common/mod.rs"]
mod common;

mod contend;
mod stalls;
mod stalls_report;
mod stream;
mod stream_kills;
mod stream_plan;
