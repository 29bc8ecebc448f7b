//! What a log is written to.

use drivelab_block::{EngineError, Nanos};
use drivelab_uring::{BlockWrite, BlockWriter, EndedOperation};

/// A target that takes several writes at a time, which end in any order: the drive's own ring, or one around it that a test
/// looks into. An operation comes back with the token that it was begun with.
pub trait TargetDisk {
    /// The drive's own ring.
    fn ring(&mut self) -> &mut BlockWriter;

    /// Begins a write.
    ///
    /// # Errors
    /// Where nothing more can be begun, or the range leaves the target.
    fn write(&mut self, write: BlockWrite) -> Result<(), EngineError> {
        BlockWriter::write(self.ring(), write)
    }

    /// Begins to have everything that has ended before on the medium.
    ///
    /// # Errors
    /// Where nothing more can be begun.
    fn flush(&mut self, token: u64) -> Result<(), EngineError> {
        BlockWriter::flush(self.ring(), token)
    }

    /// Waits for an end, a [`drivelab_uring::Waker`] or `patience`, whichever comes first.
    ///
    /// # Errors
    /// Where the ring itself fails.
    fn wait(&mut self, patience: Nanos, ended: &mut Vec<EndedOperation>) -> Result<(), EngineError> {
        BlockWriter::wait(self.ring(), patience, ended)
    }

    /// How many operations were begun and have not come back.
    fn in_flight(&mut self) -> usize {
        // Called as a method of the ring it would be this one again.
        BlockWriter::in_flight(self.ring())
    }

    /// Gives up what is in flight: nothing of it comes back, and nothing more can be begun.
    fn give_up(&mut self) {
        BlockWriter::give_up(self.ring());
    }
}

impl TargetDisk for BlockWriter {
    fn ring(&mut self) -> &mut BlockWriter {
        self
    }
}
