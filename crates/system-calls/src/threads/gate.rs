//! A common start.

use std::sync::{Condvar, Mutex, PoisonError};

/// Opens when everybody who is expected has come, or was excused.
pub(super) struct StartBarrier {
    expected: Mutex<u16>,
    opened: Condvar,
}

impl StartBarrier {
    /// A gate for so many.
    pub(super) fn new(expected: u16) -> StartBarrier {
        StartBarrier { expected: Mutex::new(expected), opened: Condvar::new() }
    }

    /// Waits for the others.
    pub(super) fn pass(&self) {
        self.excuse();
        let expected = self.expected.lock().unwrap_or_else(PoisonError::into_inner);
        let _opened = self.opened.wait_while(expected, |expected| *expected > 0);
    }

    /// Says that one of those who are expected does not come, so that nobody waits for it.
    pub(super) fn excuse(&self) {
        let mut expected = self.expected.lock().unwrap_or_else(PoisonError::into_inner);
        *expected = expected.saturating_sub(1);
        if *expected == 0 {
            self.opened.notify_all();
        }
    }
}
