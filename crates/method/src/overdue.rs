//! An I/O that a drive leaves without an answer while it answers later ones.

use drivelab_block::{
    AWAY_FROM, Completion, Instant, Nanos, QueueId, SILENT_FROM, Silence, SilenceLog, SilenceOf,
};

/// How often the oldest I/O in flight is looked for.
const LOOK_INTERVAL: Nanos = Nanos::from_millis(500);
/// How much later an answered I/O must have been sent. A slow drive takes seconds for each of many that were sent at once, and
/// one that falls silent as a whole has in flight what was sent shortly before its last answer.
const SENT_LATER: Nanos = Nanos::from_secs(1);

/// Watches the oldest I/O of one worker.
#[derive(Debug)]
pub(crate) struct OverdueWatch {
    queue: QueueId,
    log: SilenceLog,
    looked_at: Instant,
    /// When the oldest I/O in flight was sent; none where nothing was in flight.
    sent_at: Option<Instant>,
    /// When the latest I/O was sent that was answered, as far as the last one of each batch shows it.
    answered_sent_at: Instant,
    /// How long the loop has watched it: what passed while the program stood still is no time of the drive.
    watched: Nanos,
    is_told: bool,
}

impl OverdueWatch {
    pub fn new(queue: QueueId, log: SilenceLog, now: Instant) -> OverdueWatch {
        OverdueWatch {
            queue,
            log,
            looked_at: now,
            sent_at: None,
            answered_sent_at: now,
            watched: Nanos::ZERO,
            is_told: false,
        }
    }

    /// Notes a batch of answers.
    #[inline]
    pub fn answered(&mut self, completions: &[Completion]) {
        if let Some(last) = completions.last() {
            self.answered_sent_at = self.answered_sent_at.max(last.submitted_at);
        }
    }

    /// Whether it is time to look again.
    #[inline]
    pub fn is_due(&self, now: Instant) -> bool {
        now.since(self.looked_at) >= LOOK_INTERVAL
    }

    /// Takes when the oldest I/O in flight was sent.
    #[cold]
    pub fn look(&mut self, now: Instant, sent_at: Option<Instant>) {
        if sent_at != self.sent_at {
            self.end(now);
            self.sent_at = sent_at;
            self.watched = Nanos::ZERO;
        }
        let since_look = now.since(self.looked_at.max(sent_at.unwrap_or(now)));
        if since_look <= AWAY_FROM {
            self.watched = self.watched + since_look;
        }
        self.looked_at = now;
        if let Some(since) = self.since()
            && !self.is_told
            && self.watched >= SILENT_FROM
        {
            self.is_told = true;
            self.tell(since, None);
        }
    }

    /// When the oldest I/O was sent, if one that was sent a second later or more was answered.
    pub fn since(&self) -> Option<Instant> {
        self.sent_at.filter(|sent_at| self.answered_sent_at.since(*sent_at) >= SENT_LATER)
    }

    /// How long the oldest I/O has been watched until the last look; zero unless later ones were answered meanwhile.
    pub fn length(&self) -> Nanos {
        self.since().map_or(Nanos::ZERO, |_| self.watched)
    }

    /// What was the oldest is in flight no more.
    fn end(&mut self, now: Instant) {
        if let Some(since) = self.sent_at
            && std::mem::take(&mut self.is_told)
        {
            self.tell(since, Some(now));
        }
    }

    fn tell(&self, since: Instant, until: Option<Instant>) {
        let (queue, watched) = (self.queue, self.watched);
        self.log.tell(Silence { queue, of: SilenceOf::OneIo, since, until, watched, outstanding: 1 });
    }
}

#[cfg(test)]
mod tests {
    use drivelab_block::{Extent, Op, PhaseId, Request, Sector, SectorCount, Status};

    use super::*;

    fn at(millis: u64) -> Instant {
        Instant::from_nanos(millis * 1_000_000)
    }

    fn watch() -> (OverdueWatch, SilenceLog) {
        let log = SilenceLog::new(1);
        (OverdueWatch::new(QueueId(3), log.clone(), at(0)), log)
    }

    /// An answer to an I/O that was sent at a moment.
    fn answer(sent: u64) -> Completion {
        let extent = Extent { start: Sector::new(0), length: SectorCount::new(8) };
        let (intended_at, queue, phase) = (at(sent), QueueId(3), PhaseId(0));
        let request = Request { op: Op::Read, extent, intended_at, queue, phase };
        request.completion(at(sent), at(sent + 1), Status::OK)
    }

    /// Looks twice a second between two moments, at an I/O that was sent at 1.2 s; later ones are answered all the time.
    fn look(watch: &mut OverdueWatch, from: u64, until: u64) {
        for half in from / 500..=until / 500 {
            assert!(watch.is_due(at(half * 500)));
            watch.answered(&[answer(half * 500 - 2)]);
            watch.look(at(half * 500), Some(at(1_200)));
        }
    }

    #[test]
    fn an_io_that_is_not_answered_is_told_once_and_when_it_was_answered() {
        let (mut watch, log) = watch();
        look(&mut watch, 1_500, 6_000);
        assert_eq!(log.take(), [], "it has waited for 4.8 s");
        look(&mut watch, 6_500, 9_000);
        watch.look(at(9_500), Some(at(9_400)));
        let silence = |until: Option<u64>, watched| Silence {
            queue: QueueId(3),
            of: SilenceOf::OneIo,
            since: at(1_200),
            until: until.map(at),
            watched: Nanos::from_millis(watched),
            outstanding: 1,
        };
        assert_eq!(log.take(), [silence(None, 5_300), silence(Some(9_500), 7_800)]);
    }

    #[test]
    fn a_drive_that_is_slow_or_silent_as_a_whole_is_none_that_lost_an_io() {
        let (mut watch, log) = watch();
        for half in 3..40 {
            // It answers what was sent about when the oldest one was.
            watch.answered(&[answer(1_300)]);
            watch.look(at(half * 500), Some(at(1_200)));
        }
        assert_eq!((log.take(), watch.length()), (Vec::new(), Nanos::ZERO));
    }

    #[test]
    fn what_passes_while_the_program_stands_still_is_no_time_of_the_drive() {
        let (mut watch, log) = watch();
        look(&mut watch, 1_500, 3_000);
        look(&mut watch, 33_000, 35_500);
        assert_eq!((log.take(), watch.length()), (Vec::new(), Nanos::from_millis(1_800 + 2_500)));
        look(&mut watch, 36_000, 36_500);
        assert_eq!(log.take().len(), 1);
    }
}
