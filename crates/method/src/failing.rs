//! Whether a drive still does anything: one that was pulled answers every request at once, with an error.

use drivelab_block::{Completion, Instant, Nanos};

/// A drive of which every I/O fails for so long is gone, or as good as gone: nothing more is asked of it.
const FAILING_MAX: Nanos = Nanos::from_secs(3);
/// How many I/Os in a row have to fail before that counts.
const FAILED_IN_A_ROW: u64 = 32;
/// How many have to fail in a row before a closed loop asks more slowly. Of a drive that fails 99 of 100 I/Os wherever they fall,
/// so many in a row do not fail by chance: its rate is to be its own.
const FAILED_BEFORE_PAUSE: u64 = 1_000;
/// How long a closed loop waits between two requests to a drive that fails everything: a drive that is gone answers at once, and
/// would fill the records with millions of failures. A schedule asks for no more than its rate, and is kept: what a pause adds
/// to response times would be this program's own.
const FAILING_PAUSE: Nanos = Nanos::from_millis(10);

/// The failures in a row that a loop has seen.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Failing {
    in_a_row: u64,
    since: Option<Instant>,
    /// When the next request without a due time may be sent; in the past where the drive works.
    pub paused_until: Instant,
    /// Whether everything failed for so long that nothing more is to be asked.
    pub is_given_up: bool,
}

impl Failing {
    /// Takes what was completed by `now`.
    #[inline]
    pub(crate) fn answered(&mut self, completions: &[Completion], now: Instant) {
        if completions.is_empty() || self.is_given_up {
            return;
        }
        // The first one of a drive that works is well, and no other is looked at.
        if completions.iter().any(|completion| completion.status.is_ok()) {
            *self = Failing::default();
            return;
        }
        self.in_a_row += completions.len() as u64;
        let since = *self.since.get_or_insert(now);
        if self.in_a_row >= FAILED_BEFORE_PAUSE {
            self.paused_until = now + FAILING_PAUSE;
        }
        self.is_given_up = self.in_a_row >= FAILED_IN_A_ROW && now.since(since) >= FAILING_MAX;
    }

    /// When the first of those failures was seen, where the drive is given up.
    pub(crate) fn given_up_since(&self) -> Option<Instant> {
        self.since.filter(|_| self.is_given_up)
    }
}

#[cfg(test)]
mod tests {
    use drivelab_block::{Extent, Op, PhaseId, QueueId, Sector, SectorCount, Status};

    use super::*;

    fn completion(status: Status) -> Completion {
        let extent = Extent { start: Sector::new(0), length: SectorCount::new(8) };
        let (at, queue, phase) = (Instant::ORIGIN, QueueId(0), PhaseId(0));
        let (intended_at, submitted_at, completed_at) = (at, at, at);
        Completion {
            intended_at,
            submitted_at,
            issued_at: None,
            completed_at,
            extent,
            status,
            queue,
            op: Op::Read,
            phase,
        }
    }

    fn seconds(count: u64) -> Instant {
        Instant::ORIGIN + Nanos::from_secs(count)
    }

    #[test]
    fn a_drive_is_given_up_after_three_seconds_of_failures_only() {
        let failed = [completion(Status::errno(5)); 20];
        let mut failing = Failing::default();
        failing.answered(&failed, seconds(1));
        failing.answered(&failed, seconds(2));
        assert!(!failing.is_given_up);
        failing.answered(&failed, seconds(4));
        assert_eq!(failing.given_up_since(), Some(seconds(1)));
    }

    #[test]
    fn a_drive_is_asked_more_slowly_after_a_thousand_failures_in_a_row() {
        let failed = vec![completion(Status::errno(5)); 333];
        let mut failing = Failing::default();
        (0..3).for_each(|_| failing.answered(&failed, seconds(1)));
        assert!(failing.paused_until < seconds(1), "a drive may fail 999 by chance");
        failing.answered(&failed[..1], seconds(1));
        assert!(failing.paused_until > seconds(1) && !failing.is_given_up);
        failing.answered(&[completion(Status::OK)], seconds(2));
        assert!(failing.paused_until < seconds(1));
    }

    #[test]
    fn one_success_among_failures_keeps_a_drive() {
        let mut failing = Failing::default();
        for second in 0..60 {
            let mut some = [completion(Status::errno(5)); 40];
            // The last I/O of every second second does well.
            some[39].status = if second % 2 == 0 { Status::OK } else { Status::errno(5) };
            failing.answered(&some, seconds(second));
        }
        assert!(!failing.is_given_up && failing.given_up_since().is_none());
    }

    #[test]
    fn few_failures_that_take_long_are_waited_for() {
        let mut failing = Failing::default();
        for second in 0..31 {
            failing.answered(&[completion(Status::errno(61))], seconds(second * 30));
        }
        assert!(!failing.is_given_up);
    }
}
