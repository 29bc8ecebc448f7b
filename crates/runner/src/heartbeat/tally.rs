//! What workers did with their processors, added up beat by beat.

use std::collections::BTreeMap;

use drivelab_block::Nanos;
use drivelab_documents::WorkerTime;
use drivelab_probe::Scheduled;

/// The sums since the last phase ended.
#[derive(Debug, Default)]
pub struct WorkerTallies {
    watched: Nanos,
    stolen: Nanos,
    /// The longest that a beat came late while the hypervisor took time, for another reason than waiting.
    longest_stolen: Nanos,
    /// By the numbers of their threads.
    workers: BTreeMap<u32, WorkerTally>,
}

#[derive(Debug, Default)]
struct WorkerTally {
    sum: Scheduled,
    longest_wait_ns: u64,
}

impl WorkerTallies {
    /// Adds what a worker did between two beats.
    pub fn add_worker(&mut self, thread: u32, since: Scheduled) {
        let worker = self.workers.entry(thread).or_default();
        worker.sum.ran_ns += since.ran_ns;
        worker.sum.waited_ns += since.waited_ns;
        worker.longest_wait_ns = worker.longest_wait_ns.max(since.waited_ns);
    }

    /// Adds the time between two beats in which there were workers.
    pub fn add_watched(&mut self, between: Nanos) {
        self.watched = self.watched + between;
    }

    /// Adds what the hypervisor took of each processor, and by how much a beat was late meanwhile.
    pub fn add_stolen(&mut self, stolen: Nanos, late: Nanos) {
        self.stolen = self.stolen + stolen;
        if stolen > Nanos::ZERO {
            self.longest_stolen = self.longest_stolen.max(late);
        }
    }

    /// Ends the sums, and begins new ones; none where no worker was seen.
    pub fn take(&mut self) -> Option<WorkerTime> {
        let WorkerTallies { watched, stolen, longest_stolen, workers } = std::mem::take(self);
        let most = |of: fn(&WorkerTally) -> u64| workers.values().map(of).max();
        Some(WorkerTime {
            watched_ns: watched.get(),
            busy_ns: most(|worker| worker.sum.ran_ns + worker.sum.waited_ns)?,
            waiting_ns: most(|worker| worker.sum.waited_ns)?,
            longest_wait_ns: most(|worker| worker.longest_wait_ns)?.max(longest_stolen.get()),
            stolen_ns: stolen.get(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_busiest_worker_and_the_one_that_waited_most_are_kept() {
        let mut tally = WorkerTallies::default();
        for _ in 0..100 {
            tally.add_watched(Nanos::from_millis(10));
            tally.add_worker(7, Scheduled { ran_ns: 9_000_000, waited_ns: 100_000 });
            tally.add_worker(8, Scheduled { ran_ns: 1_000_000, waited_ns: 2_000_000 });
        }
        tally.add_worker(8, Scheduled { ran_ns: 0, waited_ns: 15_000_000 });
        tally.add_stolen(Nanos::ZERO, Nanos::from_millis(30));
        let found = tally.take().expect("two workers");
        let expected = WorkerTime {
            watched_ns: 1_000_000_000,
            busy_ns: 910_000_000,
            waiting_ns: 215_000_000,
            longest_wait_ns: 15_000_000,
            stolen_ns: 0,
        };
        assert_eq!(found, expected, "a late beat is the hypervisor's only where it took time");
        assert_eq!(tally.take(), None, "a phase begins with nothing");
    }

    #[test]
    fn a_slice_of_the_hypervisor_is_a_wait() {
        let mut tally = WorkerTallies::default();
        tally.add_watched(Nanos::from_secs(1));
        tally.add_worker(7, Scheduled::default());
        tally.add_stolen(Nanos::from_millis(10), Nanos::from_millis(18));
        let found = tally.take().expect("a worker");
        assert_eq!((found.stolen_ns, found.longest_wait_ns), (10_000_000, 18_000_000));
    }
}
