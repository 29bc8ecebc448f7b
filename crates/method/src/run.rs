//! The loop that asks a drive: submit what is due, reap what is done, hand it on.

use drivelab_block::{
    Batch, Completion, Engine, EngineError, Instant, Nanos, PhaseId, QueueId, Request, RunLimit, SilenceLog,
    SilenceWatch, Sink, Unanswered,
};
use drivelab_stats::Unsent;
use drivelab_workload::{Ask, Next, Workload};

use crate::failing::Failing;
use crate::overdue::OverdueWatch;
use crate::{Interrupt, PhaseEnd, StopRule};

/// The longest wait without a look at the interrupt.
const INTERRUPT_POLL_INTERVAL: Nanos = Nanos::from_millis(100);
/// How soon a workload that is late itself is asked again.
const RETRY_INTERVAL: Nanos = Nanos::from_micros(20);
/// So many requests in a row that have no due time are a closed loop. Fewer lie between those of a schedule: reads that
/// check what was written.
const UNSCHEDULED_MAX: u32 = 64;
/// The most missed requests that are counted one by one.
const MISSED_MAX: u64 = 10_000_000;

/// Everything that the loop of a worker needs in addition to engine, workload and sink.
#[derive(Clone, Debug)]
pub struct WorkerContext {
    /// The phase its requests belong to.
    pub phase: PhaseId,
    /// The first of its queues.
    pub queue: QueueId,
    /// How many workers this loop stands for: 1, or all of them on a simulated drive.
    pub queues: u16,
    /// The most requests in flight.
    pub queue_depth: u32,
    /// The start of the phase, common to all workers.
    pub started_at: Instant,
    /// The end of the phase.
    pub stop: StopRule,
    /// The user's wish to stop.
    pub interrupt: Interrupt,
    /// Where a drive that answers nothing is told of.
    pub silences: SilenceLog,
}

/// Asks one engine what one workload wants until the stop rule, the workload or the user ends it, then
/// waits for what is in flight. Nothing is allocated after the first request.
///
/// What a drive that hangs does not answer is given up some time after the end ([`PhaseEnd::unanswered`]), and is then in the
/// records as that. A drive that is silent for longer before the end of its time is measured, not given up; a phase that has no
/// time ends when the drive was silent for five minutes.
///
/// # Errors
/// Where the engine breaks.
pub fn run<E: Engine, W: Workload, S: Sink>(
    engine: &mut E,
    workload: &mut W,
    context: &WorkerContext,
    sink: &mut S,
) -> Result<PhaseEnd, EngineError> {
    let mut batch = Batch::with_capacity(context.queue_depth as usize);
    let mut asked = LoopState::new(context, workload.next_ask());
    let mut now = engine.now();
    loop {
        asked.submit_due(engine, workload, now);
        if asked.in_flight == 0 && asked.is_over(now) {
            return Ok(asked.end(workload, now));
        }
        if asked.is_given_up(now) {
            sink.accept(&engine.give_up());
            return Ok(asked.give_up(workload, now));
        }
        engine.reap(asked.wake_at(now), &mut batch)?;
        now = engine.now();
        asked.answered(batch.as_slice(), now);
        // Now and then, since it takes a look at all that is in flight.
        if asked.overdue.is_due(now) {
            asked.overdue.look(now, engine.oldest_sent_at());
        }
        workload.answered(batch.as_slice(), context.started_at);
        sink.accept(batch.as_slice());
        batch.clear();
    }
}

#[derive(Debug)]
struct LoopState<'a> {
    context: &'a WorkerContext,
    next: Next,
    deadline: Instant,
    bytes_left: u64,
    in_flight: usize,
    submitted: u64,
    completed: u64,
    delayed_sends: u64,
    /// When every slot was last seen taken: requests that were due by then had to wait for one.
    full_at: Option<Instant>,
    silence: SilenceWatch,
    overdue: OverdueWatch,
    ended_at: Option<Instant>,
    failing: Failing,
}

