//! Classes of the sizes of I/Os.

/// Classes of sizes: of `2^n` bytes and less, from 512 bytes to 1 TiB; what is longer counts with it.
pub const SIZE_CLASSES: usize = 32;

/// The class of a size; `None` for nothing.
pub(super) fn size_class(bytes: u64) -> Option<usize> {
    let sectors = bytes.div_ceil(512);
    (sectors > 0).then(|| (sectors.next_power_of_two().ilog2() as usize).min(SIZE_CLASSES - 1))
}

/// The most bytes of a size class.
pub const fn size_class_bytes(class: usize) -> u64 {
    512 << class
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_is_of_the_class_up_to_whose_most_bytes_it_is() {
        let found = [0, 1, 512, 513, 1_024, 1_025, 1 << 40, u64::MAX].map(size_class);
        let classes = [None, Some(0), Some(0), Some(1), Some(1), Some(2), Some(31), Some(31)];
        assert_eq!((found, size_class_bytes(0), size_class_bytes(31)), (classes, 512, 1 << 40));
    }
}
