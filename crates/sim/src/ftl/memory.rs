//! The one place with `unsafe`: two hints to processor and kernel about the maps' memory.
//!
//! The maps are hundreds of megabytes and are visited at random, so that without the hints nearly all of the
//! simulator's time would be waiting for memory. Neither hint changes what the program computes.

/// Bytes of a huge page.
const HUGE: usize = 2 << 20;

/// Asks for the cache line that holds `slice[index]`; does nothing where there is no such element, or where
/// the processor has no such instruction.
#[inline]
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

/// A vector of `length` zeros in huge pages, where the kernel has some to give: with small ones, each visit
/// of the map would first have to look up its page.
pub(super) fn zeros<T: Copy + Default>(length: usize) -> Vec<T> {
    let mut zeros = vec![T::default(); length];
    let start = zeros.as_mut_ptr();
    let skipped = start.align_offset(HUGE);
    let bytes = bytes_of_huge_pages(length, skipped, size_of::<T>());
    if bytes > 0 {
        // SAFETY: the range begins inside the vector and ends inside it, and the advice leaves its contents
        // as they are. A kernel that refuses costs speed only, so that its answer does not matter.
        let _ = unsafe {
            rustix::mm::madvise(start.add(skipped).cast(), bytes, rustix::mm::Advice::LinuxHugepage)
        };
    }
    zeros
}

/// How many bytes of whole huge pages so many elements of `size` bytes have behind those that are skipped.
fn bytes_of_huge_pages(length: usize, skipped: usize, size: usize) -> usize {
    length.saturating_sub(skipped) * size / HUGE * HUGE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_advice_reaches_behind_the_memory_that_it_is_about() {
        let of = |length, skipped| bytes_of_huge_pages(length, skipped, 4);
        let mebi = 1 << 20;
        // An address that cannot be aligned has all of the memory before it.
        assert_eq!(
            [of(mebi, 0), of(mebi, 1), of(mebi / 2 - 1, 0), of(7, usize::MAX)],
            [2 * HUGE, HUGE, 0, 0]
        );
    }
}
