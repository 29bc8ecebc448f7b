//! The one place with `unsafe`: asking the processor for a cache line before it is needed.
//!
//! The maps are hundreds of megabytes and are visited at random, so that without this nearly all of the
//! simulator's time would be waiting for memory.

/// Asks for the cache line that holds `slice[index]`; does nothing where there is no such element, or where
/// the processor has no such instruction.
#[inline(always)]
#[expect(clippy::inline_always, reason = "one instruction; a call would cost more than it")]
pub(super) fn prefetch<T>(slice: &[T], index: usize) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        if let Some(element) = slice.get(index) {
            // SAFETY: a prefetch neither reads nor writes memory as the language sees it and never faults;
            // the pointer is that of a live element besides.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(element).cast()) };
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (slice, index);
}
