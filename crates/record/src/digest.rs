//! One number for all completions of a run, or for all I/Os of a trace.

use drivelab_block::{Completion, Nanos, TracedIo};
use xxhash_rust::xxh3::Xxh3Default;

/// An update of a few words costs more than to hash them: as many completions as this are added at once.
const COMPLETIONS_AT_ONCE: usize = 32;

/// The XXH3-64 of what was added, in order: equal for equal runs or traces, and for nothing else in practice.
#[derive(Clone, Default)]
pub struct Digest(Xxh3Default);

impl Digest {
    /// Adds completions.
    pub fn accept(&mut self, completions: &[Completion]) {
        let mut all = [[[0; 8]; 6]; COMPLETIONS_AT_ONCE];
        for several in completions.chunks(COMPLETIONS_AT_ONCE) {
            for (words, completion) in all.iter_mut().zip(several) {
                *words = words_of(completion).map(u64::to_le_bytes);
            }
            self.0.update(all[..several.len()].as_flattened().as_flattened());
        }
    }

    /// Adds an I/O of a trace: by when, where and what it was, and how long it took. It does not depend on names, nor on how the
    /// trace is kept.
    #[inline]
    pub fn add(&mut self, io: &TracedIo) {
        let small =
            u64::from(io.extent.length.get()) | u64::from(io.op.code()) << 32 | u64::from(io.device.0) << 40;
        // A duration that is not known is none that could be.
        let service = io.service.map_or(u64::MAX, Nanos::get);
        let words = [io.issued_at.as_nanos(), service, io.extent.start.get(), small];
        self.0.update(words.map(u64::to_le_bytes).as_flattened());
    }

    /// The digest so far, in 16 hexadecimal digits.
    pub fn hex(&self) -> String {
        format!("{:016x}", self.0.digest())
    }
}

/// What the digest has of a completion; the least significant byte of each word is first.
fn words_of(completion: &Completion) -> [u64; 6] {
    let extent = completion.extent;
    let small = u64::from(extent.length.get())
        | u64::from(completion.op.code()) << 32
        | u64::from(completion.phase.0) << 40
        | u64::from(completion.status.code().cast_unsigned()) << 48;
    [
        completion.intended_at.as_nanos(),
        completion.submitted_at.as_nanos(),
        completion.completed_at.as_nanos(),
        extent.start.get(),
        small,
        u64::from(completion.queue.0),
    ]
}

#[cfg(test)]
mod tests {
    use drivelab_block::{DeviceId, Op, PhaseId, Sector, SectorCount, Status};
    use xxhash_rust::xxh3::xxh3_64;

    use super::*;
    use crate::rows::completion::fixture::completion;

    /// The digest of these words, each of them written by hand.
    fn digest_of(words: &[u64]) -> String {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        format!("{:016x}", xxh3_64(&bytes))
    }

    #[test]
    fn the_digest_is_that_of_six_words_a_completion_so_that_it_stays_the_same_over_versions() {
        let mut one = completion(3);
        one.extent.length = SectorCount::new(0x0102_0304);
        (one.op, one.phase, one.status) = (Op::Flush, PhaseId(0xab), Status::errno(5));
        let status = u64::from(one.status.code().cast_unsigned());
        let small = 0x0102_0304 + (u64::from(Op::Flush.code()) << 32) + (0xab << 40) + (status << 48);
        let times =
            [one.intended_at, one.submitted_at, one.completed_at].map(drivelab_block::Instant::as_nanos);
        let words = [times[0], times[1], times[2], one.extent.start.get(), small, u64::from(one.queue.0)];
        let mut digest = Digest::default();
        digest.accept(&[one]);
        assert_eq!(digest.hex(), digest_of(&words));
    }

    #[test]
    fn the_digest_of_a_trace_is_that_of_four_words_an_io_and_a_time_that_is_not_known_is_none_that_could_be()
    {
        let mut io = TracedIo::from(&completion(5));
        io.extent.start = Sector::new(77);
        io.extent.length = SectorCount::new(0x0506_0708);
        (io.op, io.device, io.service) = (Op::Discard, DeviceId(0x1234), Some(Nanos::new(99)));
        let small = 0x0506_0708 + (u64::from(Op::Discard.code()) << 32) + (0x1234 << 40);
        let (mut known, mut unknown) = (Digest::default(), Digest::default());
        known.add(&io);
        unknown.add(&TracedIo { service: None, ..io });
        assert_eq!(known.hex(), digest_of(&[io.issued_at.as_nanos(), 99, 77, small]));
        assert_eq!(unknown.hex(), digest_of(&[io.issued_at.as_nanos(), u64::MAX, 77, small]));
    }

    #[test]
    fn batches_do_not_matter_and_every_completion_does() {
        let completions: Vec<_> = (0..100).map(completion).collect();
        let (mut whole, mut parts, mut fewer) = (Digest::default(), Digest::default(), Digest::default());
        whole.accept(&completions);
        completions.chunks(7).for_each(|chunk| parts.accept(chunk));
        fewer.accept(&completions[..99]);
        assert_eq!(whole.hex(), parts.hex());
        assert_ne!(whole.hex(), fewer.hex());
    }
}
