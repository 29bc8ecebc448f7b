//! Whether the program itself runs: a thread that wakes a hundred times a second, and finds out where it or a worker could not.
//!
//! What stops the whole process (SIGSTOP, a frozen control group, a suspended machine, a paused virtual machine) stops this
//! thread too: it wakes late. Where it only waited for a processor, the kernel counts that time (`schedstat`), and nothing is
//! said of the workers; of these the same counter says how long each had to wait.

mod beat;
mod tally;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use drivelab_block::{Instant, Nanos, QueueId};
use drivelab_documents::WorkerTime;
use drivelab_method::StandstillWatch;
use drivelab_probe::{Roots, RunDelay, Scheduled, online_processors, processor_time, threads};
use drivelab_stats::{Standstill, Standstills};
use drivelab_stream::ProgramWatch;
use drivelab_uring::Clock;
use rustix::time::ClockId;

use crate::conditions::nanos_of;
use crate::marks::{Mark, Marks};
use beat::{Beat, EVERY};
use tally::WorkerTallies;

/// How many beats lie between two looks at the list of threads and at the time that the hypervisor took.
const LOOK_EVERY: u32 = 10;
/// How the threads of workers are called, before their number.
const WORKER: &str = "worker-";
/// The kernel counts stolen time in hundredths of a second.
const TICK: Nanos = Nanos::from_millis(10);

/// The thread that beats, of which every clone is a handle. It ends when these and all its readers are gone.
#[derive(Clone, Debug)]
pub struct Heartbeat {
    shared: Arc<HeartbeatShared>,
    marks: Marks,
}

/// What is known so far.
#[derive(Debug, Default)]
struct HeartbeatShared {
    found: Mutex<Vec<Standstill>>,
    /// Up to when, in nanoseconds of the run's clock; written after what was found.
    known_until: AtomicU64,
    /// What workers did with their processors since the last phase ended.
    tally: Mutex<WorkerTallies>,
    /// Whether the next beat looks at the time that the hypervisor took.
    ends_phase: AtomicBool,
}

impl Heartbeat {
    /// Begins to watch, on the clock of the completions.
    ///
    /// # Errors
    /// Where no thread can be started.
    pub fn start(clock: Clock) -> std::io::Result<Heartbeat> {
        let shared: Arc<HeartbeatShared> = Arc::default();
        let (marks, marked) = Marks::new();
        let thread = Thread { shared: Arc::clone(&shared), clock, workers: Vec::new() };
        std::thread::Builder::new().name("heartbeat".to_owned()).spawn(move || thread.live(&marked))?;
        Ok(Heartbeat { shared, marks })
    }

    /// What workers did with their processors since this was asked last, which is at the end of a phase; none where none was
    /// seen.
    pub fn take_worker_time(&self) -> Option<WorkerTime> {
        self.shared.ends_phase.store(true, Ordering::Release);
        self.marks.ask();
        self.shared.tally().take()
    }

    /// What a recorder asks; it learns what is found from now on.
    pub fn reader(&self) -> HeartbeatReader {
        HeartbeatReader { heartbeat: self.clone(), seen: self.shared.found().len() }
    }

    /// When the program stood still between two moments that have passed.
    pub fn standstills(&self, from: Instant, until: Instant) -> Vec<Standstill> {
        self.marks.ask();
        let found = self.shared.found();
        found.iter().filter(|one| one.from < until && from < one.until).copied().collect()
    }
}

/// What a recording of a stream asks: it keeps no list of its I/Os.
impl ProgramWatch for Heartbeat {
    fn known_until(&self) -> Instant {
        self.shared.known_until()
    }

    fn stood_still(&self, from: Instant, until: Instant) -> Nanos {
        let found = self.shared.found();
        let of_program: Standstills = found.iter().filter(|one| one.queue.is_none()).copied().collect();
        of_program.covered(from, until)
    }

    fn look_now(&self) {
        self.marks.ask();
    }
}

impl HeartbeatShared {
    fn known_until(&self) -> Instant {
        Instant::from_nanos(self.known_until.load(Ordering::Acquire))
    }

    fn found(&self) -> std::sync::MutexGuard<'_, Vec<Standstill>> {
        self.found.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tally(&self) -> std::sync::MutexGuard<'_, WorkerTallies> {
        self.tally.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tell(&self, found: Vec<Standstill>, until: Instant) {
        self.found().extend(found);
        self.known_until.store(until.as_nanos(), Ordering::Release);
    }
}

/// The recorder's end of a heartbeat.
pub struct HeartbeatReader {
    heartbeat: Heartbeat,
    seen: usize,
}

impl StandstillWatch for HeartbeatReader {
    fn known_until(&self) -> Instant {
        self.heartbeat.shared.known_until()
    }

