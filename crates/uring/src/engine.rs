//! The engine itself: submit, reap, stamp.

mod prepare;
mod serve;

use std::os::fd::AsRawFd;
use std::sync::Arc;

use drivelab_block::{
    Batch, Completion, Engine, EngineError, Full, Instant, Limits, Nanos, Onlooker, Op, Payload, Request,
};
use drivelab_safety::Identity;

use crate::aio_batch::AioBatch;
use crate::area::Area;
use crate::entry::EntryForm;
use crate::in_flight::{InFlight, completion, status};
use crate::payload::EnginePayload;
use crate::request_ledger::RequestLedger;
use crate::ring::{Ring, give_back, not_prepared};
use crate::slots::{Again, Slots};
use crate::sync_calls::{SubmissionMode, SyncCalls};
use crate::{Access, Clock, FeatureReport, wait};

/// A kernel timer may be this late, so the last stretch before a deadline is spent polling.
const SPIN: Nanos = Nanos::from_micros(50);
/// How an engine is to be set up.
#[derive(Clone, Debug, Default)]
pub struct EngineOptions {
    /// The processors for this worker and for the kernel workers that serve its ring; any where empty.
    pub cpus: Vec<usize>,
    /// Discard by the system call of older kernels, also where the ring takes discards.
    pub discard_by_system_call: bool,
}

/// An engine on one ring, for one worker.
///
/// The ring is built by [`Engine::prepare`] on the thread that will use it, with a buffer for every request
/// in flight; after that nothing is allocated.
pub struct UringEngine {
    // Both are declared before the buffers, and so go first: the kernel must not outlive their mapping.
    ring: Option<Ring>,
    /// Where requests are made by calls, more than one at a time.
    together: Option<AioBatch>,
    area: Option<Area>,
    slots: Slots,
    /// Requests that wait for a system call in place of the ring.
    calls: SyncCalls,
    /// The buffer of the first slot's reads: writes have the buffers before it, where a phase does both.
    first_for_reads: usize,
    form: EntryForm,
    limits: Limits,
    capacity_sectors: u64,
    access: Access,
    clock: Clock,
    payload: EnginePayload,
    options: EngineOptions,
    /// What the kernel gave and what it refused.
    pub obtained: FeatureReport,
    /// Whether requests in flight were given up: the kernel may still do them.
    has_given_up: bool,
    /// Whether this thread may keep a processor to itself for the last stretch before a deadline.
    polls: bool,
}

impl UringEngine {
    /// An engine on `access`; engines of one run share a clock.
    pub fn new(
        access: Access,
        clock: Clock,
        payload: Box<dyn Payload>,
        options: EngineOptions,
    ) -> UringEngine {
        let form = EntryForm {
            descriptor: access.descriptor().as_raw_fd(),
            registered_file: false,
            registered_buffers: false,
            is_file: matches!(access.identity(), Identity::File(_)),
            always_waits: access.always_waits(),
        };
        let obtained = FeatureReport::default();
        obtained.got("clock", clock.describe());
        obtained.got(
            "page cache",
            if access.direct() { "bypassed (O_DIRECT)" } else { "in use: O_DIRECT was refused" },
        );
        obtained.asked("access times", access.leave_access_times(), "not noted", "noted for each read");
        UringEngine {
            ring: None,
            together: None,
            area: None,
            slots: Slots::new(0),
            calls: SyncCalls::new(SubmissionMode::ByRing, 0),
            first_for_reads: 0,
            form,
            limits: Limits::default(),
            capacity_sectors: access.geometry().capacity.whole_sectors(),
            access,
            clock,
            payload: EnginePayload::new(payload),
            options,
            obtained,
            has_given_up: false,
            polls: false,
        }
    }

    /// Tells a request that would leave the target (the kernel would extend a file) or its own buffer.
    fn is_outside(&self, request: &Request) -> bool {
        let past_the_end = request.extent.end().get() > self.capacity_sectors;
        match request.op {
            Op::Read | Op::Write => past_the_end || request.extent.length.bytes() > self.limits.max_transfer,
            Op::Discard => past_the_end,
            Op::Flush => false,
        }
    }

    /// The number of the buffer of a request in this slot.
    #[inline]
    fn buffer_of(&self, op: Op, slot: u32) -> usize {
        let first = if op == Op::Write { 0 } else { self.first_for_reads };
        first + slot as usize
    }

    /// Whether nothing that went through the ring is in flight.
    #[inline]
    fn ring_is_idle(&self) -> bool {
        self.slots.in_flight() == self.calls.waiting()
    }

