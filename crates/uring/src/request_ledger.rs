//! What another thread sees of an engine whose own thread may be kept inside the kernel.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use drivelab_block::{Completion, Instant, Onlooker, Status};

use crate::Clock;
use crate::in_flight::{InFlight, completion};

/// No moment: the engine's thread is outside.
const NEVER: u64 = u64::MAX;

/// The requests in flight, and where the engine's thread is. It is locked twice a request, and as a rule no other thread waits.
#[derive(Debug)]
pub struct RequestLedger {
    clock: Clock,
    inside_since: AtomicU64,
    requests: Mutex<Vec<Option<InFlight>>>,
}

impl RequestLedger {
    /// A ledger for as many requests as may be in flight.
    pub fn new(clock: Clock, depth: u32) -> RequestLedger {
        RequestLedger {
            clock,
            inside_since: AtomicU64::new(NEVER),
            requests: Mutex::new(vec![None; depth as usize]),
        }
    }

    /// The engine's thread is about to ask the kernel.
    #[inline]
    pub fn enter(&self) {
        self.inside_since.store(self.clock.now().as_nanos(), Ordering::Relaxed);
    }

    /// It has come back.
    #[inline]
    pub fn leave(&self) {
        self.inside_since.store(NEVER, Ordering::Relaxed);
    }

    /// This request is in flight.
    #[inline]
    pub fn put(&self, slot: usize, in_flight: InFlight) {
        if let Some(place) = self.locked().get_mut(slot) {
            *place = Some(in_flight);
        }
    }

    /// It is no longer.
    #[inline]
    pub fn release(&self, slot: usize) {
        if let Some(place) = self.locked().get_mut(slot) {
            *place = None;
        }
    }

    fn locked(&self) -> MutexGuard<'_, Vec<Option<InFlight>>> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Onlooker for RequestLedger {
    fn now(&self) -> Instant {
        self.clock.now()
    }

    fn inside_since(&self) -> Option<Instant> {
        match self.inside_since.load(Ordering::Relaxed) {
            NEVER => None,
            nanos => Some(Instant::from_nanos(nanos)),
        }
    }

    fn in_flight(&self) -> usize {
        self.locked().iter().flatten().count()
    }

    fn unanswered(&self) -> Vec<Completion> {
        let now = self.clock.now();
        let all = self.locked();
        all.iter().flatten().map(|in_flight| completion(in_flight, now, Status::UNANSWERED)).collect()
    }
}

#[cfg(test)]
mod tests {
    use drivelab_block::{Extent, Op, PhaseId, QueueId, Request, Sector, SectorCount};

    use super::*;
    use crate::slots::Slots;

    #[test]
    fn another_thread_sees_what_is_in_flight_and_where_the_engines_own_is() {
        let ledger = std::sync::Arc::new(RequestLedger::new(Clock::start(), 2));
        let mut slots = Slots::new(2).seen_in(Some(ledger.clone()));
        let extent = Extent { start: Sector::new(8), length: SectorCount::new(8) };
        let (intended_at, queue, phase) = (Instant::ORIGIN, QueueId(3), PhaseId(0));
        let request = Request { op: Op::Write, extent, intended_at, queue, phase };
        let slot = slots.take().expect("a free slot");
        slots.put(slot, InFlight::new(request, Instant::from_nanos(7)));
        assert_eq!((ledger.in_flight(), ledger.inside_since()), (1, None));
        ledger.enter();
        let seen = std::thread::scope(|scope| {
            let onlooker: &dyn Onlooker = &*ledger;
            scope.spawn(|| (onlooker.inside_since(), onlooker.unanswered())).join().expect("a thread")
        });
        assert!(seen.0.is_some_and(|since| since <= ledger.now()));
        assert_eq!((seen.1.len(), seen.1[0].status, seen.1[0].extent), (1, Status::UNANSWERED, extent));
        ledger.leave();
        slots.release(u64::from(slot));
        assert_eq!((ledger.in_flight(), ledger.inside_since()), (0, None));
    }
}
