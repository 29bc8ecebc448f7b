//! The engine of commands: submit, reap, stamp, as the ring's own.

use drivelab_block::{
    Batch, Completion, Engine, EngineError, Full, Instant, Limits, Nanos, Op, Payload, Request, SECTOR_BYTES,
    Status,
};
use io_uring::types::{SubmitArgs, Timespec};

use super::command::Form;
use super::namespace::{CommandRing, Namespace};
use crate::answer::{completion, look};
use crate::area::Area;
use crate::ring::{register_buffers, register_file, ring_with_best_flags};
use crate::slots::{InFlight, Slots};
use crate::{Clock, Obtained};

/// The most commands in flight: beyond, a drive's own queues are full.
const DEPTH_MAX: u32 = 1_024;
/// How long the end of a phase that broke waits for what is in flight.
const DRAIN: Nanos = Nanos::from_secs(10);
/// The longest wait in the kernel: the caller looks at its flags then, and asks again.
const WAIT_MAX: Nanos = Nanos::from_millis(100);

/// An engine that sends a drive's own commands, for one worker: reads, writes and flushes of whole blocks.
///
/// The ring is built by [`Engine::prepare`] on the thread that will use it, with a buffer for every command in flight; after
/// that nothing is allocated.
pub struct PassthroughEngine<P> {
    // Declared before the buffers, and so goes first: the kernel must not outlive their mapping.
    ring: Option<CommandRing>,
    area: Option<Area>,
    slots: Slots,
    /// Requests that were answered without the drive, waiting to be reaped.
    answered: Vec<Completion>,
    form: Form,
    limits: Limits,
    namespace: Namespace,
    clock: Clock,
    payload: P,
    obtained: Obtained,
}

impl<P: Payload> PassthroughEngine<P> {
    /// An engine on a namespace.
    pub fn new(namespace: Namespace, clock: Clock, payload: P) -> PassthroughEngine<P> {
        let limits = Limits {
            queue_depth: 0,
            max_transfer: drivelab_block::ByteCount::new(0),
            ops: drivelab_block::OpSet::EMPTY,
        };
        PassthroughEngine {
            ring: None,
            area: None,
            slots: Slots::new(0),
            answered: Vec::new(),
            form: namespace.form(),
            limits,
            namespace,
            clock,
            payload,
            obtained: Obtained::default(),
        }
    }

    /// What the kernel gave and what it refused.
    pub fn obtained(&self) -> &Obtained {
        &self.obtained
    }

    fn check(&self, limits: Limits) -> Result<(), EngineError> {
        let Limits { queue_depth, max_transfer, ops } = limits;
        if ops.contains(Op::Discard) {
            return Err(EngineError::new(
                "NVMe passthrough is for reads, writes and flushes: it takes no discard",
            ));
        }
        if queue_depth == 0 || queue_depth > DEPTH_MAX {
            let message = format!("a queue depth of {queue_depth} is not between 1 and {DEPTH_MAX}");
            return Err(EngineError::new(message));
        }
        let longest = self.namespace.longest();
        if max_transfer > longest {
            return Err(EngineError::new(format!("the drive takes at most {longest} in one command")));
        }
        Ok(())
    }

    /// Whether a request is what was prepared for, in whole blocks of the claimed target and in its own buffer.
    fn is_allowed(&self, request: &Request) -> bool {
        let sectors = self.namespace.block() / SECTOR_BYTES;
        let (start, length) = (request.extent.start.get(), u64::from(request.extent.length.get()));
        let is_whole = start.is_multiple_of(sectors) && length.is_multiple_of(sectors);
        let is_inside = request.extent.end() <= self.namespace.allowed_range().end
            && request.extent.length.bytes() <= self.limits.max_transfer;
        let is_data = matches!(request.op, Op::Read | Op::Write) && length > 0 && is_whole && is_inside;
        self.limits.ops.contains(request.op) && (is_data || request.op == Op::Flush)
    }

    fn outstanding(&self) -> usize {
        self.slots.in_flight() + self.answered.len()
    }

    fn collect(&mut self, out: &mut Batch) -> Result<(), EngineError> {
        let (Some(ring), Some(area)) = (&mut self.ring, &mut self.area) else { return Ok(()) };
        let now = self.clock.now();
        for entry in ring.completion().take(out.room()) {
            let in_flight = self.slots.release(entry.user_data()).ok_or_else(not_in_flight)?;
            let status = status(entry.result());
            out.push(completion(&in_flight, now, status));
            let slot = usize::try_from(entry.user_data()).map_err(|_| not_in_flight())?;
            look(&mut self.payload, area.buffer(slot), &in_flight.request, status);
        }
        while out.room() > 0
            && let Some(answered) = self.answered.pop()
        {
            out.push(answered);
        }
        Ok(())
    }
}

/// What a command's answer says: the system's error, or the drive's own status, which has no number of the system's.
fn status(result: i32) -> Status {
    match result {
        0 => Status::OK,
        error if error < 0 => Status::errno(-error),
        _ => Status::errno(libc::EIO),
    }
}

fn not_in_flight() -> EngineError {
    EngineError::new("a command was completed that was not in flight")
}

