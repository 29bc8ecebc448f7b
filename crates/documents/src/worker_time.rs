//! What the threads that ask for I/O did with their processors.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What the kernel counted of the program's workers in a phase on a real drive (`schedstat`, and the time that a hypervisor
/// took), all in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WorkerTime {
    /// How long the workers were watched.
    pub watched_ns: u64,
    /// How long the busiest of them ran, or waited for a processor.
    pub busy_ns: u64,
    /// How long the one waited for a processor that waited most, though it could have run.
    pub waiting_ns: u64,
    /// The longest time that one waited within some ten milliseconds: a wait, or some that followed each other.
    pub longest_wait_ns: u64,
    /// What the hypervisor gave to others, of each processor on average.
    pub stolen_ns: u64,
}

/// The share of the time from which on waits for a processor are worth a word.
const WAITING_SHARE_MIN: f64 = 0.005;
/// The share of the time from which on a worker is so busy that it could hardly ask for more.
const BUSY_SHARE_MIN: f64 = 0.9;

impl WorkerTime {
    /// The share of the time in which a worker had no processor, 0 to 1: it waited for one, or the hypervisor had given it to
    /// others.
    pub fn without_processor(&self) -> f64 {
        self.share_of(self.waiting_ns.saturating_add(self.stolen_ns)).min(1.0)
    }

    /// The share of the time in which the busiest worker ran or waited for a processor, 0 to 1.
    pub fn busy_share(&self) -> f64 {
        self.share_of(self.busy_ns).min(1.0)
    }

    /// Whether what is measured may be the machine's: half a per cent of the time was spent without a processor.
    pub fn has_waited(&self) -> bool {
        self.without_processor() >= WAITING_SHARE_MIN
    }

    /// Whether the program could hardly ask for more, so that its rate is the limit of the processor.
    pub fn is_limit(&self) -> bool {
        self.busy_share() >= BUSY_SHARE_MIN
    }

    /// Whether an I/O that took this long may have waited for a processor, and not for the drive, where one usually takes
    /// `usual_ns`.
    pub fn may_explain(&self, took_ns: u64, usual_ns: u64) -> bool {
        self.has_waited() && took_ns <= longest_with_wait_ns(self.longest_wait_ns, usual_ns)
    }

    fn share_of(&self, nanos: u64) -> f64 {
        if self.watched_ns == 0 { 0.0 } else { nanos as f64 / self.watched_ns as f64 }
    }
}

/// The longest that an I/O may take that met a wait of `wait_ns` for a processor, where one usually takes `usual_ns`: the worker
/// may have lost its processor before it asked, and again before it saw the answer. What is counted of a wait lacks the time to
/// change from one program to the other: a tenth is allowed for that.
pub fn longest_with_wait_ns(wait_ns: u64, usual_ns: u64) -> u64 {
    wait_ns.saturating_add(wait_ns / 10).saturating_add(usual_ns.saturating_mul(2))
}

#[cfg(test)]
mod tests {
    use super::*;

    const WATCHED: WorkerTime = WorkerTime {
        watched_ns: 10_000_000_000,
        busy_ns: 0,
        waiting_ns: 0,
        longest_wait_ns: 15_000_000,
        stolen_ns: 0,
    };

    #[test]
    fn half_a_per_cent_is_worth_a_word() {
        assert!(!WorkerTime { waiting_ns: 49_000_000, ..WATCHED }.has_waited());
        assert!(WorkerTime { waiting_ns: 50_000_000, ..WATCHED }.has_waited());
        assert!(WorkerTime { stolen_ns: 30_000_000, waiting_ns: 20_000_000, ..WATCHED }.has_waited());
        assert!(!WorkerTime::default().has_waited() && !WorkerTime::default().is_limit());
    }

    #[test]
    fn what_took_longer_than_a_wait_and_itself_is_the_drives() {
        let waited = WorkerTime { waiting_ns: 750_000_000, ..WATCHED };
        assert!(waited.may_explain(14_800_000, 10_000) && waited.may_explain(16_520_000, 10_000));
        assert!(!waited.may_explain(16_521_000, 10_000));
        assert!(!WATCHED.may_explain(14_800_000, 10_000), "nothing waited");
    }

    #[test]
    fn a_worker_that_is_busy_for_nine_tenths_is_the_limit() {
        let busy = |busy_ns| WorkerTime { busy_ns, ..WATCHED }.is_limit();
        assert_eq!((busy(8_990_000_000), busy(9_000_000_000)), (false, true));
    }
}
