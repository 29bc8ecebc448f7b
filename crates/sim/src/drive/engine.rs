//! The simulated drive as an engine: requests in, completions out.

use drivelab_block::{Batch, Completion, Engine, EngineError, Full, Instant, Limits, Op, Request, Status};

use super::SimDrive;
use crate::profile::TrimModel;

impl Engine for SimDrive {
    fn prepare(&mut self, limits: Limits) -> Result<(), EngineError> {
        if !self.in_flight.is_empty() {
            return Err(EngineError::new(
                "a phase was prepared while requests were in flight: reap them first",
            ));
        }
        if limits.ops.contains(Op::Discard) && self.trim == TrimModel::Absent {
            return Err(EngineError::unsupported(
                "this simulated drive has no trim: use a profile with trim=true, or leave it out",
            ));
        }
        self.depth = limits.queue_depth.max(1) as usize;
        self.in_flight.reserve(self.depth);
        Ok(())
    }

    fn now(&self) -> Instant {
        Instant::from_nanos(self.now)
    }

    fn submit(&mut self, request: Request) -> Result<(), Full> {
        if self.in_flight.len() >= self.depth {
            return Err(Full(request));
        }
        let (done, status) = self.serve(&request);
        let submitted_at = self.now();
        let completed_at = Instant::from_nanos(done);
        self.enqueue(completed_at, || request.completion(submitted_at, completed_at, status));
        Ok(())
    }

    fn release(&mut self) {
        // What a drive that hangs has not answered is waited for by nothing any more.
        self.in_flight.clear();
    }

    fn oldest_sent_at(&self) -> Option<Instant> {
        self.in_flight.iter().map(|one| one.submitted_at).min()
    }

    fn give_up(&mut self) -> Vec<Completion> {
        let (completed_at, status) = (self.now(), Status::UNANSWERED);
        let unanswered = |one: Completion| Completion { issued_at: None, completed_at, status, ..one };
        self.in_flight.drain(..).map(unanswered).collect()
    }

    fn reap(&mut self, until: Instant, out: &mut Batch) -> Result<(), EngineError> {
        let until = until.as_nanos();
        match self.in_flight.front().map(|next| next.completed_at.as_nanos()) {
            Some(u64::MAX) if until == u64::MAX => {
                return Err(EngineError::new(
                    "the simulated drive was asked to wait for ever for a request that it never answers: it hangs",
                ));
            }
            Some(next) if next <= until => self.advance(next),
            None if until == u64::MAX => {
                return Err(EngineError::new(
                    "the simulated drive was asked to wait for ever with nothing in flight",
                ));
            }
            _ => self.advance(until),
        }
        while out.room() > 0
            && let Some(next) = self.in_flight.front()
            && next.completed_at.as_nanos() <= self.now
        {
            out.push(*next);
            self.in_flight.pop_front();
        }
        Ok(())
    }
}