    fn take(&mut self) -> Vec<Standstill> {
        let found = self.heartbeat.shared.found();
        let new = found[self.seen..].to_vec();
        self.seen = found.len();
        new
    }

    fn wait_for(&mut self, moment: Instant) {
        if self.known_until() < moment {
            self.heartbeat.marks.ask();
        }
    }
}

struct Worker {
    thread: u32,
    queue: QueueId,
    delay: RunDelay,
    /// What it had done at the last beat; none where it was found since.
    before: Option<Scheduled>,
}

struct Thread {
    shared: Arc<HeartbeatShared>,
    clock: Clock,
    workers: Vec<Worker>,
}

impl Thread {
    fn live(mut self, marked: &Receiver<Mark>) {
        let own_delay = RunDelay::of_this_thread(&Roots::live());
        let now = |clock: &Clock| Beat {
            at: clock.now(),
            asleep: asleep(),
            waited: own_delay.as_ref().and_then(RunDelay::nanos),
        };
        let (mut before, mut stolen) = (now(&self.clock), stolen());
        let processors = online_processors(&Roots::live());
        let mut latest = Nanos::ZERO;
        for beats in (0..LOOK_EVERY).cycle() {
            let due = before.at + EVERY;
            let asked = marked.recv_timeout(Duration::from_nanos(due.since(self.clock.now()).get()));
            let beat = now(&self.clock);
            let taken = || self::stolen() - stolen;
            let mut found: Vec<Standstill> = beat::of_program(&before, &beat, taken).into_iter().collect();
            latest = latest.max(beat::unexplained(&before, &beat));
            if beats == 0 || self.shared.ends_phase.swap(false, Ordering::Acquire) {
                let taken = self::stolen();
                if !self.workers.is_empty() {
                    let of_all = taken - stolen;
                    let each = Nanos::new(of_all.get() / processors);
                    // One processor lost no more than all did, but for the tick that it is counted in.
                    self.shared.tally().add_stolen(each, latest.min(of_all + TICK));
                }
                self.find_workers();
                (stolen, latest) = (taken, Nanos::ZERO);
            }
            found.extend(self.starved(before.at, beat.at));
            self.shared.tell(found, beat.at);
            before = beat;
            if matches!(asked, Err(RecvTimeoutError::Disconnected)) {
                break;
            }
        }
        self.shared.tell(Vec::new(), Instant::NEVER);
    }

    /// The workers that waited for a processor since the last beat; those that have ended are let go.
    fn starved(&mut self, before: Instant, now: Instant) -> Vec<Standstill> {
        let mut found = Vec::new();
        let mut tally = self.shared.tally();
        if !self.workers.is_empty() {
            tally.add_watched(now.since(before));
        }
        self.workers.retain_mut(|worker| {
            let Some(scheduled) = worker.delay.scheduled() else { return false };
            // What it waited before it was found may be one wait, and was not within the time in which it was watched.
            let watched_from = worker.before.replace(scheduled);
            let since = watched_from.map(|earlier| scheduled.since(&earlier));
            tally.add_worker(worker.thread, since.unwrap_or_default());
            let waited_ns = since.unwrap_or(scheduled).waited_ns;
            found.extend(beat::of_worker(worker.queue, Nanos::new(waited_ns), (before, now)));
            true
        });
        found
    }

    fn find_workers(&mut self) {
        for (thread, name) in threads(&Roots::live()) {
            let number = name.strip_prefix(WORKER).and_then(|number| number.parse().ok());
            let is_new = self.workers.iter().all(|worker| worker.thread != thread);
            let Some(number) = number.filter(|_| is_new) else { continue };
            let delay = RunDelay::of_thread(&Roots::live(), thread);
            let worker = |delay| Worker { thread, queue: QueueId(number), delay, before: None };
            self.workers.extend(delay.map(worker));
        }
    }
}

/// How long the machine was suspended since it was booted: the clock that goes on meanwhile against the one that does not.
///
/// A thread that is kept from its processor between the two readings finds more, and never less: the least of some counts.
fn asleep() -> Nanos {
    let read = || {
        let monotonic = nanos_of(ClockId::Monotonic);
        Nanos::new(nanos_of(ClockId::Boottime).saturating_sub(monotonic))
    };
    read().min(read()).min(read())
}

/// What the hypervisor took from all processors together.
fn stolen() -> Nanos {
    let ticks = processor_time(&Roots::live()).map_or(0, |time| time.steal);
    Nanos::new(ticks.saturating_mul(TICK.get()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_up_to_a_moment_is_known_once_that_was_waited_for() {
        let clock = Clock::start();
        let heartbeat = Heartbeat::start(clock).expect("a thread");
        let mut reader = heartbeat.reader();
        for _ in 0..20 {
            let moment = clock.now();
            reader.wait_for(moment);
            assert!(reader.known_until() >= moment);
        }
    }
}
