//! The kernel's own events of block devices, as pages of its ring buffer.
//!
//! ```text
//! block layer ─▶ private instance of tracefs ─▶ a ring buffer for each processor ─▶ pages of 4 KiB
//! ```
//!
//! The instance is drivelab's alone: what others trace is not touched, and nothing stays switched on when it is
//! dropped. What a killed program left is removed by the next one that starts. This module knows how the events are
//! switched on and fetched, and not what is in them.

mod boot_trace;
mod buffers;
mod devices;
mod error;
mod instance;

pub use boot_trace::BootTrace;
pub use buffers::{Buffers, Filled, PAGE_BYTES};
pub use devices::{Events, Tracer, Watched};
pub use error::TracerError;
pub use instance::switch_off_own;
