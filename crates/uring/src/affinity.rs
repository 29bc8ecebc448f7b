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
