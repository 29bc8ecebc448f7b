//! This process as the kernel has it: its processor time, the I/O priority of its threads, and its standard streams when it ends.

use std::fs::OpenOptions;
use std::io;
use std::os::fd::AsRawFd as _;

use drivelab_block::Nanos;

/// `IOPRIO_WHO_PROCESS`: the number names a thread.
const THREAD: libc::c_int = 1;
/// Where the class begins in the number of a priority.
const CLASS_SHIFT: libc::c_int = 13;
/// `IOPRIO_CLASS_RT`: served before all others, where the scheduler honours priorities.
const REAL_TIME: libc::c_int = 1;

/// Processor time of all threads of this program, kernel workers of its rings included, since it began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OwnTime {
    /// In user mode.
    pub user: Nanos,
    /// In the kernel.
    pub system: Nanos,
}

impl OwnTime {
    /// The time since an earlier reading.
    #[must_use]
    pub fn since(self, earlier: OwnTime) -> OwnTime {
        OwnTime { user: self.user - earlier.user, system: self.system - earlier.system }
    }
}

/// Asks the kernel (`getrusage`).
pub fn own_time() -> OwnTime {
    // SAFETY: the structure is plain numbers, for which zeros are a value.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: the pointer is to a structure of the type that the call fills.
    if unsafe { libc::getrusage(libc::RUSAGE_SELF, &raw mut usage) } != 0 {
        return OwnTime::default();
    }
    let nanos = |time: libc::timeval| {
        let (seconds, micros) = (u64::try_from(time.tv_sec), u64::try_from(time.tv_usec));
        Nanos::from_secs(seconds.unwrap_or(0)) + Nanos::from_micros(micros.unwrap_or(0))
    };
    OwnTime { user: nanos(usage.ru_utime), system: nanos(usage.ru_stime) }
}

/// Puts the requests that the calling thread makes from now on into the real-time class, at its highest level. It ends with
/// the thread. Only some schedulers honour it (bfq, mq-deadline).
///
/// # Errors
/// Where the process may not (`CAP_SYS_NICE` or `CAP_SYS_ADMIN`).
pub fn prefer_this_thread() -> io::Result<()> {
    // SAFETY: the call takes three numbers; 0 is the calling thread.
    let set = unsafe { libc::syscall(libc::SYS_ioprio_set, THREAD, 0, REAL_TIME << CLASS_SHIFT) };
    if set == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Has the standard streams of this process lead nowhere, so that whoever reads them sees their end, also where the process
/// itself cannot end yet: the kernel keeps what it has open until the last request of a ring is done.
pub fn leave_standard_streams() {
    let Ok(nowhere) = OpenOptions::new().read(true).write(true).open("/dev/null") else { return };
    for stream in [libc::STDIN_FILENO, libc::STDOUT_FILENO, libc::STDERR_FILENO] {
        // SAFETY: the call takes two descriptors, and no memory; the standard streams stay open under their numbers.
        let _ = unsafe { libc::dup2(nowhere.as_raw_fd(), stream) };
    }
}

/// Keeps a descriptor that this process was started with from the programs that it starts itself.
pub fn keep_from_programs(descriptor: i32) {
    // SAFETY: the call takes numbers only.
    let _ = unsafe { libc::fcntl(descriptor, libc::F_SETFD, libc::FD_CLOEXEC) };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_is_counted() {
        let before = own_time();
        let mut sum = 0_u64;
        while own_time().since(before).user < Nanos::from_millis(20) {
            sum = std::hint::black_box(sum.wrapping_mul(31).wrapping_add(7));
        }
        assert!(own_time().user > before.user, "{sum}");
    }
}
