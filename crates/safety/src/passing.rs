//! Telling a passing look at a drive from a use of it.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, pidfd_open};

use crate::{Census, Reason, System, Use};

/// How long a process that has the target open is given to end by itself: programs that look at every drive
/// (`blkid`, `losetup`, udev's) are gone within milliseconds.
const PATIENCE: Timespec = Timespec { tv_sec: 0, tv_nsec: 250_000_000 };

/// How often a process that has ended is followed by another look.
const LOOKS: usize = 4;

/// The reasons that `judge` finds in the machine, once those processes are gone that only had a look.
pub(crate) fn settled(system: &System, judge: impl Fn(&Census) -> Vec<Reason>) -> Vec<Reason> {
    let mut reasons = judge(&Census::take(system));
    for _ in 1..LOOKS {
        let openers: Vec<u32> = reasons.iter().filter_map(opener).collect();
        if openers.is_empty() || !one_ends(&openers) {
            break;
        }
        reasons = judge(&Census::take(system));
    }
    reasons
}

fn opener(reason: &Reason) -> Option<u32> {
    match reason {
        Reason::InUse(Use::Open { process, .. }) => Some(*process),
        _ => None,
    }
}

/// Waits until one of the processes has ended; `false` where none does in time.
fn one_ends(processes: &[u32]) -> bool {
    let mut ends = Vec::new();
    for process in processes {
        let Some(pid) = i32::try_from(*process).ok().and_then(Pid::from_raw) else { continue };
        match pidfd_open(pid, PidfdFlags::empty()) {
            Ok(end) => ends.push(end),
            Err(Errno::SRCH) => return true,
            Err(_) => {}
        }
    }
    let mut polled: Vec<PollFd<'_>> = ends.iter().map(|end| PollFd::new(end, PollFlags::IN)).collect();
    matches!(poll(&mut polled, Some(&PATIENCE)), Ok(ended) if ended > 0)
}
