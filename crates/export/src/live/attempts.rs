//! When a destination that failed is tried again, and what is news to the user.

use std::time::Duration;

const FIRST_PAUSE: Duration = Duration::from_secs(5);
/// The longest pause: the next five minutes bring something new to write anyway.
const LONGEST_PAUSE: Duration = Duration::from_secs(300);

/// The failures since the last success.
#[derive(Clone, Debug, Default)]
pub struct Attempts {
    failures: u32,
}

impl Attempts {
    /// Notes that something was written; whether that is news to the user, as it follows a failure.
    pub fn succeeded(&mut self) -> bool {
        std::mem::take(&mut self.failures) > 0
    }

    /// Notes that something could not be written; whether that is news to the user, as the first of several failures is.
    pub fn failed(&mut self) -> bool {
        self.failures = self.failures.saturating_add(1);
        self.failures == 1
    }

    /// How long to wait before the next attempt: twice as long after each failure, from 5 s to 5 min; 0 after a success.
    pub fn pause(&self) -> Duration {
        let doublings = self.failures.saturating_sub(1).min(16);
        let pause = FIRST_PAUSE.saturating_mul(1 << doublings).min(LONGEST_PAUSE);
        if self.failures == 0 { Duration::ZERO } else { pause }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_to_a_bound_and_an_outage_is_said_once_and_its_end_once() {
        let mut attempts = Attempts::default();
        assert_eq!((attempts.succeeded(), attempts.pause()), (false, Duration::ZERO));
        assert!(attempts.failed());
        let pauses: Vec<u64> = (0..8)
            .map(|_| {
                let pause = attempts.pause().as_secs();
                assert!(!attempts.failed());
                pause
            })
            .collect();
        assert_eq!(pauses, [5, 10, 20, 40, 80, 160, 300, 300]);
        assert!(attempts.succeeded());
        assert_eq!((attempts.succeeded(), attempts.pause()), (false, Duration::ZERO));
        attempts.failures = u32::MAX;
        assert!(!attempts.failed());
        assert_eq!(attempts.pause(), LONGEST_PAUSE);
    }
}
