//! Recordings of streams: what is written, read back and kept after a crash.

mod support;

mod any_bytes;
mod cuts;
mod drops;
mod ends;
mod hangs;
mod held;
mod images;
mod lost;
mod outcomes;
mod plans;
mod power_cuts;
mod problems;
mod snapshots;
mod sources;
