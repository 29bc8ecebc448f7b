//! Waiting in the kernel for what a ring has in flight.

use std::io;

use drivelab_block::{EngineError, Nanos};
use io_uring::types::{SubmitArgs, Timespec};
use io_uring::{IoUring, cqueue, squeue};

use crate::Clock;
use crate::slots::Slots;

/// How long the end of a phase that broke waits for what is in flight.
const DRAIN: Nanos = Nanos::from_secs(10);
/// A part of that: how long at most a wait is deaf to what else came.
const STEP: Nanos = Nanos::from_millis(100);
/// `IORING_ENTER_GETEVENTS`: with no completion asked for, the kernel runs those that are ready and comes back.
const GET_EVENTS: u32 = 1;

/// Sends what was submitted, and waits for the first completion, `patience` at most; with none it runs the completions that
/// the kernel has ready, and comes straight back.
pub fn for_one<S, C>(ring: &IoUring<S, C>, patience: Nanos) -> io::Result<usize>
where
    S: squeue::EntryMarker,
    C: cqueue::EntryMarker,
{
    let patience = patience.get();
    let timespec = Timespec::new().sec(patience / 1_000_000_000).nsec((patience % 1_000_000_000) as u32);
    ring.submitter().submit_with_args(1, &SubmitArgs::new().timespec(&timespec))
}

/// Sends what was submitted, and runs the completions that the kernel has ready, without a wait.
pub fn poll(ring: &mut IoUring) -> io::Result<usize> {
    let submitted = u32::try_from(ring.submission().len()).unwrap_or(u32::MAX);
    // SAFETY: the call has no argument that it could read, and names no more entries than there are.
    unsafe { ring.submitter().enter::<libc::sigset_t>(submitted, 0, GET_EVENTS, None) }
}

/// What the kernel said to a wait. That the time is over, that a signal came (so that the caller can look at its flag) and
/// that it wants a reap first are no errors.
pub fn entered(answer: io::Result<usize>) -> Result<(), EngineError> {
    match answer.map_err(|error| (error.raw_os_error(), error)) {
        Ok(_) | Err((Some(libc::ETIME | libc::EINTR | libc::EBUSY | libc::EAGAIN), _)) => Ok(()),
        Err((_, error)) => Err(EngineError::from_io("the ring could not be entered", error)),
    }
}

/// Waits a while for all that is in flight, whose answers nobody wants any more; whether nothing is then. The kernel answers
/// the thread that made the ring, and nobody else.
///
/// Where something still is, its buffers have to stay for as long as the drive may reach them: for ever, then.
#[must_use]
pub fn drain<S, C>(ring: &mut IoUring<S, C>, slots: &mut Slots, clock: &Clock) -> bool
where
    S: squeue::EntryMarker,
    C: cqueue::EntryMarker,
{
    let give_up_at = clock.now() + DRAIN;
    while slots.in_flight() > 0 {
        let waited = entered(for_one(ring, STEP));
        for entry in ring.completion() {
            let entry: cqueue::Entry = entry.into();
            slots.release(entry.user_data());
        }
        if waited.is_err() || clock.now() > give_up_at {
            return false;
        }
    }
    true
}
