//! A request on its way, and what became of it.

use drivelab_block::{Completion, Instant, Op, Payload, Request, Status};

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

/// Shows a payload that looks at what was read the bytes that came.
#[inline]
pub fn look<P: Payload>(payload: &mut P, buffer: &mut [u8], request: &Request, status: Status) {
    if P::LOOKS && request.op == Op::Read && status.is_ok() {
        let length = usize::try_from(request.extent.length.bytes().get()).unwrap_or(buffer.len());
        payload.returned(request, &buffer[..length.min(buffer.len())]);
    }
}
