//! A channel's ring: buffers of registered memory that a source fills in place and the writer writes in place.
//!
//! A frame lies in the payload areas of as many buffers as it takes, one behind the other in the channel's own
//! order, so that nothing is moved where a frame passes from one block into the next.

mod filler;
mod pool;

pub use filler::{Filler, FrameTally, RingBlock};
pub use pool::Pool;

/// What happens where a ring is full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnFull {
    /// Whole frames are dropped and counted.
    Drop,
    /// The source has to wait.
    Wait,
}