    /// Sends what was submitted and waits as long as `until` allows for the first completion, where none is `at_hand`.
    fn enter(&mut self, until: Instant, at_hand: bool) -> Result<(), EngineError> {
        loop {
            let left = until.since(self.clock.now());
            let ring = &mut ready(&mut self.ring)?.queues;
            let has_answers = at_hand || !self.slots.answered.is_empty() || !ring.completion().is_empty();
            let entered = match () {
                () if has_answers => ring.submit(),
                () if until == Instant::NEVER => ring.submit_and_wait(1),
                // A wait of zero would still set a timer and give up the processor, for microseconds.
                () if self.polls && left <= SPIN => wait::poll(ring),
                // A wait of zero runs the completions that the kernel has ready, which nothing else does, and
                // comes straight back. A longer one ends early enough to spend the last stretch polling.
                () => wait::for_one(ring, left - SPIN),
            };
            wait::entered(entered)?;
            let ring = &mut ready(&mut self.ring)?.queues;
            let is_polling = left > Nanos::ZERO && left <= SPIN;
            if has_answers || !is_polling || !ring.completion().is_empty() || self.clock.now() >= until {
                return Ok(());
            }
        }
    }

    fn collect(&mut self, out: &mut Batch) -> Result<(), EngineError> {
        let Some(ring) = &mut self.ring else { return Ok(()) };
        // One reading of the clock for all completions that are there now.
        let now = self.clock.now();
        for entry in ring.queues.completion().take(out.room()) {
            if let Some(again) = self.slots.send_again(entry.user_data(), entry.result()) {
                self.slots.again.push(again);
                continue;
            }
            let in_flight = self.slots.release(entry.user_data()).ok_or_else(not_in_flight)?;
            let status = status(&in_flight.request, entry.result());
            out.push(completion(&in_flight, now, status));
            if let (Some(area), Ok(slot)) = (&mut self.area, usize::try_from(entry.user_data())) {
                self.payload.show(&in_flight.request, status, area.buffer(self.first_for_reads + slot));
            }
        }
        self.slots.take_answered(out);
        if self.slots.again.is_empty() { Ok(()) } else { self.send_again() }
    }

    /// Has a worker of the kernel, which may wait, make the requests that the kernel did not begin, as they would have waited.
    #[cold]
    fn send_again(&mut self) -> Result<(), EngineError> {
        let (Some(ring), Some(area)) = (&mut self.ring, &self.area) else { return Err(not_prepared()) };
        let form = EntryForm { always_waits: true, ..self.form };
        self.slots.sent_again += self.slots.again.len() as u64;
        for Again { slot, request } in self.slots.again.drain(..) {
            let first = if request.op == Op::Write { 0 } else { self.first_for_reads };
            let number = first + slot as usize;
            let entry = form.entry(&request, slot, number, area.address(number));
            // SAFETY: the entry's buffer is that of a slot which stays taken until the completion is reaped, and the mapping
            // outlives the ring.
            let pushed = unsafe { ring.queues.submission().push(&entry) };
            // The queue has an entry for each slot, and one slot has one request.
            pushed.map_err(|_| EngineError::new("the ring has no room for a request that is sent again"))?;
        }
        Ok(())
    }
}

fn ready(ring: &mut Option<Ring>) -> Result<&mut Ring, EngineError> {
    ring.as_mut().ok_or_else(not_prepared)
}

fn not_in_flight() -> EngineError {
    EngineError::new("a request was completed that was not in flight")
}

impl Engine for UringEngine {
    fn prepare(&mut self, limits: Limits) -> Result<(), EngineError> {
        self.check(limits)?;
        if self.slots.in_flight() > 0 || self.has_given_up {
            return Err(EngineError::new(
                "requests of the phase before are still in flight: the drive hangs",
            ));
        }
        self.settle()?;
        self.ring = None;
        self.together = None;
        self.area = None;
        let bytes = usize::try_from(limits.max_transfer.get()).unwrap_or(usize::MAX);
        // What a read brings must not be what the next write of its slot takes along.
        let both = limits.ops.contains(Op::Read) && limits.ops.contains(Op::Write);
        self.first_for_reads = if both { limits.queue_depth as usize } else { 0 };
        let mut area = Area::map(self.first_for_reads + limits.queue_depth as usize, bytes)?;
        if limits.ops.contains(Op::Write) {
            (0..limits.queue_depth as usize).for_each(|slot| self.payload.fill(area.buffer(slot)));
        }
        let cpus = (!self.options.cpus.is_empty()).then_some(self.options.cpus.as_slice());
        let mode = self.submission_mode(limits);
        let ring = match mode {
            // Only its waits are used.
            SubmissionMode::ByCall => Ring::without_requests()?,
            _ => Ring::build(limits.queue_depth, &self.access, &area, cpus, &self.obtained)?,
        };
        self.together = if mode == SubmissionMode::ByCall { self.calls_for_several(limits) } else { None };
        self.calls = SyncCalls::new(mode, limits.queue_depth);
        self.form.registered_file = ring.registered_file;
        self.form.registered_buffers = ring.registered_buffers;
        // A file system may keep this thread in the kernel until its journal is written; one in memory has none.
        let may_be_kept = self.form.is_file && mode != SubmissionMode::ByCall;
        let ledger = may_be_kept.then(|| Arc::new(RequestLedger::new(self.clock, limits.queue_depth)));
        self.slots = self.slots.of_next_phase(limits.queue_depth).seen_in(ledger);
        self.limits = limits;
        (self.ring, self.area) = (Some(ring), Some(area));
        Ok(())
    }

