//! What the keeping thread does beside a phase that shows nothing.

use std::time::Duration;

use drivelab_block::{Instant, Silence};
use drivelab_method::{Progress, RunRecorder};

use crate::silences::SilentWorkers;

/// How long the recorder sleeps where the queues are empty: a few thousand completions at the highest rate, of
/// a million that fit.
const NAP: Duration = Duration::from_millis(1);

/// Leaves the processor to the workers while nothing comes, and shows nothing but a drive that hangs.
#[derive(Default)]
pub struct Quiet<'a> {
    silent: SilentWorkers,
    /// What is done when everything is allocated and the clock starts.
    pub at_begin: Option<Box<dyn FnOnce() + 'a>>,
}

impl Progress for Quiet<'_> {
    fn begin(&mut self, _started_at: Instant) {
        if let Some(at_begin) = self.at_begin.take() {
            at_begin();
        }
    }

    fn turn(&mut self, _keeper: &RunRecorder, idle: bool) {
        wait_where_idle(idle);
    }

    fn silence(&mut self, silence: &Silence) {
        self.silent.note(silence);
    }
}

/// Leaves the processor to the workers for a moment, where nothing has come.
pub fn wait_where_idle(idle: bool) {
    if idle {
        #[expect(clippy::disallowed_methods, reason = "the recorder leaves its processor to the workers")]
        std::thread::sleep(NAP);
    }
}
