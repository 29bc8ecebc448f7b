//! The system's allocator: what it does with memory that is free again, and what happens where there is no more.

use std::alloc::{GlobalAlloc, Layout, System};

/// How the program ends without memory: that of a failure which is no verdict on a drive.
const OUT_OF_MEMORY: libc::c_int = 3;

/// The system's allocator. Where the system has no more memory for the program, it ends with a line on stderr and exit code 3;
/// Rust's own way is to abort, which leaves a core dump and says nothing of limits. As after a kill, everything that was
/// brought to a file is there.
pub struct SystemMemory;

// SAFETY: every call is passed on to the system's allocator with its own arguments, and its answer is given back; the only
// other thing that happens is that the program ends.
unsafe impl GlobalAlloc for SystemMemory {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller says.
        there(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller says.
        there(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn realloc(&self, old: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as the caller says.
        there(unsafe { System.realloc(old, layout, size) }, size)
    }

    unsafe fn dealloc(&self, old: *mut u8, layout: Layout) {
        // SAFETY: as the caller says.
        unsafe { System.dealloc(old, layout) };
    }
}

#[inline]
fn there(memory: *mut u8, bytes: usize) -> *mut u8 {
    if memory.is_null() {
        end(bytes);
    }
    memory
}

/// Ends the program with a line that is put together without any memory.
#[cold]
fn end(bytes: usize) -> ! {
    let mut line = Line::default();
    line.add(b"drivelab: there is no memory for ");
    line.add_number(bytes.div_ceil(1 << 20));
    line.add(b" MiB more: type ulimit -v unlimited and ulimit -d unlimited, or free memory, and try again\n");
    // SAFETY: the pointer and the length are those of one array; the call after it ends the process and touches no memory.
    unsafe {
        libc::write(libc::STDERR_FILENO, line.text.as_ptr().cast(), line.length);
        libc::_exit(OUT_OF_MEMORY)
    }
}

/// A line of text of a fixed size; what does not fit is left out.
struct Line {
    text: [u8; 192],
    length: usize,
}

impl Default for Line {
    fn default() -> Line {
        Line { text: [0; 192], length: 0 }
    }
}

impl Line {
    fn add(&mut self, text: &[u8]) {
        for (to, from) in self.text[self.length..].iter_mut().zip(text) {
            *to = *from;
        }
        self.length = (self.length + text.len()).min(self.text.len());
    }

    fn add_number(&mut self, number: usize) {
        if number >= 10 {
            self.add_number(number / 10);
        }
        self.add(&[b"0123456789"[number % 10]]);
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_put_together_without_memory() {
        let mut line = Line::default();
        line.add(b"for ");
        line.add_number(1_024_070);
        line.add(b" MiB");
        assert_eq!(&line.text[..line.length], b"for 1024070 MiB");
        line.add(&[b'x'; 400]);
        assert_eq!(line.length, line.text.len());
    }
}
