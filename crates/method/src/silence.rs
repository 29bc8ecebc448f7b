//! How long a drive answers nothing that was asked of it, by the run's own I/Os.

use std::sync::{Arc, Mutex, PoisonError};

use drivelab_block::{Instant, Nanos, QueueId};

/// From when on a drive that answers nothing is spoken of while the run goes on. The kernel gives a SATA or NVMe drive 30 s.
pub const SILENT_FROM: Nanos = Nanos::from_secs(5);
/// A loop that was away from its drive for longer than this says nothing of that time: it looks ten times a second.
pub(crate) const AWAY_FROM: Nanos = Nanos::from_secs(1);
/// The most that the log holds until its reader comes, a thousand times a second.
const EVENTS_MAX: usize = 256;

/// What was not answered in a silence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SilenceOf {
    /// All I/Os of the run, which has one worker.
    Drive,
    /// All I/Os of one of several workers; those of others may have been answered.
    Worker,
    /// An I/O, while others of its worker were answered.
    OneIo,
}

/// A time in which a drive did not answer what a worker had asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Silence {
    /// The worker's queue.
    pub queue: QueueId,
    /// What was not answered.
    pub of: SilenceOf,
    /// The last answer before it, or when the first of its I/Os was sent.
    pub since: Instant,
    /// When the drive answered again; none as long as it has not.
    pub until: Option<Instant>,
    /// How much of it the worker has watched; the rest is a standstill of the program.
    pub watched: Nanos,
    /// How many I/Os were not answered.
    pub outstanding: u32,
}

/// The silences of the workers of a phase, on their way to the thread that keeps the records. Nothing is allocated after it was
/// made, and it is locked only when a silence begins or ends.
#[derive(Clone, Debug)]
pub struct SilenceLog {
    events: Arc<Mutex<Vec<Silence>>>,
    workers: u16,
}

impl SilenceLog {
    /// An empty log of a phase with so many workers.
    pub fn of(workers: u16) -> SilenceLog {
        SilenceLog { events: Arc::new(Mutex::new(Vec::with_capacity(EVENTS_MAX))), workers }
    }

    /// What is silent where one worker is.
    fn of_worker(&self) -> SilenceOf {
        if self.workers > 1 { SilenceOf::Worker } else { SilenceOf::Drive }
    }

    /// Tells that a silence has lasted for [`SILENT_FROM`], and again when it has ended. What does not fit is not told.
    pub(crate) fn tell(&self, silence: Silence) {
        let mut events = self.events.lock().unwrap_or_else(PoisonError::into_inner);
        if events.len() < EVENTS_MAX {
            events.push(silence);
        }
    }

    /// What was told since the last call, in that order.
    pub fn take(&self) -> Vec<Silence> {
        let mut events = self.events.lock().unwrap_or_else(PoisonError::into_inner);
        events.drain(..).collect()
    }
}

/// What one worker sees.
#[derive(Debug)]
pub(crate) struct SilenceWatch {
    queue: QueueId,
    log: SilenceLog,
    /// The last answer, or when the first of the I/Os in flight was sent.
    since: Instant,
    looked_at: Instant,
    /// How long the loop was away since then.
    away: Nanos,
    /// The longest that the drive was silent before.
    longest: Nanos,
    is_told: bool,
}

impl SilenceWatch {
    pub fn new(queue: QueueId, log: SilenceLog, now: Instant) -> SilenceWatch {
        SilenceWatch {
            queue,
            log,
            since: now,
            looked_at: now,
            away: Nanos::ZERO,
            longest: Nanos::ZERO,
            is_told: false,
        }
    }

    /// An I/O is sent while none is in flight.
    #[inline]
    pub fn begin(&mut self, now: Instant) {
        self.since = now;
        self.away = Nanos::ZERO;
    }

    /// The drive has answered; `outstanding` I/Os were in flight.
    #[inline]
    pub fn answered(&mut self, now: Instant, outstanding: usize) {
        if self.is_told || now.since(self.since) > self.longest {
            self.end(now, outstanding);
        }
        self.since = now;
        self.looked_at = now;
        self.away = Nanos::ZERO;
    }

