//! What stands against a replay.

use drivelab_block::ByteCount;

/// The most requests in flight: what a ring holds.
pub const DEPTH_MAX: u32 = 32_768;

/// What stands against a replay; each names what mends it.
#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    /// Nothing is left.
    #[error("the trace has no request to replay{0}")]
    Empty(String),
    /// Several devices and one address space.
    #[error(
        "the trace has requests to {0} devices, which would lie on top of each other: choose one with \
         --trace-device, or lay them one after the other with --map compact"
    )]
    Devices(usize),
    /// The trace goes beyond the target.
    #[error(
        "the trace has a request that ends {} beyond the end of the target of {capacity}: move together what it touches with \
         --map compact, or name a larger target",
        ByteCount::new(.end.get().saturating_sub(.capacity.get()))
    )]
    Beyond {
        /// The greatest end of a request that was met.
        end: ByteCount,
        /// The target's size.
        capacity: ByteCount,
    },
    /// What is touched is more than the target.
    #[error(
        "the trace touches {touched}, {} more than the target of {capacity} has: name a larger target, or replay less of it \
         (--duration, --trace-device)",
        ByteCount::new(.touched.get().saturating_sub(.capacity.get()))
    )]
    TooMuch {
        /// Bytes touched, in whole granules.
        touched: ByteCount,
        /// The target's size.
        capacity: ByteCount,
    },
    /// Nothing to wait for.
    #[error(
        "--timing dependent waits as long after an answer as the trace did, and this trace does not say when requests \
         were complete: use --timing recorded or unpaced"
    )]
    NoDurations,
    /// A request is too long.
    #[error(
        "the trace has a request of {0}, over the 1 GiB that one can hold: leave its part out (--duration, \
         --trace-device, --no-writes)"
    )]
    TooLong(ByteCount),
    /// Too few or too many in flight.
    #[error("--queue-depth {0} is not between 1 and {DEPTH_MAX}")]
    Depth(u32),
    /// The buffers would be too large.
    #[error(
        "--queue-depth x the longest request of the trace is {0}, over 16 GiB of buffers: use a lower limit"
    )]
    Buffers(ByteCount),
    /// Blocks are larger than anything moved.
    #[error("the target's blocks of {0} bytes are larger than this map can place: use --map identity")]
    Blocks(u32),
}
