//! The end of a recording, which every wait of a source hears.

use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use drivelab_block::Nanos;
use rustix::event::{EventfdFlags, PollFd, PollFlags, Timespec, eventfd, poll};

/// Tells all sources to end.
#[derive(Debug)]
pub struct Stop {
    raised: AtomicBool,
    event: OwnedFd,
}

/// How a wait ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Woken {
    /// There is something to read, or the end of it.
    Ready,
    /// The time is over.
    TimedOut,
    /// The recording ends.
    Stopped,
}

impl Stop {
    /// Nothing is to end yet.
    ///
    /// # Errors
    /// Where the kernel gives no event descriptor.
    pub fn new() -> io::Result<Stop> {
        let event = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?;
        Ok(Stop { raised: AtomicBool::new(false), event })
    }

    /// Ends every source.
    pub fn raise(&self) {
        if !self.raised.swap(true, Ordering::Release) {
            let _ = rustix::io::write(&self.event, &1_u64.to_ne_bytes());
        }
    }

    /// Whether it was raised.
    pub fn is_raised(&self) -> bool {
        self.raised.load(Ordering::Acquire)
    }

    /// Waits for something to read, where a descriptor is given, for the end, and for `patience` at most.
    ///
    /// # Errors
    /// Where the kernel refuses.
    pub fn wait(&self, descriptor: Option<BorrowedFd<'_>>, patience: Option<Nanos>) -> io::Result<Woken> {
        let mut waited = vec![PollFd::new(&self.event, PollFlags::IN)];
        waited.extend(descriptor.map(|descriptor| PollFd::from_borrowed_fd(descriptor, PollFlags::IN)));
        let patience = patience.map(|nanos| Duration::from_nanos(nanos.get()));
        let patience = patience.and_then(|patience| Timespec::try_from(patience).ok());
        match poll(&mut waited, patience.as_ref()) {
            Err(rustix::io::Errno::INTR) => return Ok(Woken::TimedOut),
            polled => polled?,
        };
        if self.is_raised() {
            return Ok(Woken::Stopped);
        }
        let is_ready = waited.get(1).is_some_and(|polled| !polled.revents().is_empty());
        Ok(if is_ready { Woken::Ready } else { Woken::TimedOut })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_waits_for_nothing_but_the_end_is_woken_by_it() {
        let stop = Stop::new().expect("a descriptor");
        assert!(matches!(stop.wait(None, Some(Nanos::ZERO)), Ok(Woken::TimedOut)) && !stop.is_raised());
        stop.raise();
        assert!(matches!(stop.wait(None, None), Ok(Woken::Stopped)) && stop.is_raised());
    }

    #[test]
    fn a_wait_for_nothing_takes_its_time() {
        let (stop, clock) = (Stop::new().expect("a descriptor"), drivelab_uring::Clock::start());
        for millis in [20, 1_010] {
            let (patience, begun) = (Nanos::from_millis(millis), clock.now());
            assert!(matches!(stop.wait(None, Some(patience)), Ok(Woken::TimedOut)));
            assert!(clock.now().since(begun) >= patience, "{millis} ms");
        }
    }
}
