//! Telling a passing look at a drive from a use of it.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, pidfd_open};

use crate::{Reason, System, Unseen, UsageScan, Use};

/// How long a process that has the target open is given to end by itself: programs that look at every drive
/// (`blkid`, `losetup`, udev's) are gone within milliseconds.
const PATIENCE: Timespec = Timespec { tv_sec: 0, tv_nsec: 250_000_000 };

/// How long what does not show itself is given.
const MOMENT: Timespec = Timespec { tv_sec: 0, tv_nsec: 20_000_000 };

/// How often a process that has ended is followed by another look.
const LOOKS: usize = 4;

/// The reasons that `judge` finds in the machine, once those processes are gone that only had a look.
pub(crate) fn settled(system: &System, judge: impl Fn(&UsageScan) -> Vec<Reason>) -> Vec<Reason> {
    let mut reasons = judge(&UsageScan::take(system));
    for _ in 1..LOOKS {
        let openers: Vec<u32> = reasons.iter().filter_map(opener).collect();
        let is_worth_a_look = if openers.is_empty() { is_passing(&reasons) } else { one_ends(&openers) };
        if !is_worth_a_look {
            break;
        }
        reasons = judge(&UsageScan::take(system));
    }
    reasons
}

/// Whether something did not show itself that may do so in a moment: a process that is just being started
/// still has the rights of the one that starts it, and a loop device may be on its way. Waits for that
/// moment.
fn is_passing(reasons: &[Reason]) -> bool {
    let passes = |reason: &Reason| {
        let Reason::UsersNotSeen { unseen, .. } = reason else { return false };
        matches!(unseen, Unseen::OpenFiles(_) | Unseen::Backing(_))
    };
    let is_passing = reasons.iter().any(passes);
    if is_passing {
        wait_a_moment();
    }
    is_passing
}

/// Waits for what is about to show itself.
pub(crate) fn wait_a_moment() {
    // Nothing can be polled for here but the time.
    let _ = poll(&mut [], Some(&MOMENT));
}

fn opener(reason: &Reason) -> Option<u32> {
    match reason {
        Reason::InUse(Use::Open { process, .. } | Use::Mapped { process, .. }) => Some(*process),
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

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    /// How often the machine is looked at where the first look finds `first` and each other one nothing, and what is found.
    fn looks(first: &Reason) -> (usize, Vec<Reason>) {
        let folder = tempfile::tempdir().expect("a folder");
        let looks = Cell::new(0);
        let reasons = settled(&System::rooted_at(folder.path()), |_| {
            looks.set(looks.get() + 1);
            if looks.get() == 1 { vec![first.clone()] } else { vec![] }
        });
        (looks.get(), reasons)
    }

    fn open_in(process: u32) -> Reason {
        let (device, command) = (Some("sda".to_owned()), "blkid".to_owned());
        Reason::InUse(Use::Open { device, process, command, writes: false })
    }

    #[test]
    fn a_process_that_only_had_a_look_at_the_drive_is_no_reason_against_it() {
        let mut child = std::process::Command::new("true").spawn().expect("a process");
        let ended = child.id();
        child.wait().expect("its end");
        assert_eq!(looks(&open_in(ended)), (2, vec![]));
        let goes_on = open_in(std::process::id());
        assert_eq!(looks(&goes_on), (1, vec![goes_on.clone()]));
    }

    #[test]
    fn what_does_not_show_itself_is_looked_for_again_and_what_stays_is_not() {
        let not_seen = |unseen| Reason::UsersNotSeen { unseen, is_file: false };
        assert_eq!(looks(&not_seen(Unseen::OpenFiles(1))), (2, vec![]));
        assert_eq!(looks(&not_seen(Unseen::Backing(vec!["loop0".into()]))), (2, vec![]));
        for stays in [not_seen(Unseen::Mounts), Reason::ReadOnly("sda".into())] {
            assert_eq!(looks(&stays), (1, vec![stays.clone()]));
        }
    }
}
