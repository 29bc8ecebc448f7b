//! A drive that hangs: how long it answers nothing, and when what it has is given up.

use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

use drivelab_block::{Instant, Nanos, RunLimit, Unanswered};

use super::{TargetDisk, Writer};
use crate::kept::KeptTracker;
use crate::ring::Sealed;

/// Who is asked whenever a drive was waited for.
pub trait Patience {
    /// What ends the recording, of which this is kept now.
    fn limit(&mut self, now: Instant, kept: &KeptTracker) -> RunLimit;
}

impl<D: TargetDisk> Writer<'_, D> {
    /// What the drive had not answered when it was given up: the log ends there.
    pub fn unanswered(&self) -> Option<Unanswered> {
        self.unanswered
    }

    /// Something is about to be sent.
    pub(super) fn sends(&mut self) {
        if self.disk.in_flight() == 0 {
            self.silence.begin(self.clock.now());
        }
    }

    /// Notes what a wait has come to: how many operations were in flight, and whether any of them has ended.
    pub(super) fn has_waited(&mut self, now: Instant, in_flight: usize, has_answered: bool) {
        if has_answered {
            self.silence.answered(now, in_flight);
        } else {
            self.silence.look(now, in_flight);
        }
    }

    /// Waits for what the sources still deliver, which is not written any more; whether there may be more to come.
    pub(super) fn wait_for_sources(&mut self, queue: &Receiver<Sealed>, patience: Nanos) -> bool {
        match queue.recv_timeout(Duration::from_nanos(patience.get())) {
            Ok(Sealed { channel, buffer, .. }) => self.give_back(usize::from(channel), buffer),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return false,
        }
        true
    }

    /// Gives up what is in flight, where the drive is waited for no longer.
    pub(super) fn give_up_when_over(&mut self, now: Instant, limit: RunLimit) {
        let limit = match limit {
            // All that was in flight at the end is answered. What closes the log, a flush foremost, may take a drive long that is
            // well, and no time ends it.
            RunLimit::Reached(_) | RunLimit::User(_) if self.is_closing => RunLimit::NoTime,
            limit => limit,
        };
        let in_flight = self.disk.in_flight();
        if in_flight == 0 || !self.silence.is_over(now, limit, Nanos::ZERO) {
            return;
        }
        self.unanswered = Some(self.silence.give_up(now, in_flight));
        self.disk.give_up();
        self.figures.busy = self.first_sent.map_or(Nanos::ZERO, |first| now.since(first));
        for sent in self.sent.drain(..) {
            self.longest_write.note(sent.at, now);
            self.figures.blocks -= 1;
            self.figures.written_bytes -= sent.bytes;
        }
    }
}
