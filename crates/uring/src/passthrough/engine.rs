//! The engine of commands: submit, reap, stamp, as the ring's own. It writes, and nothing else: what is compared with other
//! paths to a drive is a stream of writes.

use drivelab_block::{
    Batch, ByteCount, Completion, Engine, EngineError, Full, Instant, Limits, Nanos, Op, OpSet, Payload,
    Request, SECTOR_BYTES, Sector, Status,
};
use io_uring::squeue;

use super::command::Form;
use super::namespace::{CommandRing, Namespace};
use crate::area::Area;
use crate::in_flight::{InFlight, completion};
use crate::ring::{give_back, not_prepared, register_buffers, register_files, ring_with_best_flags};
use crate::slots::{Again, Slots};
use crate::{Clock, FeatureReport, wait};

/// The most commands in flight: beyond, a drive's own queues are full.
const DEPTH_MAX: u32 = 1_024;
/// The longest wait in the kernel: the caller looks at its flags then, and asks again.
const WAIT_MAX: Nanos = Nanos::from_millis(100);

/// An engine that sends a drive's own commands, for one worker: writes of whole blocks.
///
/// The ring is built by [`Engine::prepare`] on the thread that will use it, with a buffer for every command in flight; after
/// that nothing is allocated.
pub struct PassthroughEngine {
    // Declared before the buffers, and so goes first: the kernel must not outlive their mapping.
    ring: Option<CommandRing>,
    area: Option<Area>,
    slots: Slots,
    form: Form,
    limits: Limits,
    namespace: Namespace,
    clock: Clock,
    payload: Box<dyn Payload>,
    /// What the kernel gave and what it refused.
    pub obtained: FeatureReport,
    /// The drive's status of the first command that failed.
    first_failure: Option<i32>,
    /// Whether commands in flight were given up: the drive may still do them.
    has_given_up: bool,
}

/// What [`FeatureReport`] calls the drive's status of the first command that failed, which no number of the system's can tell.
pub const FIRST_FAILURE: &str = "first failed command";

impl PassthroughEngine {
    /// An engine on a namespace.
    pub fn new(namespace: Namespace, clock: Clock, payload: Box<dyn Payload>) -> PassthroughEngine {
        PassthroughEngine {
            ring: None,
            area: None,
            slots: Slots::new(0),
            form: namespace.form(),
            limits: Limits::default(),
            namespace,
            clock,
            payload,
            obtained: FeatureReport::default(),
            first_failure: None,
            has_given_up: false,
        }
    }

    fn check(&self, limits: Limits) -> Result<(), EngineError> {
        let Limits { queue_depth, max_transfer, ops } = limits;
        if ops != OpSet::EMPTY.with(Op::Write) {
            return Err(EngineError::new("NVMe passthrough takes writes alone"));
        }
        if queue_depth == 0 || queue_depth > DEPTH_MAX {
            let message = format!("a queue depth of {queue_depth} is not between 1 and {DEPTH_MAX}");
            return Err(EngineError::new(message));
        }
        let longest = self.namespace.longest;
        if max_transfer > longest {
            return Err(EngineError::new(format!("the drive takes at most {longest} in one command")));
        }
        Ok(())
    }

    fn collect(&mut self, out: &mut Batch) -> Result<(), EngineError> {
        let Some(ring) = &mut self.ring else { return Ok(()) };
        let now = self.clock.now();
        for entry in ring.completion().take(out.room()) {
            if let Some(again) = self.slots.send_again(entry.user_data(), entry.result()) {
                self.slots.again.push(again);
                continue;
            }
            let in_flight = self.slots.release(entry.user_data()).ok_or_else(not_in_flight)?;
            let result = entry.result();
            if result > 0 && self.first_failure.is_none() {
                self.first_failure = Some(result);
                self.obtained.got(FIRST_FAILURE, format!("NVMe status {result:#x}"));
            }
            out.push(completion(&in_flight, now, status(result)));
        }
        self.slots.take_answered(out);
        if self.slots.again.is_empty() { Ok(()) } else { self.send_again() }
    }

    /// Has a worker of the kernel, which may wait, send the commands that it did not begin, as they would have waited for room.
    #[cold]
    fn send_again(&mut self) -> Result<(), EngineError> {
        let (Some(ring), Some(area)) = (&mut self.ring, &self.area) else { return Err(not_prepared()) };
        self.slots.sent_again += self.slots.again.len() as u64;
        for Again { slot, request } in self.slots.again.drain(..) {
            let entry = self.form.entry(&request, slot, area.address(slot as usize));
            let entry = entry.flags(self.form.flags() | squeue::Flags::ASYNC);
            // SAFETY: the entry's buffer is that of a slot which stays taken until the completion is reaped, and the mapping
            // outlives the ring.
            let pushed = unsafe { ring.submission().push(&entry) };
            pushed.map_err(|_| EngineError::new("the ring has no room for a command that is sent again"))?;
        }
        Ok(())
    }
}

