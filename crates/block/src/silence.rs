//! How long a drive answers nothing that was asked of it, by a run's own I/Os, and when they are given up.

use std::sync::{Arc, Mutex, PoisonError};

use crate::{Instant, Nanos, QueueId};

/// From when on a drive that answers nothing is spoken of while the run goes on. The kernel gives a SATA or NVMe drive 30 s.
pub const SILENT_FROM: Nanos = Nanos::from_secs(5);
/// How long what is in flight is waited for at least at the end of a run, and at most after the user wants the end. A run whose
/// drive has been silent for [`SILENT_FROM`] by then ends two seconds after its limit at most; one whose drive falls silent
/// shortly before that ends when the silence is so long.
const END_GRACE: Nanos = Nanos::from_millis(1_500);
/// How long a drive may answer nothing if no time is what ends the run, before and after the last I/O is sent: the kernel gives
/// most drives up within three minutes, which is then an error that is measured as one.
const SILENCE_MAX: Nanos = Nanos::from_secs(300);
/// A drive that has made pauses in this run, and worked on, may make one at the end of its time that is twice as long as those,
/// up to this.
const PAUSE_MAX: Nanos = Nanos::from_secs(10);
/// A loop that was away from its drive for longer than this says nothing of that time: it looks ten times a second.
pub const AWAY_FROM: Nanos = Nanos::from_secs(1);
/// The most that the log holds until its reader comes, a thousand times a second.
const EVENTS_MAX: usize = 256;

/// What ends a run, or a phase of one, and whether it has: how long a silent drive is waited for depends on that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunLimit {
    /// A time that is to come: a drive that is silent until then is measured.
    ToCome,
    /// No time.
    NoTime,
    /// A time that has come at this moment.
    Reached(Instant),
    /// The user, at this moment.
    User(Instant),
}

/// I/Os that a drive had not answered when they were given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unanswered {
    /// How many.
    pub count: u64,
    /// The last answer before, or when the first of them was sent: where others were answered after that, too.
    pub since: Instant,
    /// When they were given up.
    pub given_up_at: Instant,
}

impl Unanswered {
    /// Those of two workers.
    #[must_use]
    pub fn join(self, other: Unanswered) -> Unanswered {
        Unanswered {
            count: self.count + other.count,
            since: self.since.min(other.since),
            given_up_at: self.given_up_at.max(other.given_up_at),
        }
    }
}

/// What was not answered in a silence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SilenceOf {
    /// All I/Os of the run, which has one worker.
    Drive,
    /// All I/Os of one of several workers; those of others may have been answered.
    Worker,
    /// An I/O, while others were answered that its worker had sent later.
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
    pub fn new(workers: u16) -> SilenceLog {
        SilenceLog { events: Arc::new(Mutex::new(Vec::with_capacity(EVENTS_MAX))), workers }
    }

    /// What is silent where one worker is.
    fn of_worker(&self) -> SilenceOf {
        if self.workers > 1 { SilenceOf::Worker } else { SilenceOf::Drive }
    }

    /// Tells that a silence has lasted for [`SILENT_FROM`], and again when it has ended. What does not fit is not told.
    pub fn tell(&self, silence: Silence) {
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
pub struct SilenceWatch {
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
    /// Nothing is in flight, and nothing was answered before.
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

    /// Whether what is in flight, of which there is some, is waited for no longer. `of_one` is how long one I/O has waited while
    /// later ones were answered.
    #[inline]
    pub fn is_over(&self, now: Instant, limit: RunLimit, of_one: Nanos) -> bool {
        let silent = self.length(now);
        let (is_silent, waited) = (silent >= END_GRACE, silent.max(of_one));
        match limit {
            RunLimit::ToCome => false,
            RunLimit::NoTime => is_silent && waited >= SILENCE_MAX,
            RunLimit::Reached(at) => {
                let pause = self.usual_pause();
                is_silent && now.since(at) >= END_GRACE && silent >= pause && waited >= pause.max(SILENT_FROM)
            }
            RunLimit::User(at) => is_silent && now.since(at) >= END_GRACE,
        }
    }

    /// A pause at the end of the time that is none of a drive that hangs: a slow one needs seconds for large blocks.
    fn usual_pause(&self) -> Nanos {
        (self.longest + self.longest).min(PAUSE_MAX)
    }

    /// What is in flight is given up.
    pub fn give_up(&self, now: Instant, outstanding: usize) -> Unanswered {
        self.tell(now, None, outstanding);
        Unanswered { count: outstanding as u64, since: self.since, given_up_at: now }
    }

    /// How long the drive has answered nothing, without the time in which the loop was away.
    fn length(&self, now: Instant) -> Nanos {
        now.since(self.since) - self.away
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

    /// What ends a run, of the moment at which it does.
    type MakeLimit = fn(Instant) -> RunLimit;

    fn at(millis: u64) -> Instant {
        Instant::from_nanos(millis * 1_000_000)
    }

    fn watch() -> (SilenceWatch, SilenceLog) {
        let log = SilenceLog::new(1);
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
        assert_eq!((log.take(), watch.longest), (Vec::new(), Nanos::from_millis(11_050)));
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

    /// The first tenth of a second, in milliseconds, in which a drive is given up that falls silent at one moment, after a pause
    /// of this length before.
    fn given_up_at(pause: u64, silent_from: u64, limit: impl Fn(u64) -> RunLimit) -> Option<u64> {
        let (mut watch, _) = watch();
        watch.begin(at(0));
        look(&mut watch, 0, pause, 1);
        watch.answered(at(pause), 1);
        watch.begin(at(silent_from));
        (silent_from / 100..6_000).map(|tenth| tenth * 100).find(|millis| {
            watch.look(at(*millis), 1);
            watch.is_over(at(*millis), limit(*millis), Nanos::ZERO)
        })
    }

    #[test]
    fn a_silent_drive_is_given_up_soon_after_the_end_and_a_slow_one_is_not() {
        let ends_at = |end: u64, over: MakeLimit| {
            move |now: u64| if now < end { RunLimit::ToCome } else { over(at(end)) }
        };
        let (time, user): (MakeLimit, MakeLimit) = (RunLimit::Reached, RunLimit::User);
        // The pause before, the beginning of the silence, the end, and when the drive is given up.
        for (pause, silent_from, end, over, given_up) in [
            (0, 20_000, 60_000, time, 61_500),
            (0, 20_000, 60_000, user, 61_500),
            (0, 58_000, 60_000, time, 63_000),
            (0, 58_000, 60_000, user, 61_500),
            (0, 60_500, 60_000, user, 62_000),
            (4_000, 58_000, 60_000, time, 66_000),
            (9_000, 58_000, 60_000, time, 68_000),
            (9_000, 58_000, 60_000, user, 61_500),
        ] {
            let what = format!("silent from {silent_from} ms on, after a pause of {pause} ms");
            assert_eq!(
                given_up_at(pause, silent_from, ends_at(end, over)),
                Some(given_up),
                "{what}, {end} ms"
            );
        }
        assert_eq!(given_up_at(0, 1_000, |_| RunLimit::ToCome), None, "it is measured");
        assert_eq!(given_up_at(0, 1_000, |_| RunLimit::NoTime), Some(301_000));
    }
}
