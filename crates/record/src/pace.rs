//! The recorder's own clock: when the tail is due. It is the only clock of this crate, and no result depends on it.

use std::time::{Duration, Instant};

/// Records wait at most this long before they are in a file.
const TAIL_EVERY: Duration = Duration::from_millis(400);
/// The same where every record counts that was acknowledged.
const TAIL_EVERY_DURABLE: Duration = Duration::from_millis(20);

/// Measures the time since records were last safe.
#[derive(Debug)]
pub struct SyncPace {
    safe_at: Instant,
    every: Duration,
}

impl SyncPace {
    #[expect(
        clippy::disallowed_methods,
        reason = "the tail is due by wall time, even where the run's is virtual"
    )]
    pub fn start() -> SyncPace {
        SyncPace { safe_at: Instant::now(), every: TAIL_EVERY }
    }

    /// Makes the tail due sooner.
    pub fn hurry(&mut self) {
        self.every = TAIL_EVERY_DURABLE;
    }

    /// Everything so far is in a file.
    pub fn everything_is_safe(&mut self) {
        *self = SyncPace { every: self.every, ..SyncPace::start() };
    }

    /// Whether records have waited long enough.
    pub fn is_tail_due(&self) -> bool {
        self.safe_at.elapsed() >= self.every
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tail_that_is_due_sooner_stays_so() {
        let mut pace = SyncPace::start();
        pace.hurry();
        assert_eq!(pace.every, TAIL_EVERY_DURABLE);
        pace.everything_is_safe();
        assert_eq!(pace.every, TAIL_EVERY_DURABLE);
    }
}
