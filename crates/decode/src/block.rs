//! What the kernel's block layer means by the error numbers that it gives to programs.

/// The meaning of an error number of a request to a block device; none where the number has its usual meaning there.
///
/// The numbers are those of the statuses (`BLK_STS_*`) of Linux 6.12, in `block/blk-core.c`. Programs print them in the words
/// of the C library, which speak of streams, pipes and networks.
pub fn block_error(number: i32) -> Option<&'static str> {
    Some(match number {
        19 => "device offline: the kernel sends it nothing any more",
        28 => "no space left, or an address beyond the end of the drive",
        52 => "reservation conflict: another host has reserved the drive",
        61 => "medium error: the drive could not read or write these sectors",
        67 => "transport error: the connection to the drive failed",
        84 => "protection error: the data do not fit their checksums",
        110 => "timeout: the drive did not answer in time",
        121 => "target error: the drive refused the command as it was",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::block_error;

    #[test]
    fn only_numbers_that_mean_something_else_to_programs_are_explained() {
        assert!(block_error(61).is_some_and(|meaning| meaning.starts_with("medium error")));
        assert_eq!((block_error(5), block_error(0)), (None, None));
    }
}
