//! Requests that the engine makes itself, by system calls.

use drivelab_block::{Batch, EngineError, Instant, Op, Request};

use super::{UringEngine, not_in_flight};
use crate::aio_batch::AioBatch;
use crate::in_flight::{completion, status};
use crate::ring::not_prepared;
use crate::sync_calls::make;

impl UringEngine {
    /// Makes requests that wait for a system call: all that there is time for, or one where the ring has others, whose
    /// completions would wait unseen. Tells whether there was any.
    pub(super) fn serve(&mut self, until: Instant, out: &mut Batch) -> Result<bool, EngineError> {
        let mut served = false;
        while out.room() > 0
            && let Some(now) = self.serve_next(out)?
        {
            served = true;
            if !self.ring_is_idle() || now >= until {
                break;
            }
        }
        Ok(served)
    }

    /// Makes the next call, and says when it came back; `None` where nothing waits.
    fn serve_next(&mut self, out: &mut Batch) -> Result<Option<Instant>, EngineError> {
        match self.serve_together(out)? {
            Some(now) => Ok(Some(now)),
            None => self.serve_one(out),
        }
    }

    /// Makes the requests that have waited longest in one call; `None` where there are not two for it.
    fn serve_together(&mut self, out: &mut Batch) -> Result<Option<Instant>, EngineError> {
        let goes_along = |slot: Option<u32>| slot.is_some_and(|slot| self.goes_along(slot).is_some());
        if out.room() < 2 || !self.calls.first_two().into_iter().all(goes_along) {
            return Ok(None);
        }
        let Some(mut together) = self.together.take() else { return Ok(None) };
        match self.make_together(&mut together, out) {
            Ok(made) => {
                self.together = Some(together);
                Ok(made)
            }
            Err(error) => {
                for slot in together.abandon() {
                    self.slots.release(u64::from(slot));
                }
                Err(error)
            }
        }
    }

    /// The request in this slot, where that may share a call: a read or a write without a due time, which another's
    /// call would make it miss, and one that no call of several has left undone.
    fn goes_along(&self, slot: u32) -> Option<&Request> {
        let in_flight = self.slots.get(slot)?;
        let request = &in_flight.request;
        let is_unscheduled = request.intended_at == Instant::ORIGIN;
        (is_unscheduled && !in_flight.may_wait && matches!(request.op, Op::Read | Op::Write))
            .then_some(request)
    }

    fn make_together(
        &mut self,
        together: &mut AioBatch,
        out: &mut Batch,
    ) -> Result<Option<Instant>, EngineError> {
        let area = self.area.as_ref().ok_or_else(not_prepared)?;
        while together.len() < out.room()
            && !together.is_full()
            && let [Some(slot), _] = self.calls.first_two()
            && let Some(request) = self.goes_along(slot)
        {
            let number = self.buffer_of(request.op, slot);
            together.push(slot, request, area.address(number));
            self.calls.pop();
        }
        // SAFETY: each buffer is that of a slot which stays taken until the call is over, and the mapping outlives
        // the calls.
        let made = unsafe { together.make(self.access.descriptor()) };
        made.map_err(|error| EngineError::from_io("the answers of a call could not be had", error))?;
        let now = self.clock.now();
        together.left().for_each(|slot| self.calls.put_back(slot));
        let mut ended = None;
        for (slot, result) in together.ended() {
            // The call for one request alone waits in any case.
            if let Some(again) = self.slots.send_again(slot, result) {
                self.slots.sent_again += 1;
                self.calls.put_back(again.slot);
                continue;
            }
            let in_flight = self.slots.release(slot).ok_or_else(not_in_flight)?;
            let status = status(&in_flight.request, result);
            out.push(completion(&in_flight, now, status));
            if let (Some(area), Ok(slot)) = (&mut self.area, usize::try_from(slot)) {
                self.payload.show(&in_flight.request, status, area.buffer(self.first_for_reads + slot));
            }
            ended = Some(now);
        }
        Ok(ended)
    }

    /// Makes the request that has waited longest; `None` where none waits.
    fn serve_one(&mut self, out: &mut Batch) -> Result<Option<Instant>, EngineError> {
        let Some(slot) = self.calls.pop() else { return Ok(None) };
        let in_flight = self.slots.release(u64::from(slot)).ok_or_else(not_in_flight)?;
        let number = self.buffer_of(in_flight.request.op, slot);
        let buffer = self.area.as_mut().ok_or_else(not_prepared)?.buffer(number);
        let status = make(self.access.descriptor(), self.form.is_file, &in_flight.request, buffer);
        let now = self.clock.now();
        out.push(completion(&in_flight, now, status));
        self.payload.show(&in_flight.request, status, buffer);
        Ok(Some(now))
    }
}
