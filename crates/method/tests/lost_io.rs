//! A drive that never answers one I/O, and answers all others.

use drivelab_block::{
    Batch, ByteCount, Completion, Engine, EngineError, Extent, Full, Instant, Limits, Nanos, Op, PhaseId,
    QueueId, Request, Sector, SectorCount, Silence, SilenceLog, SilenceOf, Sink, Status,
};
use drivelab_method::{Interrupt, PhaseEnd, StopRule, WorkerContext, run};
use drivelab_workload::{Ask, Next, Workload};

/// How long an I/O takes.
const TAKES: Nanos = Nanos::from_millis(10);
/// From when on the next I/O is lost.
const LOST_AT: Nanos = Nanos::from_secs(2);

/// A drive in time of its own.
#[derive(Default)]
struct Forgetful {
    now: Instant,
    in_flight: Vec<(Instant, Request)>,
    lost: Option<(Instant, Request)>,
}

impl Engine for Forgetful {
    fn prepare(&mut self, _: Limits) -> Result<(), EngineError> {
        Ok(())
    }

    fn now(&self) -> Instant {
        self.now
    }

    fn submit(&mut self, request: Request) -> Result<(), Full> {
        let sent = (self.now, request);
        if self.lost.is_none() && self.now >= Instant::ORIGIN + LOST_AT {
            self.lost = Some(sent);
        } else {
            self.in_flight.push(sent);
        }
        Ok(())
    }

    fn oldest_sent_at(&self) -> Option<Instant> {
        self.lost.iter().chain(&self.in_flight).map(|(at, _)| *at).min()
    }

    fn give_up(&mut self) -> Vec<Completion> {
        let now = self.now;
        let all = self.lost.take().into_iter().chain(self.in_flight.drain(..));
        all.map(|(at, request)| request.completion(at, now, Status::UNANSWERED)).collect()
    }

    fn reap(&mut self, until: Instant, out: &mut Batch) -> Result<(), EngineError> {
        let next = self.in_flight.iter().map(|(at, _)| *at + TAKES).min();
        self.now = next.map_or(until, |next| next.min(until)).max(self.now);
        let now = self.now;
        self.in_flight.retain(|(at, request)| {
            let is_done = *at + TAKES <= now;
            if is_done {
                out.push(request.completion(*at, now, Status::OK));
            }
            !is_done
        });
        Ok(())
    }
}

struct Reads;

impl Workload for Reads {
    fn next_ask(&mut self) -> Next {
        let extent = Extent { start: Sector::new(0), length: SectorCount::new(8) };
        Next::Ask(Ask { due: None, op: Op::Read, extent })
    }
}

#[derive(Default)]
struct Kept(Vec<Completion>);

impl Sink for Kept {
    fn accept(&mut self, completions: &[Completion]) {
        self.0.extend_from_slice(completions);
    }
}

/// A run with these limits, the lost I/O, and what was told of it.
fn asked(stop: StopRule) -> (PhaseEnd, Vec<Completion>, Vec<Silence>) {
    let (mut drive, mut kept, silences) = (Forgetful::default(), Kept::default(), SilenceLog::new(1));
    let context = WorkerContext {
        phase: PhaseId(0),
        queue: QueueId(0),
        queues: 1,
        queue_depth: 4,
        started_at: Instant::ORIGIN,
        stop,
        interrupt: Interrupt::default(),
        silences: silences.clone(),
    };
    let end = run(&mut drive, &mut Reads, &context, &mut kept).expect("the engine works");
    let given_up = kept.0.into_iter().filter(|one| one.status.is_unanswered()).collect();
    (end, given_up, silences.take())
}

#[test]
fn one_lost_io_is_told_of_while_others_are_answered_and_ends_the_run_soon_after_its_time() {
    let stop = StopRule { duration: Some(Nanos::from_secs(20)), ..StopRule::default() };
    let (end, given_up, told) = asked(stop);
    let sent_at = Instant::ORIGIN + LOST_AT;
    let [lost] = given_up[..] else { panic!("{given_up:?}") };
    assert_eq!(lost.submitted_at, sent_at);
    let unanswered = end.unanswered.expect("one was given up");
    assert_eq!((unanswered.count, unanswered.since), (1, sent_at));
    let after = unanswered.given_up_at.since(Instant::ORIGIN + Nanos::from_secs(20));
    assert!(after <= Nanos::from_secs(2), "given up {after} after the end");
    let (first, last) = (told[0], told[told.len() - 1]);
    assert_eq!((first.of, first.since, first.until, first.outstanding), (SilenceOf::OneIo, sent_at, None, 1));
    assert!(first.watched >= Nanos::from_secs(5) && first.watched < Nanos::from_secs(6), "{first:?}");
    assert_eq!(last.until, None);
}

#[test]
fn a_run_without_a_time_waits_for_it_as_long_as_for_a_silent_drive() {
    let stop = StopRule { bytes: Some(ByteCount::new(8 << 20)), ..StopRule::default() };
    let (end, given_up, _) = asked(stop);
    assert_eq!(given_up.len(), 1);
    let unanswered = end.unanswered.expect("one was given up");
    let waited = unanswered.given_up_at.since(Instant::ORIGIN + LOST_AT);
    assert!(waited >= Nanos::from_secs(300) && waited < Nanos::from_secs(301), "{waited}");
}
