//! What is written.

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
}
