//! Waiting while something is watched.

use std::io;
use std::ops::ControlFlow;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;

use drivelab_block::Nanos;
use drivelab_method::Interrupt;

/// Tries something again that failed at first, for a reason that goes away by itself: so many times, after a pause each.
pub fn try_again<T, E>(
    (times, pause): (u32, Duration),
    mut tried: Result<T, E>,
    goes_away: impl Fn(&E) -> bool,
    mut again: impl FnMut() -> Result<T, E>,
) -> Result<T, E> {
    for _ in 0..times {
        if !tried.as_ref().is_err_and(&goes_away) {
            break;
        }
        #[expect(clippy::disallowed_methods, reason = "the kernel tells nobody when it lets go")]
        std::thread::sleep(pause);
        tried = again();
    }
    tried
}

/// Has something looked at again and again on a thread of this name, until that says that it was enough, or what this returns is
/// dropped. The first look is after a wait.
pub fn look_every(
    every: Duration,
    thread: &str,
    mut look: impl FnMut() -> ControlFlow<()> + Send + 'static,
) -> io::Result<Sender<()>> {
    let (end, ended) = channel();
    let watch = move || {
        while ended.recv_timeout(every) == Err(RecvTimeoutError::Timeout) {
            if look().is_break() {
                return;
            }
        }
    };
    std::thread::Builder::new().name(thread.to_owned()).spawn(watch)?;
    Ok(end)
}

/// How often a nap looks at the interrupt.
const GLANCE: Duration = Duration::from_millis(50);

/// Waits, or until the user wants to go.
pub fn nap(idle: Nanos, interrupt: &Interrupt) {
    let mut left = Duration::from_nanos(idle.get());
    while !left.is_zero() && !interrupt.is_raised() {
        let step = left.min(GLANCE);
        #[expect(clippy::disallowed_methods, reason = "the machine is watched while it idles")]
        std::thread::sleep(step);
        left -= step;
    }
}
