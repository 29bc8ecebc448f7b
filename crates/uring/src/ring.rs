//! Setting up a ring: ask for the best, take what the kernel gives, write down the difference.

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};

use drivelab_block::EngineError;
use io_uring::{IoUring, Submitter, cqueue, squeue};

use crate::affinity::kernel_set;
use crate::area::Area;
use crate::{Access, FeatureReport};

/// A ring with its file and its buffers, as far as they could be registered.
pub struct Ring {
    pub queues: IoUring,
    pub registered_file: bool,
    pub registered_buffers: bool,
}

impl Ring {
    /// Builds a ring for `depth` requests in flight on the calling thread, which must be the one to use it.
    pub fn build(
        depth: u32,
        access: &Access,
        area: &Area,
        cpus: Option<&[usize]>,
        obtained: &FeatureReport,
    ) -> Result<Ring, EngineError> {
        let ring = ring_with_best_flags(depth, obtained)?;
        let registered_file = register_files(&ring.submitter(), &[access.descriptor()], obtained);
        let registered_buffers = register_buffers(&ring.submitter(), area, obtained);
        if let Some(cpus) = cpus {
            let kept = ring.submitter().register_iowq_aff(&kernel_set(cpus));
            obtained.asked("kernel workers", kept, "on the workers' processors", "on any processor");
        }
        Ok(Ring { queues: ring, registered_file, registered_buffers })
    }

    /// A ring that takes no request, and serves to wait.
    pub fn without_requests() -> Result<Ring, EngineError> {
        let queues = IoUring::builder().build(1).map_err(no_ring)?;
        Ok(Ring { queues, registered_file: false, registered_buffers: false })
    }
}

/// The kernel runs completions when this thread asks for them, and never interrupts it (6.1 and later);
/// older kernels get what they have.
pub fn ring_with_best_flags<S: squeue::EntryMarker, C: cqueue::EntryMarker>(
    depth: u32,
    obtained: &FeatureReport,
) -> Result<IoUring<S, C>, EngineError> {
    let best = IoUring::builder().setup_clamp().setup_single_issuer().setup_defer_taskrun().build(depth);
    let refusal = match best {
        Ok(ring) => {
            obtained.got("ring", "single issuer, deferred task run");
            return Ok(ring);
        }
        Err(error) if error.raw_os_error() == Some(libc::EINVAL) => error,
        Err(error) => return Err(no_ring(error)),
    };
    let ring = IoUring::builder().setup_clamp().build(depth).map_err(no_ring)?;
    obtained.refused("ring", refusal, "default flags");
    Ok(ring)
}

fn no_ring(error: io::Error) -> EngineError {
    let hint = match error.raw_os_error() {
        Some(libc::EPERM) => ": io_uring is switched off (sysctl kernel.io_uring_disabled) or forbidden here",
        Some(libc::ENOSYS) => ": this kernel has no io_uring (5.6 or later is needed)",
        Some(libc::ENOMEM) => ": raise the limit of locked memory (ulimit -l) or use a smaller --queue-depth",
        _ => "",
    };
    EngineError::from_io(format!("the kernel gives no ring{hint}"), error)
}

/// What is wrong with a phase that begins before its ring is built.
pub fn not_prepared() -> EngineError {
    EngineError::new("the engine was not prepared")
}

/// Registers files; the first is the one that I/O goes to.
pub fn register_files(ring: &Submitter<'_>, files: &[BorrowedFd<'_>], obtained: &FeatureReport) -> bool {
    let files: Vec<i32> = files.iter().map(AsRawFd::as_raw_fd).collect();
    obtained.asked("file", ring.register_files(&files), "registered", "looked up for each I/O")
}

pub fn register_buffers(ring: &Submitter<'_>, area: &Area, obtained: &FeatureReport) -> bool {
    // SAFETY: the buffers are a mapping that the engine keeps until after the ring is gone.
    let registered = unsafe { ring.register_buffers(&area.vectors()) };
    obtained.asked("buffers", registered, "registered", "mapped for each I/O")
}

/// Gives back what was registered while the ring still listens: it is taken down some time after it is closed, and would hold
/// the claimed target until then.
pub fn give_back(ring: &Submitter<'_>) {
    let _ = ring.unregister_files();
    let _ = ring.unregister_buffers();
}
