//! A request on its way, and what became of it.

use drivelab_block::{Completion, Instant, Request, Status};

use crate::entry::expected_result;

/// A request in flight and when it was submitted.
#[derive(Clone, Copy, Debug)]
pub struct InFlight {
    pub request: Request,
    /// When it was submitted first.
    pub submitted_at: Instant,
    /// Whether it was sent a second time, so that it may wait.
    pub may_wait: bool,
}

impl InFlight {
    pub fn new(request: Request, submitted_at: Instant) -> InFlight {
        InFlight { request, submitted_at, may_wait: false }
    }
}

/// What the ring's result says.
#[inline]
pub fn status(request: &Request, result: i32) -> Status {
    match result {
        _ if result < 0 => Status::errno(-result),
        _ if result == expected_result(request) => Status::OK,
        _ => Status::SHORT,
    }
}

/// The record of a request that is done.
#[inline]
pub fn completion(in_flight: &InFlight, completed_at: Instant, status: Status) -> Completion {
    let InFlight { request, submitted_at, .. } = *in_flight;
    request.completion(submitted_at, completed_at, status)
}
