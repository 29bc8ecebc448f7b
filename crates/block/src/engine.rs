//! The seam: what a drive, real or simulated, answers to.

use std::fmt;
use std::sync::Arc;

use crate::{ByteCount, Completion, Instant, OpSet, Request};

/// All that a phase will ask of an engine, so that everything is allocated before the clock starts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// The most requests in flight at once; at least 1.
    pub queue_depth: u32,
    /// The longest read or write.
    pub max_transfer: ByteCount,
    /// The operations that will be asked for.
    pub ops: OpSet,
}

/// A place where I/O is done: a real drive, a file, or a simulated drive whose clock is virtual.
///
/// [`Engine::reap`] is the only place where time passes: the real engine waits in the kernel, the simulated
/// one moves its clock to the next event. Pacing is `reap(until)`, never sleep.
pub trait Engine {
    /// Takes up the limits of the next phase, on the thread that will run it. Nothing may be in flight.
    ///
    /// # Errors
    /// Where the limits cannot be met: an operation the target does not have or was not cleared for, a
    /// depth or length beyond what the machine gives.
    fn prepare(&mut self, limits: Limits) -> Result<(), EngineError>;

    /// The engine's clock.
    fn now(&self) -> Instant;

    /// Takes a request; it is sent to the drive at the next [`Engine::reap`] at the latest.
    ///
    /// # Errors
    /// [`Full`] hands the request back where `queue_depth` requests are in flight.
    fn submit(&mut self, request: Request) -> Result<(), Full>;

    /// Gives back what [`Engine::prepare`] took up, on the thread that took it. Where a phase broke, requests may be
    /// in flight: it waits a while for them, and nobody hears of them again.
    fn release(&mut self) {}

    /// When the request was sent that has been in flight for longest; none where nothing is in flight. Looks at all of them.
    fn oldest_sent_at(&self) -> Option<Instant>;

    /// Gives up what is in flight, on the thread that prepared the engine: nothing of it is waited for or reaped any more, also
    /// when the engine is released or dropped. Returns each request as one that was not answered until now
    /// ([`Status::UNANSWERED`](crate::Status::UNANSWERED)). The drive may still do it. An engine that has given up requests
    /// cannot be prepared again.
    fn give_up(&mut self) -> Vec<Completion>;

    /// What another thread can see of this engine; asked for on its own thread, once it is prepared. None where that thread
    /// always comes back from the kernel.
    fn onlooker(&self) -> Option<Arc<dyn Onlooker>> {
        None
    }

    /// Sends what was submitted, waits until at least one request is complete or `until` has come, and adds
    /// the completions to `out` as far as it has room. `until` in the past only polls; with nothing in
    /// flight, time passes to `until`, or nearly: whoever needs the moment itself looks at the clock and asks again.
    ///
    /// # Errors
    /// Where the harness itself broke. A failed I/O is no error: see [`Completion::status`].
    fn reap(&mut self, until: Instant, out: &mut Batch) -> Result<(), EngineError>;
}

/// What another thread can see of an engine whose own thread may be kept inside the kernel for as long as a drive hangs, where
/// nothing interrupts it: a file system may need its journal to take a request.
pub trait Onlooker: fmt::Debug + Send + Sync {
    /// The engine's clock.
    fn now(&self) -> Instant;

    /// Since when the engine's thread has been in [`Engine::reap`]; none while it is elsewhere.
    fn inside_since(&self) -> Option<Instant>;

    /// How many requests are in flight, with those that are about to be sent.
    fn in_flight(&self) -> usize;

    /// Each of them as one that was not answered until now ([`Status::UNANSWERED`](crate::Status::UNANSWERED)), in place of
    /// [`Engine::give_up`]. The engine still has them.
    fn unanswered(&self) -> Vec<Completion>;
}

/// Where completions go.
pub trait Sink {
    /// Takes completions in the order in which they were seen. Must not allocate, lock or wait on a real drive.
    fn accept(&mut self, completions: &[Completion]);
}

/// The engine has no slot left; here is the request again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Full(pub Request);

/// The harness broke: a ring, a descriptor, a configuration. Never a failed I/O.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct EngineError {
    message: String,
    source: Option<std::io::Error>,
    /// Whether the target does not have an operation that was needed.
    pub is_unsupported: bool,
}

impl EngineError {
    /// An error that says what happened and what to do about it.
    pub fn new(message: impl Into<String>) -> EngineError {
        EngineError { message: message.into(), source: None, is_unsupported: false }
    }

    /// The same, with the system's own error behind it.
    pub fn from_io(message: impl Into<String>, source: std::io::Error) -> EngineError {
        EngineError { source: Some(source), ..EngineError::new(message) }
    }

    /// The target does not have an operation that a phase needs.
    pub fn unsupported(message: impl Into<String>) -> EngineError {
        EngineError { is_unsupported: true, ..EngineError::new(message) }
    }
}

/// Completions on their way from an engine to a sink: a list of fixed capacity that never reallocates.
#[derive(Debug)]
pub struct Batch {
    completions: Vec<Completion>,
    capacity: usize,
}

impl Batch {
    /// An empty batch with room for `capacity` completions, at least one.
    pub fn with_capacity(capacity: usize) -> Batch {
        let capacity = capacity.max(1);
        Batch { completions: Vec::with_capacity(capacity), capacity }
    }

    /// How many more completions fit.
    #[inline]
    pub fn room(&self) -> usize {
        self.capacity - self.completions.len()
    }

    /// Adds a completion.
    ///
    /// # Panics
    /// Where there is no [`room`](Batch::room): the engine broke its contract.
    #[inline]
    pub fn push(&mut self, completion: Completion) {
        assert!(self.room() > 0, "an engine reaped more completions than the batch has room for");
        self.completions.push(completion);
    }

    /// The completions, oldest first.
    #[inline]
    pub fn as_slice(&self) -> &[Completion] {
        &self.completions
    }

    /// Forgets the completions and keeps the room.
    #[inline]
    pub fn clear(&mut self) {
        self.completions.clear();
    }
}
