//! What a test is a part of, such as a review of which it is a step.

use std::ops::Range;

use serde::{Deserialize, Serialize};

/// What a test is a part of, and which part of its time it takes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ParentProgress {
    /// Its name, such as `step 2 of 5`.
    pub name: String,
    /// From which share of the time of all to which the test goes, from 0 to 1; none where that time is not known.
    pub shares: Option<Range<f64>>,
}

impl ParentProgress {
    /// The same for one of several tests that follow each other, the one with this number, from 0.
    #[must_use]
    pub fn part(&self, number: usize, tests: usize) -> ParentProgress {
        let share = |all: &Range<f64>, ended: usize| {
            all.start + (all.end - all.start) * ended as f64 / tests.max(1) as f64
        };
        let shares = self.shares.as_ref().map(|all| share(all, number)..share(all, number + 1));
        ParentProgress { name: self.name.clone(), shares }
    }

    /// Its name, and how much of it is done where this share of the test is, from 0 to 1.
    pub(crate) fn in_words(&self, done: f64) -> String {
        let Some(shares) = &self.shares else { return self.name.clone() };
        let share = shares.start + (shares.end - shares.start) * done.clamp(0.0, 1.0);
        format!("{}, {:.0} % of all", self.name, (share.clamp(0.0, 1.0) * 1000.0).round().div_euclid(10.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_share_of_all_is_that_of_the_test_and_of_those_before_it() {
        let parent = ParentProgress { name: "step 2 of 3".to_owned(), shares: Some(0.2..0.6) };
        assert_eq!(parent.in_words(0.5), "step 2 of 3, 40 % of all");
        assert_eq!(parent.part(0, 2).in_words(0.5), "step 2 of 3, 30 % of all");
        assert_eq!(parent.part(1, 2).in_words(0.5), "step 2 of 3, 50 % of all");
        assert_eq!(parent.in_words(0.225), "step 2 of 3, 29 % of all", "0.29 is no sum of powers of two");
        assert_eq!(parent.in_words(7.0), "step 2 of 3, 60 % of all");
        assert_eq!(ParentProgress { shares: None, ..parent }.in_words(0.5), "step 2 of 3");
    }
}
