//! What an engine writes, and what looks at the data that it reads.

use drivelab_block::{Op, Payload, Request, Status};

/// The payload of an engine.
pub struct EnginePayload {
    payload: Box<dyn Payload>,
    /// Asked once, so that reads at which nothing looks cost no call.
    looks: bool,
}

impl EnginePayload {
    pub fn new(payload: Box<dyn Payload>) -> EnginePayload {
        EnginePayload { looks: payload.looks(), payload }
    }

    pub fn fill(&mut self, buffer: &mut [u8]) {
        self.payload.fill(buffer);
    }

    #[inline]
    pub fn stamp(&mut self, request: &Request, buffer: &mut [u8]) {
        self.payload.stamp(request, buffer);
    }

    /// Shows a payload that looks at reads the bytes that one brought.
    #[inline]
    pub fn show(&mut self, request: &Request, status: Status, buffer: &[u8]) {
        if self.looks && request.op == Op::Read && status.is_ok() {
            let length = usize::try_from(request.extent.length.bytes().get()).unwrap_or(buffer.len());
            self.payload.returned(request, &buffer[..length.min(buffer.len())]);
        }
    }
}
