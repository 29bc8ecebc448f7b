//! One number for all completions of a run.

use drivelab_block::Completion;
use xxhash_rust::xxh3::Xxh3Default;

/// The XXH3-64 of every completion in order: equal for equal runs, and for nothing else in practice.
#[derive(Clone, Default)]
pub struct Digest(Xxh3Default);

impl Digest {
    /// Adds completions.
    pub fn accept(&mut self, completions: &[Completion]) {
        for completion in completions {
            let extent = completion.extent;
            let small = u64::from(extent.length.get())
                | u64::from(completion.op.code()) << 32
                | u64::from(completion.phase.0) << 40
                | u64::from(completion.status.code().cast_unsigned()) << 48;
            let words = [
                completion.intended_at.as_nanos(),
                completion.submitted_at.as_nanos(),
                completion.completed_at.as_nanos(),
                extent.start.get(),
                small,
                u64::from(completion.queue.0),
            ];
            let mut bytes = [0; 48];
            for (place, word) in bytes.chunks_exact_mut(8).zip(words) {
                place.copy_from_slice(&word.to_le_bytes());
            }
            self.0.update(&bytes);
        }
    }

    /// The digest so far, in 16 hexadecimal digits.
    pub fn hex(&self) -> String {
        format!("{:016x}", self.0.digest())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::completion::fixture::completion;

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
