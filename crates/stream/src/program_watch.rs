//! Whether the program ran, which it has to for what it measures to be the drive's.

use std::fmt;

use drivelab_block::{Instant, Nanos};

/// A shorter time is not asked for: what stands still for less goes unnoticed.
const ASKED_FROM: Nanos = Nanos::from_millis(10);

/// Tells when the program did not run: it was stopped, or its machine was suspended or paused.
pub trait ProgramWatch: fmt::Debug + Sync {
    /// Whether the program stood still at any moment between these two, which have passed, on the clock of the recording.
    fn stood_still(&self, from: Instant, until: Instant) -> bool;
}

/// Notes a time where it is the longest so far and the program ran during all of it.
pub(crate) fn note_longest(
    longest: &mut Nanos,
    (from, until): (Instant, Instant),
    program: &dyn ProgramWatch,
) {
    let time = until.since(from);
    if time > *longest && !(time >= ASKED_FROM && program.stood_still(from, until)) {
        *longest = time;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Stood still for a moment at 100 ms.
    #[derive(Debug)]
    struct Once;

    impl ProgramWatch for Once {
        fn stood_still(&self, from: Instant, until: Instant) -> bool {
            (from.as_nanos()..until.as_nanos()).contains(&100_000_000)
        }
    }

    #[test]
    fn a_time_in_which_the_program_stood_still_is_none_of_the_drive() {
        let at = |millis: u64| Instant::from_nanos(millis * 1_000_000);
        let mut longest = Nanos::ZERO;
        let mut after = |from, until| {
            note_longest(&mut longest, (at(from), at(until)), &Once);
            longest
        };
        assert_eq!(after(0, 40), Nanos::from_millis(40));
        assert_eq!(after(50, 150), Nanos::from_millis(40), "the program was stopped meanwhile");
        assert_eq!(after(150, 180), Nanos::from_millis(40), "a shorter one");
        assert_eq!(after(150, 220), Nanos::from_millis(70));
    }
}