impl<'a> LoopState<'a> {
    fn new(context: &'a WorkerContext, next: Next) -> LoopState<'a> {
        LoopState {
            context,
            next,
            deadline: context.stop.duration.map_or(Instant::NEVER, |duration| context.started_at + duration),
            bytes_left: context.stop.bytes.map_or(u64::MAX, drivelab_block::ByteCount::get),
            in_flight: 0,
            submitted: 0,
            completed: 0,
            delayed_sends: 0,
            full_at: None,
            silence: SilenceWatch::new(context.queue, context.silences.clone(), context.started_at),
            overdue: OverdueWatch::new(context.queue, context.silences.clone(), context.started_at),
            ended_at: None,
            failing: Failing::default(),
        }
    }

    /// Whether nothing more is to be asked.
    #[inline]
    fn is_over(&self, now: Instant) -> bool {
        self.next == Next::End
            || now >= self.deadline
            || self.bytes_left == 0
            || self.context.interrupt.is_raised()
            || self.failing.is_given_up
    }

    #[inline]
    fn due_at(&self, ask: &Ask) -> Instant {
        ask.due.map_or(Instant::ORIGIN, |due| self.context.started_at + due)
    }

    fn submit_due<E: Engine, W: Workload>(&mut self, engine: &mut E, workload: &mut W, now: Instant) {
        if self.is_over(now) {
            self.ended_at.get_or_insert(now.min(self.deadline));
            return;
        }
        if matches!(self.next, Next::AfterAnswer | Next::Soon) {
            self.next = workload.next_ask();
        }
        while let Next::Ask(ask) = self.next {
            if ask.due.is_none() && now < self.failing.paused_until {
                return;
            }
            let due = self.due_at(&ask);
            if due > now || due >= self.deadline || self.bytes_left == 0 {
                return;
            }
            if self.in_flight == self.context.queue_depth as usize {
                self.full_at = Some(now);
                return;
            }
            if engine.submit(self.request(&ask, due)).is_err() {
                return;
            }
            self.count(&ask, due, now);
            self.next = workload.next_ask();
        }
    }

    #[inline]
    fn request(&self, ask: &Ask, due: Instant) -> Request {
        #[expect(clippy::cast_possible_truncation, reason = "a remainder below the number of queues")]
        let turn = (self.submitted % u64::from(self.context.queues.max(1))) as u16;
        Request {
            intended_at: due,
            extent: ask.extent,
            op: ask.op,
            phase: self.context.phase,
            queue: QueueId(self.context.queue.0 + turn),
        }
    }

    #[inline]
    fn count(&mut self, ask: &Ask, due: Instant, now: Instant) {
        if self.in_flight == 0 {
            self.silence.begin(now);
        }
        self.in_flight += 1;
        self.submitted += 1;
        self.bytes_left = self.bytes_left.saturating_sub(ask.extent.length.bytes().get());
        let had_to_wait = ask.due.is_some() && self.full_at.is_some_and(|full_at| due <= full_at);
        self.delayed_sends += u64::from(had_to_wait);
    }

    #[inline]
    fn answered(&mut self, completions: &[Completion], now: Instant) {
        let count = completions.len();
        if count == 0 {
            return self.silence.look(now, self.in_flight);
        }
        self.silence.answered(now, self.in_flight);
        self.overdue.answered(completions);
        self.failing.answered(completions, now);
        if self.in_flight == self.context.queue_depth as usize {
            self.full_at = Some(now);
        }
        self.in_flight -= count;
        self.completed += count as u64;
    }

    /// Whether what is in flight is waited for no longer.
    #[inline]
    fn is_given_up(&self, now: Instant) -> bool {
        // Before the end a run is given up only where nothing at all is answered.
        let of_one = self.ended_at.map_or(Nanos::ZERO, |_| self.overdue.length());
        self.in_flight > 0 && self.silence.is_over(now, self.limit(now), of_one)
    }

    /// What ends the phase. Where all that was wanted is sent, or has failed, the end of its time is still to come.
    #[inline]
    fn limit(&self, now: Instant) -> RunLimit {
        match self.ended_at {
            Some(at) if self.context.interrupt.is_raised() => RunLimit::User(at),
            Some(at) if now >= self.deadline => RunLimit::Reached(at),
            None if self.deadline != Instant::NEVER => RunLimit::ToCome,
            Some(_) | None => RunLimit::NoTime,
        }
    }

    /// When the loop has something to do even if no request completes.
    #[inline]
    fn wake_at(&self, now: Instant) -> Instant {
        if self.ended_at.is_some() {
            return now + INTERRUPT_POLL_INTERVAL;
        }
        let has_room = self.in_flight < self.context.queue_depth as usize;
        let next_due = match &self.next {
            Next::Ask(ask) if has_room && ask.due.is_some() => self.due_at(ask),
            Next::Ask(_) if has_room => self.failing.paused_until,
            Next::Soon => now + RETRY_INTERVAL,
            Next::Ask(_) | Next::AfterAnswer | Next::End => Instant::NEVER,
        };
        next_due.max(now).min(self.deadline).min(now + INTERRUPT_POLL_INTERVAL)
    }

    /// The end of a loop that has given up what is in flight.
    fn give_up<W: Workload>(&mut self, workload: &mut W, now: Instant) -> PhaseEnd {
        let unanswered = self.silence.give_up(now, self.in_flight);
        let since = self.overdue.since().unwrap_or(unanswered.since);
        let unanswered = Unanswered { since, ..unanswered };
        PhaseEnd { unanswered: Some(unanswered), ..self.end(workload, now) }
    }

    fn end<W: Workload>(&self, workload: &mut W, now: Instant) -> PhaseEnd {
        debug_assert_eq!(self.submitted, self.completed + self.in_flight as u64, "nothing is lost");
        let ended_at = self.ended_at.unwrap_or(now);
        PhaseEnd {
            started_at: self.context.started_at,
            ended_at,
            completed: self.completed,
            delayed_sends: self.delayed_sends,
            unsent: self.unsent(workload, ended_at),
            interrupted: self.context.interrupt.is_raised(),
            failing_since: self.failing.given_up_since(),
            unanswered: None,
        }
    }

    /// Requests of an open loop that were due before the end and were never sent; at most [`MISSED_MAX`].
    fn unsent<W: Workload>(&self, workload: &mut W, ended_at: Instant) -> Unsent {
        let mut unsent = Unsent::default();
        if self.bytes_left == 0 {
            return unsent;
        }
        let mut next = self.next;
        let mut unscheduled = 0;
        for _ in 0..MISSED_MAX {
            let Some(ask) = next.ask().filter(|_| unscheduled < UNSCHEDULED_MAX) else { break };
            if ask.due.is_some() {
                let due = self.due_at(&ask);
                if due >= ended_at {
                    break;
                }
                unsent.add(ended_at.since(due).get());
                unscheduled = 0;
            } else {
                // Missed by nobody.
                unscheduled += 1;
            }
            next = workload.next_ask();
        }
        unsent
    }
}
