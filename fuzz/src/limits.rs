//! How much memory and processor time an input may take.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// The system's allocator, which knows how much is held, and how much was at most.
pub struct Counting {
    held: AtomicUsize,
    peak: AtomicUsize,
}

impl Counting {
    /// Nothing is held yet.
    pub const fn new() -> Counting {
        Counting { held: AtomicUsize::new(0), peak: AtomicUsize::new(0) }
    }

    fn grow(&self, bytes: usize) {
        let held = self.held.fetch_add(bytes, Relaxed) + bytes;
        self.peak.fetch_max(held, Relaxed);
    }

    fn shrink(&self, bytes: usize) {
        self.held.fetch_sub(bytes, Relaxed);
    }
}

// SAFETY: every call goes to the system's allocator as it came, and only its sizes are counted.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        self.grow(layout.size());
        // SAFETY: the caller's layout.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        self.grow(layout.size());
        // SAFETY: the caller's layout.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        self.shrink(layout.size());
        // SAFETY: the caller's place and layout.
        unsafe { System.dealloc(place, layout) }
    }

    unsafe fn realloc(&self, place: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        self.grow(size);
        self.shrink(layout.size());
        // SAFETY: the caller's place, layout and size.
        unsafe { System.realloc(place, layout, size) }
    }
}

/// Bytes of memory for each byte of an input, beside what a reader may always take. A row of ten bytes has a
/// name of its own in two tables, and a request that waits for its completion.
const BYTES_A_BYTE: usize = 256;

/// A tenth of a second, whatever the size.
const ALWAYS: Duration = Duration::from_millis(100);

/// What was held and taken before an input was read.
pub struct Limits {
    held: usize,
    cpu: Duration,
}

impl Limits {
    /// Before an input is read.
    pub fn begin(memory: &Counting) -> Limits {
        let held = memory.held.load(Relaxed);
        memory.peak.store(held, Relaxed);
        Limits { held, cpu: cpu() }
    }

    /// After it was read.
    ///
    /// # Panics
    /// Where it took more memory than `memory` bytes and a share for each of its bytes, or more processor time
    /// than a tenth of a second and `a_byte` for each of its bytes.
    pub fn check(&self, counting: &Counting, size: usize, memory: usize, a_byte: Duration) {
        let (peak, cpu) =
            (counting.peak.load(Relaxed).saturating_sub(self.held), cpu().saturating_sub(self.cpu));
        assert!(peak <= memory + size * BYTES_A_BYTE, "{size} bytes took {peak} bytes of memory");
        let longest = ALWAYS + a_byte * u32::try_from(size).unwrap_or(u32::MAX);
        assert!(cpu <= longest, "{size} bytes took {cpu:?} of processor time");
    }
}

/// The processor time of this thread: that of the clock would count what other programs take.
fn cpu() -> Duration {
    let now = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(now.tv_sec.unsigned_abs(), u32::try_from(now.tv_nsec).unwrap_or(0))
}
