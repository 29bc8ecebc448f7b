//! What the system's allocator does with memory that is free again.

/// The largest piece that is taken from memory at hand instead of from the kernel, in bytes.
#[cfg(target_env = "gnu")]
const LARGEST_KEPT: libc::c_int = 32 << 20;
/// How much free memory an arena keeps, in bytes.
#[cfg(target_env = "gnu")]
const KEPT: libc::c_int = 64 << 20;

/// Lets the program keep memory that it frees, instead of giving it back to the kernel and taking it again: a column of
/// records is a megabyte that lives for a moment, and the kernel clears each page of it before it gives it anew.
///
/// It is for all threads, and has to be called before there are others. It is about speed alone, and does nothing where the
/// C library is not glibc.
pub fn keep_freed_memory() {
    #[cfg(target_env = "gnu")]
    for (parameter, bytes) in [(libc::M_MMAP_THRESHOLD, LARGEST_KEPT), (libc::M_TRIM_THRESHOLD, KEPT)] {
        // SAFETY: the call takes two numbers, and is made before there is a thread that could read what it sets.
        unsafe { libc::mallopt(parameter, bytes) };
    }
}
