//! Which processors do the work.

use std::io;

use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

/// The processors this process may use.
///
/// # Errors
/// Where the kernel does not say.
pub fn online_cpus() -> io::Result<Vec<usize>> {
    let set = sched_getaffinity(None)?;
    Ok((0..CpuSet::MAX_CPU).filter(|cpu| set.is_set(*cpu)).collect())
}

/// Keeps the calling thread (the recorder's) off these processors, where any others are left.
///
/// # Errors
/// Where the kernel refuses.
pub fn keep_off(cpus: &[usize]) -> io::Result<()> {
    let others: Vec<usize> = online_cpus()?.into_iter().filter(|cpu| !cpus.contains(cpu)).collect();
    if others.is_empty() { Ok(()) } else { pin(&others) }
}

/// Keeps the calling thread on these processors.
pub(crate) fn pin(cpus: &[usize]) -> io::Result<()> {
    let mut set = CpuSet::new();
    cpus.iter().filter(|cpu| **cpu < CpuSet::MAX_CPU).for_each(|cpu| set.set(*cpu));
    Ok(sched_setaffinity(None, &set)?)
}

/// Lets the kernel workers of a ring finish what they have before this thread takes their processor back.
///
/// A device that is served by kernel workers (zram, tmpfs, a file) completes each I/O on the processor that
/// waits for it. An ordinary thread would be woken for every single one and push the worker off; a batch
/// thread never preempts, so completions gather for as long as the processor is busy with them, and not a
/// moment longer.
pub(crate) fn yield_to_kernel_workers() -> io::Result<()> {
    // `struct sched_param` of the kernel, a priority alone. musl has another one, and its own call for this always fails.
    let priority: libc::c_int = 0;
    // SAFETY: the kernel reads one number, which is there.
    match unsafe { libc::syscall(libc::SYS_sched_setscheduler, 0, libc::SCHED_BATCH, &raw const priority) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// The same set in the form that the ring's registration takes.
pub(crate) fn kernel_set(cpus: &[usize]) -> libc::cpu_set_t {
    // SAFETY: cpu_set_t is a plain bit mask; all zeros is the empty set.
    let mut set: libc::cpu_set_t = unsafe { std::mem::zeroed() };
    for cpu in cpus.iter().filter(|cpu| **cpu < CpuSet::MAX_CPU) {
        // SAFETY: the index is below the number of bits that CPU_SETSIZE promises.
        unsafe { libc::CPU_SET(*cpu, &mut set) };
    }
    set
}
