//! The standard streams of a process that ends.

use std::fs::OpenOptions;
use std::os::fd::AsRawFd as _;

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
