//! Workers that the kernel keeps, with an engine whose `reap` does not come back until it is let go, and a clock that goes on by
//! a tenth of a second whenever the recorder looks.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use drivelab_block::{
    Batch, ByteCount, Completion, Extent, Full, Op, OpSet, Request, Sector, SectorCount, Status,
};
use drivelab_stats::{LoopKind, PhaseAnalysis};
use drivelab_workload::{Ask, Next};

use super::*;
use crate::StopRule;

const OUTSIDE: u64 = u64::MAX;

#[derive(Debug)]
struct Shared {
    now: AtomicU64,
    inside_since: AtomicU64,
    in_flight: Mutex<Vec<(Instant, Request)>>,
}

impl Shared {
    fn take(&self) -> Vec<(Instant, Request)> {
        std::mem::take(&mut self.in_flight.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Onlooker for Shared {
    fn now(&self) -> Instant {
        Instant::from_nanos(self.now.load(Ordering::SeqCst))
    }

    fn inside_since(&self) -> Option<Instant> {
        let since = self.inside_since.load(Ordering::SeqCst);
        (since != OUTSIDE).then(|| Instant::from_nanos(since))
    }

    fn in_flight(&self) -> usize {
        self.in_flight.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    fn unanswered(&self) -> Vec<Completion> {
        let all = self.in_flight.lock().unwrap_or_else(PoisonError::into_inner);
        all.iter().map(|(at, request)| request.completion(*at, self.now(), Status::UNANSWERED)).collect()
    }
}

/// Answers nothing until its door is gone, and then everything at once.
struct Kept {
    shared: Arc<Shared>,
    door: Receiver<()>,
}

impl Engine for Kept {
    fn prepare(&mut self, _: Limits) -> Result<(), EngineError> {
        Ok(())
    }

    fn now(&self) -> Instant {
        self.shared.now()
    }

    fn submit(&mut self, request: Request) -> Result<(), Full> {
        let now = self.now();
        self.shared.in_flight.lock().unwrap_or_else(PoisonError::into_inner).push((now, request));
        Ok(())
    }

    fn oldest_sent_at(&self) -> Option<Instant> {
        let all = self.shared.in_flight.lock().unwrap_or_else(PoisonError::into_inner);
        all.iter().map(|(at, _)| *at).min()
    }

    fn give_up(&mut self) -> Vec<Completion> {
        let unanswered = self.shared.unanswered();
        self.shared.take();
        unanswered
    }

    fn onlooker(&self) -> Option<Arc<dyn Onlooker>> {
        Some(Arc::clone(&self.shared) as _)
    }

    fn reap(&mut self, _: Instant, out: &mut Batch) -> Result<(), EngineError> {
        self.shared.inside_since.store(self.now().as_nanos(), Ordering::SeqCst);
        let _ = self.door.recv();
        let now = self.now();
        for (at, request) in self.shared.take() {
            out.push(request.completion(at, now, Status::OK));
        }
        self.shared.inside_since.store(OUTSIDE, Ordering::SeqCst);
        std::thread::yield_now();
        Ok(())
    }
}

struct Writes;

impl Workload for Writes {
    fn next_ask(&mut self) -> Next {
        let extent = Extent { start: Sector::new(0), length: SectorCount::new(8) };
        Next::Ask(Ask { due: None, op: Op::Write, extent })
    }
}

/// Lets time pass, and does something to the run at a moment.
struct Passing<F> {
    shared: Arc<Shared>,
    at: Nanos,
    happens: Option<F>,
    silences: Vec<Silence>,
}

impl<F: FnOnce()> Progress for Passing<F> {
    fn begin(&mut self, _: Instant) {}

    fn turn(&mut self, _: &RunRecorder, _: bool) {
        #[expect(clippy::disallowed_methods, reason = "the worker's thread is to get a processor")]
        std::thread::sleep(std::time::Duration::from_millis(1));
        let before = self.shared.now.fetch_add(100_000_000, Ordering::SeqCst);
        if before >= self.at.get()
            && let Some(happens) = self.happens.take()
        {
            happens();
        }
    }

    fn silence(&mut self, silence: &Silence) {
        self.silences.push(*silence);
    }
}

struct Outcome {
    ended: Result<PhaseEnd, ConductError>,
    silences: Vec<Silence>,
    failed: u64,
    engines_left: usize,
}

/// A phase of twelve seconds; what happens in it is given the user's interrupt and the door.
fn conducted(at: Nanos, happens: impl FnOnce(&Interrupt, Sender<()>)) -> Outcome {
    let shared = Arc::new(Shared {
        now: AtomicU64::new(0),
        inside_since: AtomicU64::new(OUTSIDE),
        in_flight: Mutex::default(),
    });
    let (door, waits) = channel();
    let interrupt = Interrupt::default();
    let limits =
        Limits { queue_depth: 4, max_transfer: ByteCount::new(4096), ops: OpSet::EMPTY.with(Op::Write) };
    let stop = StopRule { duration: Some(Nanos::from_secs(12)), bytes: None };
    let plan = PhasePlan { name: "write".to_owned(), loop_kind: LoopKind::Closed, limits, stop };
    let engine = Kept { shared: Arc::clone(&shared), door: waits };
    let mut stage =
        Workers { engines: vec![engine], queues: 1, on_full: OnFull::Lose, interrupt: interrupt.clone() };
    let mut recorder = RunRecorder::new(None, None);
    let happens = || happens(&interrupt, door);
    let mut passing = Passing { shared, at, happens: Some(happens), silences: Vec::new() };
    let ended = conduct(&plan, &mut stage, vec![Writes], &mut recorder, &mut passing);
    let silences = passing.silences;
    let failed = recorder.analysis().phases().iter().map(PhaseAnalysis::failed).sum();
    Outcome { ended, silences, failed, engines_left: stage.engines.len() }
}

#[test]
fn a_worker_that_the_kernel_keeps_is_left_behind_and_what_it_had_asked_is_kept() {
    let mut kept_door = None;
    let found = conducted(Nanos::ZERO, |_, door| kept_door = Some(door));
    let Err(ConductError::Unanswered(end)) = found.ended else { panic!("{:?}", found.ended) };
    let unanswered = end.unanswered.expect("it was given up");
    let took = unanswered.given_up_at.since(end.started_at);
    assert!((Nanos::from_millis(13_500)..Nanos::from_secs(14)).contains(&took), "{took}");
    assert_eq!((unanswered.count, found.failed, found.engines_left), (4, 4, 0));
    assert_eq!(end.asked_for(), Nanos::from_secs(12));
    let [first, last] = found.silences[..] else { panic!("{:?}", found.silences) };
    assert!((Nanos::from_secs(5)..Nanos::from_millis(5_200)).contains(&first.watched), "{first:?}");
    assert_eq!((first.until, last.until, last.outstanding), (None, None, 4));
    drop(kept_door);
}

#[test]
fn it_is_left_behind_when_the_user_wants_the_end() {
    let mut kept_door = None;
    let found = conducted(Nanos::from_secs(3), |interrupt, door| {
        interrupt.raise();
        kept_door = Some(door);
    });
    let end = found.ended.expect("what the user ends is no error");
    let unanswered = end.unanswered.expect("it was given up");
    let took = unanswered.given_up_at.since(end.started_at);
    assert!((Nanos::from_millis(4_500)..Nanos::from_secs(5)).contains(&took), "{took}");
    assert!(end.interrupted);
    assert_eq!((unanswered.count, found.failed), (4, 4));
    drop(kept_door);
}

#[test]
fn a_worker_that_comes_back_goes_on_and_its_drive_was_silent() {
    let found = conducted(Nanos::from_secs(8), |_, door| drop(door));
    let end = found.ended.expect("the drive answers again");
    assert_eq!((end.unanswered, found.failed, found.engines_left), (None, 0, 1));
    let (first, second) = (found.silences[0], found.silences[1]);
    assert!(first.until.is_none() && second.until.is_some(), "{:?}", found.silences);
    assert!(second.watched >= Nanos::from_secs(8) && second.watched < Nanos::from_secs(9), "{second:?}");
}
