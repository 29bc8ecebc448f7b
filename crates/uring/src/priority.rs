//! The I/O priority of a thread, which each of its requests takes along.

use std::io;

/// `IOPRIO_WHO_PROCESS`: the number names a thread.
const THREAD: libc::c_int = 1;
/// Where the class begins in the number of a priority.
const CLASS_SHIFT: libc::c_int = 13;
/// `IOPRIO_CLASS_RT`: served before all others, where the scheduler honours priorities.
const REAL_TIME: libc::c_int = 1;

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