    /// The end of a silence that was told, or is the longest so far.
    #[cold]
    fn end(&mut self, now: Instant, outstanding: usize) {
        self.look(now, outstanding);
        self.longest = self.longest.max(self.length(now));
        if std::mem::take(&mut self.is_told) {
            self.tell(now, Some(now), outstanding);
        }
    }

    /// Nothing was answered; `outstanding` I/Os are in flight.
    #[cold]
    pub fn look(&mut self, now: Instant, outstanding: usize) {
        let since_look = now.since(self.looked_at.max(self.since));
        if since_look > AWAY_FROM {
            self.away = self.away + since_look;
        }
        self.looked_at = now;
        if !self.is_told && outstanding > 0 && self.length(now) >= SILENT_FROM {
            self.is_told = true;
            self.tell(now, None, outstanding);
        }
    }

    /// How long the drive has answered nothing, without the time in which the loop was away.
    pub fn length(&self, now: Instant) -> Nanos {
        now.since(self.since) - self.away
    }

    /// The last answer, or when the first of the I/Os in flight was sent.
    pub fn since(&self) -> Instant {
        self.since
    }

    /// The longest that the drive was silent, and answered again.
    pub fn longest(&self) -> Nanos {
        self.longest
    }

    /// What is in flight is given up.
    pub fn give_up(&self, now: Instant, outstanding: usize) {
        self.tell(now, None, outstanding);
    }

    fn tell(&self, now: Instant, until: Option<Instant>, outstanding: usize) {
        let outstanding = u32::try_from(outstanding).unwrap_or(u32::MAX);
        let (queue, since, watched) = (self.queue, self.since, self.length(now));
        let of = self.log.of_worker();
        self.log.tell(Silence { queue, of, since, until, watched, outstanding });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(millis: u64) -> Instant {
        Instant::from_nanos(millis * 1_000_000)
    }

    fn watch() -> (SilenceWatch, SilenceLog) {
        let log = SilenceLog::of(1);
        (SilenceWatch::new(QueueId(3), log.clone(), at(0)), log)
    }

    /// Looks ten times a second, between two moments.
    fn look(watch: &mut SilenceWatch, from: u64, until: u64, outstanding: usize) {
        (from / 100..=until / 100).for_each(|tenth| watch.look(at(tenth * 100), outstanding));
    }

    #[test]
    fn a_drive_that_hangs_is_told_once_and_when_it_answers_again() {
        let (mut watch, log) = watch();
        watch.begin(at(1_000));
        look(&mut watch, 1_000, 12_000, 4);
        watch.answered(at(12_050), 4);
        look(&mut watch, 12_100, 17_000, 4);
        watch.answered(at(17_010), 4);
        look(&mut watch, 17_100, 23_000, 2);
        watch.answered(at(23_010), 2);
        let silence = |since, until: Option<u64>, watched, outstanding| Silence {
            queue: QueueId(3),
            of: SilenceOf::Drive,
            since: at(since),
            until: until.map(at),
            watched: Nanos::from_millis(watched),
            outstanding,
        };
        let expected = [
            silence(1_000, None, 5_000, 4),
            silence(1_000, Some(12_050), 11_050, 4),
            // Between them one of 4,960 ms is too short.
            silence(17_010, None, 5_090, 2),
            silence(17_010, Some(23_010), 6_000, 2),
        ];
        assert_eq!(log.take(), expected);
        assert_eq!((log.take(), watch.longest()), (Vec::new(), Nanos::from_millis(11_050)));
    }

    #[test]
    fn what_nothing_was_asked_in_is_no_silence_and_what_was_not_watched_is_none_of_it() {
        let (mut watch, log) = watch();
        look(&mut watch, 0, 60_000, 0);
        assert_eq!(log.take(), []);
        watch.begin(at(60_000));
        look(&mut watch, 60_000, 63_000, 1);
        // The program is stopped for ten seconds.
        look(&mut watch, 73_000, 74_900, 1);
        assert_eq!(log.take(), [], "it was watched for 4.9 s");
        watch.look(at(75_000), 1);
        let told = log.take();
        assert_eq!(told.iter().map(|one| one.watched).collect::<Vec<_>>(), [Nanos::from_secs(5)]);
        watch.answered(at(80_000), 1);
        assert_eq!(log.take()[0].watched, Nanos::from_secs(5), "it was stopped once more");
    }
}
