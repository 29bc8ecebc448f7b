//! What a command is a part of, such as a review of which it is a step.

use std::ops::Range;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// What the command is a part of, where it is one.
static WHOLE: OnceLock<Whole> = OnceLock::new();

/// What a command is a part of, and which part of its time it takes.
#[derive(Debug)]
pub struct Whole {
    name: String,
    /// From which share of the whole to which the command goes, from 0 to 1; none where the time of the whole is not known.
    shares: Option<Range<f64>>,
    /// How many tests the command runs one after the other, and how many of these have ended.
    tests: AtomicU64,
    ended: AtomicU64,
    /// The highest share until now, in thousandths: what is shown never goes back.
    highest: AtomicU64,
}

impl Whole {
    /// A whole of this name, such as `step 2 of 5`; `shares` says from which share of its time to which the command goes.
    pub fn new(name: String, shares: Option<Range<f64>>) -> Whole {
        let [tests, ended, highest] = [1, 0, 0].map(AtomicU64::new);
        Whole { name, shares, tests, ended, highest }
    }

    /// Its name, and how much of it is done where `done` of the test under way is, from 0 to 1.
    pub(crate) fn in_words(&self, done: f64) -> String {
        let Some(shares) = &self.shares else { return self.name.clone() };
        let of_command = (self.ended.load(Ordering::Relaxed) as f64 + done.clamp(0.0, 1.0))
            / self.tests.load(Ordering::Relaxed).max(1) as f64;
        let share = shares.start + (shares.end - shares.start) * of_command.clamp(0.0, 1.0);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and 1000")]
        let thousandths = (share.clamp(0.0, 1.0) * 1e3) as u64;
        let highest = self.highest.fetch_max(thousandths, Ordering::Relaxed).max(thousandths);
        format!("{}, {} % of all", self.name, highest / 10)
    }
}

/// Has lines of progress begin with what the command is a part of.
pub fn set_whole(whole: Whole) {
    let _ = WHOLE.set(whole);
}

/// What the command is a part of.
pub(crate) fn whole() -> Option<&'static Whole> {
    WHOLE.get()
}

/// Notes how many tests the command runs, and how many of them have ended.
pub(crate) fn note_tests(ended: usize, tests: usize) {
    if let Some(whole) = whole() {
        whole.tests.store(tests as u64, Ordering::Relaxed);
        whole.ended.store(ended as u64, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_share_of_the_whole_is_that_of_its_tests_and_never_goes_back() {
        let whole = Whole::new("step 2 of 3".to_owned(), Some(0.2..0.6));
        assert_eq!(whole.in_words(0.5), "step 2 of 3, 40 % of all");
        whole.tests.store(2, Ordering::Relaxed);
        assert_eq!(whole.in_words(0.0), "step 2 of 3, 40 % of all");
        whole.ended.store(1, Ordering::Relaxed);
        assert_eq!(whole.in_words(0.5), "step 2 of 3, 50 % of all");
        assert_eq!(whole.in_words(7.0), "step 2 of 3, 60 % of all");
        assert_eq!(Whole::new("step 1 of 3".to_owned(), None).in_words(0.5), "step 1 of 3");
    }
}
