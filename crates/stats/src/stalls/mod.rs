//! Long delays in a stream of writes: which writes stand out, how much data lies between them, and the buffer that a
//! stream needs to get over them.

mod backlog;
mod buffer_curve;
mod delays;
mod device;
mod seen_delays;
mod writes;

pub use backlog::Backlog;
pub use buffer_curve::BufferCurve;
pub use delays::{Delay, DelayFigures};
pub use device::DeviceTimes;
pub use seen_delays::{KeepsUp, SeenDelays, SeenWrites};
pub use writes::{StreamWrite, StreamWrites};

#[cfg(test)]
mod tests;
