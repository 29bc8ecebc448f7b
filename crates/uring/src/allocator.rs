//! The program's allocator: what it does with memory that is free again, and what happens where there is no more.

use std::alloc::{GlobalAlloc, Layout};
use std::io::Write as _;

/// What memory is taken from: of glibc its own allocator. That of musl has one lock for all threads, and takes pieces of more
/// than 128 KiB, which columns of records are, from the kernel each time.
#[cfg(not(target_env = "musl"))]
use std::alloc::System as Underlying;

#[cfg(target_env = "musl")]
use mimalloc::MiMalloc as Underlying;

/// How the program ends without memory: that of a failure which is no verdict on a drive.
const OUT_OF_MEMORY: libc::c_int = 3;
/// The longest line that it says then, in bytes.
const LINE_ROOM: usize = 192;

/// The program's allocator. Where the system has no more memory for the program, it ends with a line on stderr and exit code 3;
/// Rust's own way is to abort, which leaves a core dump and says nothing of limits. As after a kill, everything that was
/// brought to a file is there.
pub struct ReportingAllocator;

// SAFETY: every call is passed on to one allocator with its own arguments, and its answer is given back; the only
// other thing that happens is that the program ends.
unsafe impl GlobalAlloc for ReportingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller says.
        there(unsafe { Underlying.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller says.
        there(unsafe { Underlying.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn realloc(&self, old: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as the caller says.
        there(unsafe { Underlying.realloc(old, layout, size) }, size)
    }

    unsafe fn dealloc(&self, old: *mut u8, layout: Layout) {
        // SAFETY: as the caller says.
        unsafe { Underlying.dealloc(old, layout) };
    }
}

#[inline]
fn there(memory: *mut u8, bytes: usize) -> *mut u8 {
    if memory.is_null() {
        end(bytes);
    }
    memory
}

/// Ends the program with a line.
#[cold]
fn end(bytes: usize) -> ! {
    let mut room = [0; LINE_ROOM];
    let line = line(&mut room, bytes);
    // SAFETY: the pointer and the length are those of one slice; the call after it ends the process and touches no memory.
    unsafe {
        libc::write(libc::STDERR_FILENO, line.as_ptr().cast(), line.len());
        libc::_exit(OUT_OF_MEMORY)
    }
}

/// What the program says, put together without any memory.
fn line(room: &mut [u8; LINE_ROOM], bytes: usize) -> &[u8] {
    let mut rest = &mut room[..];
    // A number takes no memory to be formatted, and what does not fit is left out.
    let _ = writeln!(
        rest,
        "drivelab: there is no memory for {} MiB more: type ulimit -v unlimited and ulimit -d unlimited, or free memory, and try \
         again",
        bytes.div_ceil(1 << 20)
    );
    let left = rest.len();
    &room[..LINE_ROOM - left]
}

/// The largest piece that is taken from memory at hand instead of from the kernel, in bytes.
#[cfg(target_env = "gnu")]
const LARGEST_KEPT: libc::c_int = 32 << 20;
/// How much free memory an arena keeps, in bytes.
#[cfg(target_env = "gnu")]
const KEPT: libc::c_int = 64 << 20;

/// How long mimalloc keeps memory that is free before it gives it back, in milliseconds.
#[cfg(target_env = "musl")]
const KEPT_FOR: libc::c_long = 10_000;
/// The number of that option: `mi_option_purge_delay` in the header of mimalloc, of its versions 2 and 3.
#[cfg(target_env = "musl")]
const PURGE_DELAY: libc::c_int = 15;

#[cfg(target_env = "musl")]
unsafe extern "C" {
    /// Sets an option that the environment does not set.
    fn mi_option_set_default(option: libc::c_int, value: libc::c_long);
}

/// Lets the program keep memory that it frees, instead of giving it back to the kernel and taking it again: a column of
/// records is a megabyte that lives for a moment, and the kernel clears each page of it before it gives it anew.
///
/// It is for all threads, and has to be called before there are others. It is about speed alone.
pub fn keep_freed_memory() {
    #[cfg(target_env = "gnu")]
    for (parameter, bytes) in [(libc::M_MMAP_THRESHOLD, LARGEST_KEPT), (libc::M_TRIM_THRESHOLD, KEPT)] {
        // SAFETY: the call takes two numbers, and is made before there is a thread that could read what it sets.
        unsafe { libc::mallopt(parameter, bytes) };
    }
    // SAFETY: the call takes two numbers, and is made before there is a thread that could read what it sets.
    #[cfg(target_env = "musl")]
    unsafe {
        mi_option_set_default(PURGE_DELAY, KEPT_FOR);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_without_memory_is_whole_for_any_size() {
        let text = |bytes| String::from_utf8(line(&mut [0; LINE_ROOM], bytes).to_vec()).expect("text");
        assert!(text(1).starts_with("drivelab: there is no memory for 1 MiB more: "));
        assert!(text(1_024_070 << 20).contains(" for 1024070 MiB more: "));
        assert!(text(usize::MAX).ends_with(" try again\n"));
    }
}
