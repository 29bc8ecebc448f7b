//! Who watches a recording, what is shown to them, and when it is to end.

use std::sync::Arc;

use drivelab_block::{Instant, Nanos, RunLimit, Silence, SilenceLog};
use drivelab_uring::Clock;

use crate::kept::KeptTracker;
use crate::now::{Drops, RecordingNow};
use crate::ring::Pool;
use crate::source::Stop;
use crate::writer::{EndedWrite, Patience, TargetDisk, Writer};

/// How long the writer waits before it looks whether it is to end.
const PATIENCE: Nanos = Nanos::from_millis(50);

/// Who is told what is kept, and says when to end.
pub trait Observer {
    /// All frames of a channel up to this one, apart from those dropped, are kept.
    fn kept(&mut self, channel: usize, sequence: u64);
    /// A block of frames or of an index was written, without an error.
    fn written(&mut self, _write: EndedWrite) {}
    /// The drive has answered nothing for some seconds, or answers again, or what it has not answered is given up.
    fn silence(&mut self, _silence: &Silence) {}
    /// Whether the recording is to end now; asked many times a second, also while what it has is written at its end.
    fn is_to_end(&mut self, now: &RecordingNow<'_>) -> bool;
}

/// Why a recording ended.
#[derive(Debug)]
pub enum End {
    /// All sources have.
    Sources,
    /// What was asked for is recorded: the time, or the bytes.
    Asked,
    /// The observer wanted it.
    Told,
    /// The target is full.
    Full,
    /// A write failed.
    Failed(std::io::Error),
    /// The drive had answered nothing for minutes, and no time was to end it.
    Hung,
}

/// Who watches a recording, what is shown to them, and when it is to end.
pub(crate) struct WatchedRecording<'a> {
    pub observer: &'a mut dyn Observer,
    /// The rings of the channels.
    pub pools: &'a [Arc<Pool>],
    /// The frames of each channel that found no room.
    pub drops: &'a [Drops],
    pub block_bytes: u64,
    /// Where the writer tells of a drive that answers nothing.
    pub silences: SilenceLog,
    pub clock: Clock,
    /// How long it is to go on, where a time ends it.
    pub duration: Option<Nanos>,
    /// When that is over.
    pub deadline: Option<Instant>,
    /// Since when nothing more is to come: it was to end then, or its sources had ended.
    pub ended_at: Option<Instant>,
    /// Whether the observer has wanted the end.
    pub is_ended_by_user: bool,
}

impl Patience for WatchedRecording<'_> {
    fn limit(&mut self, now: Instant, kept: &KeptTracker) -> RunLimit {
        self.tell_silences();
        if self.is_to_end(kept) {
            self.ended_at.get_or_insert(now);
        }
        match (self.ended_at, self.deadline) {
            // The user's wish, too: what is in flight is a part of what is recorded, and a drive may take seconds for a flush.
            (Some(at), _) => RunLimit::Reached(at),
            (None, Some(at)) if now >= at => RunLimit::Reached(at),
            (None, Some(_)) => RunLimit::ToCome,
            (None, None) => RunLimit::NoTime,
        }
    }
}

impl<'a> WatchedRecording<'a> {
    /// Its time goes by from now on: what was written before was its beginning.
    pub fn begin(&mut self) {
        self.deadline = self.duration.map(|duration| self.clock.now() + duration);
    }

    /// Nothing more is to come from now on.
    pub fn end(&mut self) {
        self.ended_at.get_or_insert(self.clock.now());
    }

    /// How long the writer may wait before it looks again.
    pub fn patience(&self) -> Nanos {
        time_left(self.deadline.filter(|_| self.ended_at.is_none()), self.clock.now())
    }

    /// Why the recording is to end now, where it is.
    pub fn why_ends(&mut self, writer: &mut Writer<'_, impl TargetDisk>, stop: &Stop) -> Option<End> {
        if stop.is_raised() {
            // Nobody here raised it: the bytes that were asked for are there.
            return Some(End::Asked);
        }
        if self.is_to_end(&writer.kept) {
            return Some(End::Told);
        }
        if self.deadline.is_some_and(|at| self.clock.now() >= at) {
            return Some(End::Asked);
        }
        // Of a write that failed, the failure is said.
        writer.is_over().then_some(match self.ended_at {
            _ if writer.is_full => End::Full,
            Some(_) => End::Sources,
            None => End::Hung,
        })
    }

    /// Why a recording ends that has not begun, since its drive hangs.
    pub fn why_not_begun(&self) -> End {
        match self.deadline {
            _ if self.is_ended_by_user => End::Told,
            Some(_) => End::Asked,
            None => End::Hung,
        }
    }

    fn is_to_end(&mut self, kept: &KeptTracker) -> bool {
        let now = self.now(kept);
        self.is_ended_by_user |= self.observer.is_to_end(&now);
        self.is_ended_by_user
    }

    /// What is shown of it, of which this is kept.
    pub fn now<'b>(&self, kept: &'b KeptTracker) -> RecordingNow<'b>
    where
        'a: 'b,
    {
        let WatchedRecording { pools, drops, block_bytes, .. } = *self;
        RecordingNow { kept, pools, drops, block_bytes }
    }

    fn tell_silences(&mut self) {
        self.silences.take().iter().for_each(|silence| self.observer.silence(silence));
    }

    /// Tells what was written and kept since the last call.
    pub fn report(&mut self, writer: &mut Writer<'_, impl TargetDisk>) {
        self.tell_silences();
        writer.ended.drain(..).for_each(|write| self.observer.written(write));
        let kept = &mut writer.kept;
        for channel in kept.take_moved() {
            let number = usize::from(channel);
            if let Some(last) = kept.frontier(number).last {
                self.observer.kept(number, last);
            }
        }
    }
}

/// The time until a deadline, and no longer than the writer waits.
fn time_left(deadline: Option<Instant>, now: Instant) -> Nanos {
    deadline.map_or(PATIENCE, |at| at.since(now).min(PATIENCE))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recording_without_an_end_waits_before_it_looks_again() {
        for at in [None, Some(Instant::NEVER)] {
            assert_eq!(time_left(at, Clock::start().now()), PATIENCE);
        }
    }
}