/// Whether a request is a write of whole blocks, no longer than what was prepared for, before the end of what was cleared.
fn is_allowed(request: &Request, block: u64, longest: ByteCount, end: Sector) -> bool {
    let sectors = block / SECTOR_BYTES;
    let (start, length) = (request.extent.start.get(), u64::from(request.extent.length.get()));
    request.op == Op::Write
        && length > 0
        && start.is_multiple_of(sectors)
        && length.is_multiple_of(sectors)
        && request.extent.length.bytes() <= longest
        && request.extent.end() <= end
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

impl Engine for PassthroughEngine {
    fn prepare(&mut self, limits: Limits) -> Result<(), EngineError> {
        self.check(limits)?;
        if self.slots.in_flight() > 0 || self.has_given_up {
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
            register_files(&ring.submitter(), &self.namespace.descriptors(), &self.obtained);
        if self.namespace.takes_registered_buffers {
            self.form.registered_buffers = register_buffers(&ring.submitter(), &area, &self.obtained);
        } else {
            let why = "commands take none from them (Linux 6.1 and later)";
            self.obtained.refused("buffers", why, "mapped for each I/O");
        }
        self.slots = self.slots.of_next_phase(limits.queue_depth);
        self.limits = limits;
        (self.ring, self.area) = (Some(ring), Some(area));
        Ok(())
    }

    fn release(&mut self) {
        let is_drained = self.drain();
        // A ring that still has commands in flight keeps what is registered with it, the claimed device too.
        if let Some(ring) = self.ring.take().filter(|_| is_drained) {
            give_back(&ring.submitter());
        }
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
        let end = self.namespace.allowed_range().end;
        if !is_allowed(&request, self.namespace.block(), self.limits.max_transfer, end) {
            self.slots.refuse(request, self.clock.now());
            return Ok(());
        }
        let (Some(ring), Some(area)) = (&mut self.ring, &mut self.area) else { return Err(Full(request)) };
        let Some(slot) = self.slots.take() else { return Err(Full(request)) };
        self.payload.stamp(&request, area.buffer(slot as usize));
        let entry = self.form.entry(&request, slot, area.address(slot as usize));
        self.slots.put(slot, InFlight::new(request, self.clock.now()));
        // SAFETY: the entry's buffer is that of a slot which stays taken until the completion is reaped, and the mapping
        // outlives the ring.
        if unsafe { ring.submission().push(&entry) }.is_err() {
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
        // The drive may still read the buffers: they stay, with the ring, for as long as the program is there.
        std::mem::forget((self.ring.take(), self.area.take()));
        self.slots.give_up(now)
    }

    fn reap(&mut self, until: Instant, out: &mut Batch) -> Result<(), EngineError> {
        let Some(ring) = &mut self.ring else { return Err(not_prepared()) };
        let has_answers = !self.slots.answered.is_empty() || !ring.completion().is_empty();
        let left = until.since(self.clock.now()).min(WAIT_MAX);
        wait::entered(wait::for_one(ring, if has_answers { Nanos::ZERO } else { left }))?;
        self.collect(out)
    }
}

impl PassthroughEngine {
    /// Waits a while for what the drive still does with the buffers; whether nothing is in flight then.
    fn drain(&mut self) -> bool {
        let Some(ring) = &mut self.ring else { return true };
        let is_drained = wait::drain(ring, &mut self.slots, &self.clock);
        if !is_drained {
            std::mem::forget(self.area.take());
        }
        is_drained
    }
}

impl Drop for PassthroughEngine {
    /// The buffers go only when nobody writes into them any more.
    fn drop(&mut self) {
        self.drain();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use drivelab_block::{Extent, PhaseId, QueueId, SectorCount};

    #[test]
    fn nothing_but_whole_blocks_before_the_end_is_written() {
        let allowed = |op, start, length| {
            let extent = Extent { start: Sector::new(start), length: SectorCount::new(length) };
            let (intended_at, queue, phase) = (Instant::ORIGIN, QueueId(0), PhaseId(0));
            let request = Request { op, extent, intended_at, queue, phase };
            is_allowed(&request, 4096, ByteCount::new(64 << 10), Sector::new(1_000))
        };
        assert!(allowed(Op::Write, 0, 128) && allowed(Op::Write, 992, 8));
        let beyond = [(992, 16), (1_000, 8), (1 << 54, 8)];
        let ragged = [(4, 8), (0, 12), (0, 0), (0, 136)];
        for (start, length) in beyond.into_iter().chain(ragged) {
            assert!(!allowed(Op::Write, start, length), "{start}+{length}");
        }
        assert!([Op::Read, Op::Discard, Op::Flush].into_iter().all(|op| !allowed(op, 0, 8)));
    }
}
