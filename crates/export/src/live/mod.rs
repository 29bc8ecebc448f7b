//! The rollup of a recording that goes on, in a destination that may be away for a while.
//!
//! ```text
//! recorder ─▶ RecordingSums ─▶ closed intervals ─▶ LiveRollup ─▶ LiveStep, written by another thread ─▶ destination
//! ```
//!
//! All of it but the writing of a step takes no notice of the destination, so that the recorder never waits for that.

mod attempts;
mod rollup;
mod sums;
mod waiting;

pub use attempts::Attempts;
pub use rollup::{LiveRollup, LiveStep, NotWritten, WrittenStep};
pub use sums::{ClosedSums, RecordingSums};
pub use waiting::DroppedDay;
