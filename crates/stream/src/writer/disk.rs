//! What a log is written to.

use drivelab_block::{EngineError, Nanos};
use drivelab_uring::{BlockWrite, BlockWriter, EndedOperation, FeatureReport, Waker};

/// A target that takes several writes at a time, which end in any order: the drive's own ring, or one that a test looks
/// into. An operation comes back with the token that it was begun with.
pub trait TargetDisk {
    /// Begins a write.
    ///
    /// # Errors
    /// Where nothing more can be begun, or the range leaves the target.
    fn write(&mut self, write: BlockWrite) -> Result<(), EngineError>;

    /// Begins to have everything that has ended before on the medium.
    ///
    /// # Errors
    /// Where nothing more can be begun.
    fn flush(&mut self, token: u64) -> Result<(), EngineError>;

    /// Waits for an end, a [`Waker`] or `patience`, whichever comes first.
    ///
    /// # Errors
    /// Where the ring itself fails.
    fn wait(&mut self, patience: Nanos, ended: &mut Vec<EndedOperation>) -> Result<(), EngineError>;

    /// How many operations were begun and have not come back.
    fn in_flight(&self) -> usize;

    /// Gives up what is in flight: nothing of it comes back, and nothing more can be begun.
    fn give_up(&mut self);

    /// What ends a wait from another thread.
    fn waker(&self) -> Waker;

    /// What the kernel gave and what it refused.
    fn obtained(&self) -> &FeatureReport;

    /// Bytes that were handed to the kernel out of registered buffers.
    fn fixed_bytes(&self) -> u64;
}

impl TargetDisk for BlockWriter {
    fn write(&mut self, write: BlockWrite) -> Result<(), EngineError> {
        self.write(write)
    }

    fn flush(&mut self, token: u64) -> Result<(), EngineError> {
        self.flush(token)
    }

    fn wait(&mut self, patience: Nanos, ended: &mut Vec<EndedOperation>) -> Result<(), EngineError> {
        self.wait(patience, ended)
    }

    fn in_flight(&self) -> usize {
        self.in_flight()
    }

    fn give_up(&mut self) {
        self.give_up();
    }

    fn waker(&self) -> Waker {
        self.waker()
    }

    fn obtained(&self) -> &FeatureReport {
        self.obtained()
    }

    fn fixed_bytes(&self) -> u64 {
        self.fixed_bytes()
    }
}
