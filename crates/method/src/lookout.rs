//! Workers that the kernel keeps: the thread that records looks at them, tells of the drive's silence, and gives up in their
//! place.

use std::sync::Arc;

use drivelab_block::{Completion, Instant, Nanos, Onlooker, QueueId, RunLimit, SilenceLog, SilenceWatch};

use crate::{Interrupt, PhaseEnd};

/// A worker that is inside its engine for longer is kept there: it looks at the time ten times a second.
const KEPT_FROM: Nanos = Nanos::from_millis(500);

/// Looks at the workers of a phase.
#[derive(Debug)]
pub(crate) struct Lookout {
    workers: Vec<WatchedWorker>,
    started_at: Instant,
    deadline: Instant,
    interrupt: Interrupt,
    interrupted_at: Option<Instant>,
}

#[derive(Debug)]
struct WatchedWorker {
    number: u16,
    onlooker: Arc<dyn Onlooker>,
    silence: SilenceWatch,
    is_kept: bool,
}

/// The end of a worker that did not come back from the kernel.
#[derive(Debug)]
pub(crate) struct LeftBehind {
    /// Which one.
    pub number: u16,
    /// What it had in flight.
    pub unanswered: Vec<Completion>,
    /// The end of its phase; what it had completed is not counted.
    pub end: PhaseEnd,
}

impl Lookout {
    /// Looks at no worker yet.
    pub fn new(started_at: Instant, duration: Option<Nanos>, interrupt: Interrupt) -> Lookout {
        let deadline = duration.map_or(Instant::NEVER, |duration| started_at + duration);
        Lookout { workers: Vec::new(), started_at, deadline, interrupt, interrupted_at: None }
    }

    /// Looks at this worker from now on.
    pub fn watch(&mut self, number: u16, onlooker: Arc<dyn Onlooker>, log: SilenceLog) {
        let silence = SilenceWatch::new(QueueId(number), log, self.started_at);
        self.workers.push(WatchedWorker { number, onlooker, silence, is_kept: false });
    }

    /// A worker that is waited for no longer.
    pub fn look(&mut self) -> Option<LeftBehind> {
        let place = self.workers.iter_mut().position(|worker| {
            let now = worker.onlooker.now();
            if !worker.look(now) {
                return false;
            }
            if self.interrupt.is_raised() {
                self.interrupted_at.get_or_insert(now);
            }
            let limit = match self.interrupted_at {
                Some(at) => RunLimit::User(at),
                None if self.deadline == Instant::NEVER => RunLimit::NoTime,
                None if now >= self.deadline => RunLimit::Reached(self.deadline),
                None => RunLimit::ToCome,
            };
            worker.silence.is_over(now, limit, Nanos::ZERO)
        })?;
        Some(self.leave(place))
    }

    fn leave(&mut self, place: usize) -> LeftBehind {
        let WatchedWorker { number, onlooker, silence, .. } = self.workers.swap_remove(place);
        let (given_up_at, unanswered) = (onlooker.now(), onlooker.unanswered());
        let end = PhaseEnd {
            started_at: self.started_at,
            ended_at: self.interrupted_at.unwrap_or(given_up_at).min(self.deadline),
            interrupted: self.interrupted_at.is_some(),
            unanswered: Some(silence.give_up(given_up_at, unanswered.len())),
            ..PhaseEnd::default()
        };
        LeftBehind { number, unanswered, end }
    }
}

impl WatchedWorker {
    /// Whether the kernel keeps it now.
    fn look(&mut self, now: Instant) -> bool {
        let inside = self.onlooker.inside_since().filter(|since| now.since(*since) >= KEPT_FROM);
        let was_kept = std::mem::replace(&mut self.is_kept, inside.is_some());
        if let Some(since) = inside {
            if !was_kept {
                self.silence.begin(since);
            }
            self.silence.look(now, self.onlooker.in_flight());
        } else if was_kept {
            self.silence.answered(now, self.onlooker.in_flight());
        }
        self.is_kept
    }
}
