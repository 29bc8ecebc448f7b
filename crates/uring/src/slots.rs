//! The requests in flight, and those that wait for the engine.

use std::sync::Arc;

use drivelab_block::{Batch, Completion, Instant, Request, Status};

use crate::in_flight::{InFlight, completion};
use crate::request_ledger::RequestLedger;

/// The result of a request that would have had to wait, and was sent so that it must not. The device mapper gives it for a
/// request over the border of two parts of its table, which it splits: the second part may find no room, and the ring, which
/// sends everything so at first, hands a request to a worker by itself only if this is the answer to the call.
pub const WOULD_WAIT: i32 = -libc::EAGAIN;

/// A request that is to be sent again, and its slot, which stays taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Again {
    pub slot: u32,
    pub request: Request,
}

/// A table of fixed size; the number of a slot is the user data of its submission entry.
#[derive(Debug)]
pub struct Slots {
    table: Vec<Option<InFlight>>,
    free: Vec<u32>,
    /// Requests that were answered without the drive, waiting to be reaped.
    pub answered: Vec<Completion>,
    /// Requests that are to be sent again, so that they may wait; always empty between two reaps.
    pub again: Vec<Again>,
    /// How many were.
    pub sent_again: u64,
    /// Where another thread sees what is in flight; none if no thread has to.
    pub ledger: Option<Arc<RequestLedger>>,
}

impl Slots {
    pub fn new(depth: u32) -> Slots {
        Slots {
            table: vec![None; depth as usize],
            free: (0..depth).rev().collect(),
            answered: Vec::with_capacity(depth as usize),
            again: Vec::with_capacity(depth as usize),
            sent_again: 0,
            ledger: None,
        }
    }

    /// Those of the next phase, of this depth.
    pub fn of_next_phase(&self, depth: u32) -> Slots {
        Slots { sent_again: self.sent_again, ..Slots::new(depth) }
    }

    /// Has another thread see what is in flight.
    pub fn seen_in(self, ledger: Option<Arc<RequestLedger>>) -> Slots {
        Slots { ledger, ..self }
    }

    /// A free slot; `None` where every slot is taken.
    #[inline]
    pub fn take(&mut self) -> Option<u32> {
        self.free.pop()
    }

    #[inline]
    pub fn put(&mut self, slot: u32, in_flight: InFlight) {
        self.table[slot as usize] = Some(in_flight);
        if let Some(ledger) = &self.ledger {
            ledger.put(slot as usize, in_flight);
        }
    }

    /// What is in flight in a slot.
    #[inline]
    pub fn get(&self, slot: u32) -> Option<&InFlight> {
        self.table.get(slot as usize)?.as_ref()
    }

    /// Notes that the kernel did not begin the request in a slot, which would have had to wait, and gives the request, to be sent
    /// again so that it may wait. `None` if this result is the request's own: another one, or that of a request that might have
    /// waited.
    #[inline]
    pub fn send_again(&mut self, slot: u64, result: i32) -> Option<Again> {
        if result != WOULD_WAIT {
            return None;
        }
        let slot = u32::try_from(slot).ok()?;
        let in_flight = self.table.get_mut(slot as usize)?.as_mut()?;
        let is_first_time = !std::mem::replace(&mut in_flight.may_wait, true);
        is_first_time.then_some(Again { slot, request: in_flight.request })
    }

    /// Frees a slot and says what was in flight there; `None` for a slot that had nothing in flight.
    #[inline]
    pub fn release(&mut self, slot: u64) -> Option<InFlight> {
        let place = usize::try_from(slot).ok()?;
        let in_flight = self.table.get_mut(place)?.take()?;
        self.free.push(u32::try_from(slot).ok()?);
        if let Some(ledger) = &self.ledger {
            ledger.release(place);
        }
        Some(in_flight)
    }

    /// Frees all slots; what was in flight, which is not answered.
    pub fn give_up(&mut self, now: Instant) -> Vec<Completion> {
        self.ledger = None;
        let all: Vec<InFlight> = self.table.iter_mut().filter_map(Option::take).collect();
        self.free = (0..u32::try_from(self.table.len()).unwrap_or(u32::MAX)).rev().collect();
        all.iter().map(|in_flight| completion(in_flight, now, Status::UNANSWERED)).collect()
    }

    /// Answers a request that is not to be sent.
    pub fn refuse(&mut self, request: Request, now: Instant) {
        self.answered.push(completion(&InFlight::new(request, now), now, Status::errno(libc::ENOSPC)));
    }

    /// Hands over what was answered without the drive.
    #[inline]
    pub fn take_answered(&mut self, out: &mut Batch) {
        while out.room() > 0
            && let Some(answered) = self.answered.pop()
        {
            out.push(answered);
        }
    }

    /// When the request was sent that has been in flight for longest.
    pub fn oldest_sent_at(&self) -> Option<Instant> {
        self.table.iter().flatten().map(|in_flight| in_flight.submitted_at).min()
    }

    #[inline]
    pub fn in_flight(&self) -> usize {
        self.table.len() - self.free.len()
    }

    /// How many are in flight, or wait to be reaped.
    #[inline]
    pub fn outstanding(&self) -> usize {
        self.in_flight() + self.answered.len()
    }
}

#[cfg(test)]
mod tests {
    use drivelab_block::{Extent, Nanos, Op, PhaseId, QueueId, Sector, SectorCount};

    use super::*;

    #[test]
    fn a_request_is_sent_again_once_and_keeps_its_first_time() {
        let extent = Extent { start: Sector::new(8), length: SectorCount::new(8) };
        let (intended_at, queue, phase) = (Instant::ORIGIN, QueueId(0), PhaseId(0));
        let request = Request { op: Op::Write, extent, intended_at, queue, phase };
        let mut slots = Slots::new(2);
        assert_eq!(slots.take(), Some(0));
        let slot = slots.take().expect("a free slot");
        let submitted_at = Instant::ORIGIN + Nanos::from_millis(7);
        slots.put(slot, InFlight::new(request, submitted_at));
        let slot = u64::from(slot);
        assert_eq!(slots.send_again(slot, 4096), None, "it was done");
        assert_eq!(slots.send_again(slot, -libc::EIO), None, "it failed");
        assert_eq!(slots.send_again(slot, WOULD_WAIT), Some(Again { slot: 1, request }));
        assert_eq!(slots.send_again(slot, WOULD_WAIT), None, "it might have waited, and failed");
        assert_eq!(slots.in_flight(), 2);
        assert_eq!(slots.release(slot).map(|one| one.submitted_at), Some(submitted_at));
        assert_eq!(slots.send_again(slot, WOULD_WAIT), None, "nothing is in flight there");
    }
}
