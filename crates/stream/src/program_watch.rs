//! Whether the program ran, which it has to for what it measures to be the drive's.

use std::fmt;

use drivelab_block::{Instant, Nanos};

/// Spans that wait to be judged, at most; of more the longest are kept. They are judged some hundredths of a second later.
const PENDING_MAX: usize = 256;

/// Tells when the program did not run: it was stopped, or its machine was suspended or paused.
pub trait ProgramWatch: fmt::Debug + Sync {
    /// Up to when all is known, on the clock of the recording.
    fn known_until(&self) -> Instant;

    /// How long the program stood still between two moments, as far as that is known.
    fn stood_still(&self, from: Instant, until: Instant) -> Nanos;

    /// Waits until all is known up to now. Asked at the end alone: nothing that moves frames waits for this.
    fn look_now(&self);
}

/// The longest of some times, each less what the program stood still in it.
#[derive(Debug)]
pub(crate) struct LongestTimes<'a> {
    program: &'a dyn ProgramWatch,
    time: Nanos,
    /// What may be longer, once it is known how long the program stood still in it.
    pending: Vec<(Instant, Instant)>,
}

impl<'a> LongestTimes<'a> {
    /// None so far.
    pub fn new(program: &'a dyn ProgramWatch) -> LongestTimes<'a> {
        LongestTimes { program, time: Nanos::ZERO, pending: Vec::new() }
    }

    /// Notes a time that has passed.
    pub fn note(&mut self, from: Instant, until: Instant) {
        if until.since(from) <= self.time {
            return;
        }
        self.judge(self.program.known_until());
        if self.pending.len() == PENDING_MAX {
            let length = |place: &usize| self.pending[*place].1.since(self.pending[*place].0);
            if let Some(shortest) = (0..PENDING_MAX).min_by_key(length) {
                self.pending.swap_remove(shortest);
            }
        }
        self.pending.push((from, until));
    }

    /// The longest, at the end.
    pub fn at_the_end(&mut self) -> Nanos {
        if !self.pending.is_empty() {
            self.program.look_now();
            self.judge(Instant::NEVER);
        }
        self.time
    }

    fn judge(&mut self, known_until: Instant) {
        let (program, time) = (self.program, &mut self.time);
        self.pending.retain(|(from, until)| {
            let is_known = *until <= known_until;
            if is_known {
                *time = (*time).max(until.since(*from) - program.stood_still(*from, *until));
            }
            !is_known
        });
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    fn at(millis: u64) -> Instant {
        Instant::from_nanos(millis * 1_000_000)
    }

    /// Stood still from 100 ms to 140 ms, and knows all up to a moment.
    #[derive(Debug)]
    struct Once(Mutex<Instant>);

    impl ProgramWatch for Once {
        fn known_until(&self) -> Instant {
            *self.0.lock().expect("a moment")
        }

        fn stood_still(&self, from: Instant, until: Instant) -> Nanos {
            until.min(at(140)).since(from.max(at(100)))
        }

        fn look_now(&self) {
            *self.0.lock().expect("a moment") = Instant::NEVER;
        }
    }

    #[test]
    fn the_time_in_which_the_program_stood_still_is_none_of_the_drives() {
        let program = Once(Mutex::new(at(0)));
        let mut longest = LongestTimes::new(&program);
        for (from, until) in [(0, 30), (90, 150), (200, 210)] {
            longest.note(at(from), at(until));
        }
        assert_eq!(longest.at_the_end(), Nanos::from_millis(30), "of 60 ms it stood still 40 ms");
        longest.note(at(80), at(160));
        assert_eq!(
            longest.at_the_end(),
            Nanos::from_millis(40),
            "a pause of the drive is not lost in a stop"
        );
    }

    #[test]
    fn what_is_known_is_judged_on_the_way_and_many_are_no_burden() {
        let program = Once(Mutex::new(at(0)));
        let mut longest = LongestTimes::new(&program);
        for millis in 1..2_000 {
            longest.note(at(1_000), at(1_000 + millis));
        }
        assert_eq!(longest.pending.len(), PENDING_MAX);
        *program.0.lock().expect("a moment") = at(3_000);
        longest.note(at(1_000), at(3_500));
        assert_eq!((longest.time, longest.pending.len()), (Nanos::from_millis(1_999), 1));
        assert_eq!(longest.at_the_end(), Nanos::from_millis(2_500));
    }
}