    fn release(&mut self) {
        let is_drained = self.drain();
        // A ring that still has requests in flight keeps what is registered with it, the claimed target too.
        if let Some(ring) = self.ring.take().filter(|_| is_drained) {
            give_back(&ring.queues.submitter());
        }
        self.together = None;
        self.area = None;
        self.obtained.sent_again(self.slots.sent_again);
    }

    #[inline]
    fn now(&self) -> Instant {
        self.clock.now()
    }

    #[inline]
    fn submit(&mut self, request: Request) -> Result<(), Full> {
        if self.slots.outstanding() >= self.limits.queue_depth as usize {
            return Err(Full(request));
        }
        if self.is_outside(&request) {
            self.slots.refuse(request, self.clock.now());
            return Ok(());
        }
        let ring_is_idle = self.ring_is_idle();
        let Some(slot) = self.slots.take() else { return Err(Full(request)) };
        let number = self.buffer_of(request.op, slot);
        let (Some(ring), Some(area)) = (&mut self.ring, &mut self.area) else { return Err(Full(request)) };
        if request.op == Op::Write {
            self.payload.stamp(&request, area.buffer(number));
        }
        if self.calls.take(&request, ring_is_idle) {
            self.slots.put(slot, InFlight::new(request, self.clock.now()));
            self.calls.push(slot, &request);
            return Ok(());
        }
        let entry = self.form.entry(&request, slot, number, area.address(number));
        self.slots.put(slot, InFlight::new(request, self.clock.now()));
        // SAFETY: the entry's buffer is that of a slot which stays taken until the completion is reaped, and
        // the mapping outlives the ring.
        let pushed = unsafe { ring.queues.submission().push(&entry) };
        if pushed.is_err() {
            self.slots.release(u64::from(slot));
            return Err(Full(request));
        }
        Ok(())
    }

    fn oldest_sent_at(&self) -> Option<Instant> {
        self.slots.oldest_sent_at()
    }

    fn give_up(&mut self) -> Vec<Completion> {
        let now = self.clock.now();
        self.has_given_up = true;
        while self.calls.pop().is_some() {}
        // The kernel may write into the buffers at any time, and a ring that is closed waits for what is in flight: both stay for
        // as long as the program is there.
        std::mem::forget((self.ring.take(), self.together.take(), self.area.take()));
        self.slots.give_up(now)
    }

    fn onlooker(&self) -> Option<Arc<dyn Onlooker>> {
        self.slots.ledger.as_ref().map(|ledger| Arc::clone(ledger) as _)
    }

    #[inline]
    fn reap(&mut self, until: Instant, out: &mut Batch) -> Result<(), EngineError> {
        if let Some(ledger) = &self.slots.ledger {
            ledger.enter();
        }
        let served = self.serve(until, out)?;
        if !(served && self.ring_is_idle()) {
            self.enter(until, served)?;
        }
        self.collect(out)?;
        if let Some(ledger) = &self.slots.ledger {
            ledger.leave();
        }
        Ok(())
    }
}

impl UringEngine {
    /// Waits a while for what the kernel still does with the buffers; whether nothing is in flight then.
    fn drain(&mut self) -> bool {
        while let Some(slot) = self.calls.pop() {
            self.slots.release(u64::from(slot));
        }
        let Some(ring) = &mut self.ring else { return true };
        let is_drained = wait::drain(&mut ring.queues, &mut self.slots, &self.clock);
        if !is_drained {
            std::mem::forget(self.area.take());
        }
        is_drained
    }
}

impl Drop for UringEngine {
    /// The buffers go only when the kernel no longer writes into them.
    fn drop(&mut self) {
        self.drain();
    }
}
