//! A buffer that direct I/O takes.

/// What the start of the buffer is a multiple of: a page, which is enough for every drive.
const ALIGNMENT: usize = 4096;

/// Bytes whose first lies on a page.
#[derive(Debug)]
pub(crate) struct PageBuffer {
    bytes: Vec<u8>,
    start: usize,
    length: usize,
}

impl PageBuffer {
    /// A buffer of zeros.
    pub(crate) fn new(length: usize) -> PageBuffer {
        let bytes = vec![0; length + ALIGNMENT];
        // The vector is never grown, so its bytes stay where they are.
        let start = bytes.as_ptr().align_offset(ALIGNMENT);
        PageBuffer { bytes, start, length }
    }

    /// All of it.
    pub(crate) fn bytes(&mut self) -> &mut [u8] {
        &mut self.bytes[self.start..self.start + self.length]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_byte_lies_on_a_page() {
        for length in [512, 4096, 1 << 20] {
            let mut buffer = PageBuffer::new(length);
            assert_eq!(buffer.bytes().as_ptr().align_offset(ALIGNMENT), 0);
            assert_eq!(buffer.bytes().len(), length);
        }
    }
}
