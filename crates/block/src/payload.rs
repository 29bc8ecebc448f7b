//! What is written, and what is read back.

use crate::Request;

/// Fills the buffers that writes are made from.
///
/// An engine keeps one buffer a slot. It calls [`Payload::fill`] once for each before the clock starts, and
/// [`Payload::stamp`] before every write, so that the work done while the clock runs stays small.
pub trait Payload: Send {
    /// Fills a buffer before the run, as long as the longest request.
    fn fill(&mut self, buffer: &mut [u8]);

    /// Makes the first `request.extent.length` sectors of `buffer` the contents of this write.
    fn stamp(&mut self, request: &Request, buffer: &mut [u8]);

    /// Whether [`Payload::returned`] looks at what reads bring back: the same in all of a run.
    fn looks(&self) -> bool {
        false
    }

    /// Looks at what a read that went well brought back, before its buffer is used again. The completion has its time
    /// already.
    fn returned(&mut self, request: &Request, buffer: &[u8]) {
        let _ = (request, buffer);
    }
}
