//! A request on its way.

use drivelab_block::{Instant, Request};

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
