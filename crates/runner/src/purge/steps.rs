//! The progress of a purge: a line for each tenth.

use drivelab_block::Nanos;
use drivelab_method::Interrupt;
use drivelab_purge::nvme::SanitizeLog;

use crate::{nap, output};

/// How long is waited between two looks at the log.
const BETWEEN_LOOKS: Nanos = Nanos::from_secs(1);

/// What was shown last.
#[derive(Debug, Default)]
pub struct Steps {
    tenths: Option<u32>,
    is_silent: bool,
}

impl Steps {
    /// Shows how much is done, in per cent, where that is another tenth than before.
    pub fn show(&mut self, percent: u32) {
        let tenths = percent / 10;
        if self.tenths.replace(tenths) != Some(tenths) {
            output::say(format_args!("  {percent} % done"));
        }
    }

    /// Shows the log and waits; `false` where the user does not want to wait any more. There is none while the
    /// controller does not answer.
    pub fn wait(&mut self, log: Option<SanitizeLog>, interrupt: &Interrupt) -> bool {
        match log {
            Some(log) => self.show(log.percent()),
            None if self.is_silent => {}
            None => output::say("  the drive does not answer at the moment: waiting for it"),
        }
        self.is_silent = log.is_none();
        nap(BETWEEN_LOOKS, interrupt);
        !interrupt.is_raised()
    }
}
