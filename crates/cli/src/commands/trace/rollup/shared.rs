//! What the recorder and the thread that writes its rollup share. Neither holds the lock while it reads or writes a file.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use drivelab_export::{LiveRollup, LiveStep, NotWritten, WrittenStep};

/// The pause between attempts while the program waits for the last state to be written.
const LAST_PAUSE: Duration = Duration::from_secs(1);

/// The rollup of a recording, and how far it is.
#[derive(Default)]
pub struct SharedRollup {
    state: Mutex<RollupState>,
    changed: Condvar,
}

#[derive(Default)]
struct RollupState {
    /// None before the recording has begun.
    rollup: Option<LiveRollup>,
    has_ended: bool,
    /// Whether the destination has the last state.
    is_written: bool,
}

impl SharedRollup {
    /// The recording has begun.
    pub fn begin(&self, rollup: LiveRollup) {
        self.lock().rollup = Some(rollup);
        self.changed.notify_all();
    }

    /// Changes the rollup by what the recorder has closed; gives what comes of that.
    pub fn change<T: Default>(&self, change: impl FnOnce(&mut LiveRollup) -> T) -> T {
        let outcome = self.lock().rollup.as_mut().map(change).unwrap_or_default();
        self.changed.notify_all();
        outcome
    }

    /// Ends it, and waits at most this long until the last state is written; what it lacks, or none where it is not written.
    pub fn wait_for_end(&self, timeout: Duration) -> Option<NotWritten> {
        let mut state = self.lock();
        state.has_ended = true;
        self.changed.notify_all();
        let waited = self.changed.wait_timeout_while(state, timeout, |state| !state.is_written);
        let (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        state.rollup.as_ref().filter(|_| state.is_written).map(LiveRollup::not_written)
    }

    /// What is to be written next, after a pause since the last failure; none where the recording has ended and all is written.
    pub fn next_step(&self, pause: Duration) -> Option<LiveStep> {
        let waited = self.changed.wait_timeout_while(self.lock(), pause, |state| !state.has_ended);
        let (mut state, timeout) = waited.unwrap_or_else(PoisonError::into_inner);
        if !pause.is_zero() && !timeout.timed_out() {
            let waited = self.changed.wait_timeout(state, LAST_PAUSE);
            (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        }
        loop {
            if let Some(step) = state.rollup.as_ref().and_then(LiveRollup::next_step) {
                return Some(step);
            }
            if state.has_ended {
                state.is_written = true;
                self.changed.notify_all();
                return None;
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Notes that a step was written.
    pub fn written(&self, step: WrittenStep) {
        if let Some(rollup) = &mut self.lock().rollup {
            rollup.written(step);
        }
    }

    fn lock(&self) -> MutexGuard<'_, RollupState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
