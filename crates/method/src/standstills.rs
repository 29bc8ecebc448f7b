//! Whether the program ran: what a recorder asks whoever reads clocks.

use drivelab_block::Instant;
use drivelab_stats::Standstill;

/// Tells when the program did not run. Asked by the recorder's thread alone: the workers pay nothing for it.
pub trait StandstillWatch {
    /// Up to when all standstills are known, on the clock of the completions. It never goes back; [`Instant::NEVER`] where
    /// nothing more will be known.
    fn known_until(&self) -> Instant;

    /// The standstills that were found since the last call. None of them leaves out an I/O that was complete at the moment
    /// that [`StandstillWatch::known_until`] gave before.
    fn take(&mut self) -> Vec<Standstill>;

    /// Waits until all is known up to a moment that has passed.
    fn wait_for(&mut self, moment: Instant);
}