/// Sends what was submitted, and waits for the first completion, `patience` at most; with none it runs the completions that
/// the kernel has ready, and comes straight back.
fn enter(ring: &CommandRing, patience: Nanos) -> Result<(), EngineError> {
    let nanos = u32::try_from(patience.min(WAIT_MAX).get()).unwrap_or(0);
    let timespec = Timespec::new().nsec(nanos);
    let entered = ring.submitter().submit_with_args(1, &SubmitArgs::new().timespec(&timespec));
    match entered.map_err(|error| (error.raw_os_error(), error)) {
        // A signal ends the wait so that the caller can look at its flag; EBUSY asks for a reap first.
        Ok(_) | Err((Some(libc::ETIME | libc::EINTR | libc::EBUSY | libc::EAGAIN), _)) => Ok(()),
        Err((_, error)) => Err(EngineError::from_io("the ring could not be entered", error)),
    }
}

impl<P: Payload> Engine for PassthroughEngine<P> {
    fn prepare(&mut self, limits: Limits) -> Result<(), EngineError> {
        self.check(limits)?;
        if self.slots.in_flight() > 0 {
            return Err(EngineError::new(
                "commands of the phase before are still in flight: the drive hangs",
            ));
        }
        self.ring = None;
        self.area = None;
        let bytes = usize::try_from(limits.max_transfer.get()).unwrap_or(usize::MAX);
        let mut area = Area::map(limits.queue_depth as usize, bytes)?;
        (0..limits.queue_depth as usize).for_each(|slot| self.payload.fill(area.buffer(slot)));
        let ring: CommandRing = ring_with_best_flags(limits.queue_depth, &self.obtained)?;
        self.form = self.namespace.form();
        self.form.registered_file =
            register_file(&ring.submitter(), self.namespace.descriptor(), &self.obtained);
        if self.namespace.takes_registered_buffers() {
            self.form.registered_buffers = register_buffers(&ring.submitter(), &area, &self.obtained);
        } else {
            let why = "commands take none from them (Linux 6.1 and later)";
            self.obtained.refused("buffers", why, "mapped for each I/O");
        }
        self.slots = Slots::new(limits.queue_depth);
        self.answered = Vec::with_capacity(limits.queue_depth as usize);
        self.limits = limits;
        (self.ring, self.area) = (Some(ring), Some(area));
        Ok(())
    }

    fn release(&mut self) {
        self.drain();
        if let Some(ring) = self.ring.take() {
            let submitter = ring.submitter();
            let _ = submitter.unregister_files();
            let _ = submitter.unregister_buffers();
        }
        self.area = None;
    }

    #[inline]
    fn now(&self) -> Instant {
        self.clock.now()
    }

    #[inline]
    fn submit(&mut self, request: Request) -> Result<(), Full> {
        if self.outstanding() >= self.limits.queue_depth as usize {
            return Err(Full(request));
        }
        if !self.is_allowed(&request) {
            let now = self.clock.now();
            let refused = InFlight { request, submitted_at: now };
            self.answered.push(completion(&refused, now, Status::errno(libc::EINVAL)));
            return Ok(());
        }
        let (Some(ring), Some(area)) = (&mut self.ring, &mut self.area) else { return Err(Full(request)) };
        let Some(slot) = self.slots.take() else { return Err(Full(request)) };
        if request.op == Op::Write {
            self.payload.stamp(&request, area.buffer(slot as usize));
        }
        let entry = self.form.entry(&request, slot, area.address(slot as usize));
        self.slots.put(slot, InFlight { request, submitted_at: self.clock.now() });
        // SAFETY: the entry's buffer is that of a slot which stays taken until the completion is reaped, and the mapping
        // outlives the ring.
        if unsafe { ring.submission().push(&entry) }.is_err() {
            self.slots.release(u64::from(slot));
            return Err(Full(request));
        }
        Ok(())
    }

    fn reap(&mut self, until: Instant, out: &mut Batch) -> Result<(), EngineError> {
        let Some(ring) = &mut self.ring else { return Err(EngineError::new("the engine was not prepared")) };
        let has_answers = !self.answered.is_empty() || !ring.completion().is_empty();
        let left = until.since(self.clock.now()).min(WAIT_MAX);
        enter(ring, if has_answers { Nanos::ZERO } else { left })?;
        self.collect(out)
    }
}

impl<P> PassthroughEngine<P> {
    /// Waits a while for what the drive still does with the buffers.
    fn drain(&mut self) {
        let Some(ring) = &mut self.ring else { return };
        let give_up_at = self.clock.now() + DRAIN;
        while self.slots.in_flight() > 0 {
            let entered = enter(ring, WAIT_MAX);
            for entry in ring.completion() {
                self.slots.release(entry.user_data());
            }
            if entered.is_err() || self.clock.now() > give_up_at {
                // The mapping has to stay for as long as the drive may reach it: for ever, then.
                std::mem::forget(self.area.take());
                return;
            }
        }
    }
}

impl<P> Drop for PassthroughEngine<P> {
    /// The buffers go only when nobody writes into them any more.
    fn drop(&mut self) {
        self.drain();
    }
}
