//! Requests to a drive that is looked at before it serves them: one that rests, fails, hangs or is not as large as it seems.

use drivelab_block::{Extent, Op, Request, Status};

use super::{ANSWER_NANOS, SimDrive};
use crate::span::UnitSpan;

impl SimDrive {
    /// Serves a request that the drive begins with at `at`; returns when it is answered and how: at `u64::MAX` where it never is.
    pub(super) fn serve_examined(&mut self, at: u64, request: &Request) -> (u64, Status) {
        if at == u64::MAX {
            self.writes += u64::from(request.op == Op::Write);
            return self.unless_cut_off(at, Status::OK);
        }
        if let Some(errno) = self.defects.as_mut().and_then(|defects| defects.refusal(at, request)) {
            // The number of a write is that of the host, which counts those that fail.
            self.writes += u64::from(request.op == Op::Write);
            return (self.freezes.thawed(at + ANSWER_NANOS), Status::errno(errno));
        }
        let (answered_at, status) =
            if self.resting.is_some() { self.serve_rested(at, request) } else { self.serve_at(at, request) };
        self.unless_cut_off(answered_at, status)
    }

    /// What a request gets that would be answered so, on a drive that may go away before that.
    fn unless_cut_off(&mut self, answered_at: u64, status: Status) -> (u64, Status) {
        let cut_off = self.defects.as_mut().and_then(|defects| defects.cut_off(answered_at));
        let errno = |(at, errno): (u64, i32)| (at.max(self.now + ANSWER_NANOS), Status::errno(errno));
        cut_off.map_or((answered_at, status), errno)
    }

    /// Where an extent really lies, in its order: itself, or pieces of a drive that is not as large as it seems.
    pub(super) fn pieces(&self, extent: Extent) -> Vec<Extent> {
        self.capacity.map_or_else(|| vec![extent], |capacity| capacity.pieces(extent))
    }

    /// Reads an extent of a drive that is not as large as it seems.
    #[cold]
    pub(super) fn read_pieces(&mut self, at: u64, extent: Extent) -> u64 {
        let mut done = at;
        for piece in self.pieces(extent) {
            done = done.max(self.mechanism.read(at, piece.start.get(), UnitSpan::touched(piece)));
        }
        done
    }
}
