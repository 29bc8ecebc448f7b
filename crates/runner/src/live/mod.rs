//! What a command does now, written for Prometheus every few seconds.

mod out;
mod run;
mod shared;
mod trace;

pub use out::set_live;
pub(crate) use run::{LiveRun, LiveState};
pub use trace::LiveTrace;
