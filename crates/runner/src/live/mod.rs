//! What a command does now, written for Prometheus every few seconds.

mod out;
mod pace;
mod run;
mod shared;
mod stream;
mod trace;

pub use out::{CommandPath, check_live_file};
pub(crate) use run::{LiveRun, LiveState};
pub use stream::LiveStream;
pub use trace::LiveTrace;
