//! The queue between an engine's thread and the recorder's: one producer, one consumer, no lock.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use drivelab_block::{Completion, Extent, Instant, Op, PhaseId, QueueId, Sector, SectorCount, Sink, Status};
use rtrb::chunks::ChunkError;
use rtrb::{Consumer, Producer, RingBuffer};

/// What an engine's thread does where the queue is full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnFull {
    /// Counts the completion as lost and goes on: a real drive must never wait for its recorder.
    Lose,
    /// Waits for the recorder: virtual time does not pass meanwhile.
    Wait,
}

/// The most completions that are handed over at once.
const DRAIN_MAX: usize = 1 << 13;
/// As many completions are gathered before they are put into a queue that is waited for: both threads write to the places where
/// a queue begins and ends, which costs more than a completion does if it is for each of them.
const GATHERED: usize = 128;

/// A completion of nothing.
const FILLER: Completion = Completion {
    intended_at: Instant::ORIGIN,
    submitted_at: Instant::ORIGIN,
    issued_at: None,
    completed_at: Instant::ORIGIN,
    extent: Extent { start: Sector::new(0), length: SectorCount::new(0) },
    status: Status::OK,
    queue: QueueId(0),
    op: Op::Flush,
    phase: PhaseId(0),
};

/// The engine's end: a sink that neither allocates nor locks.
///
/// Those of a real drive are in the queue at once. Those of a simulated drive, whose recorder is waited for, come in
/// groups, the last of them when this end is dropped.
#[derive(Debug)]
pub struct CompletionSender {
    entry: QueueEntry,
    /// What is put into the queue next; empty where completions may be lost.
    gathered: Vec<Completion>,
}

/// Where completions enter the queue.
#[derive(Debug)]
struct QueueEntry {
    producer: Producer<Completion>,
    lost: Arc<AtomicU64>,
    on_full: OnFull,
}

/// The recorder's end.
#[derive(Debug)]
pub struct CompletionReceiver {
    consumer: Consumer<Completion>,
    lost: Arc<AtomicU64>,
}

/// A queue for `capacity` completions of 56 bytes each.
///
/// Beside a real drive all of its memory is there from the begin: the kernel gives memory when it is first written to, which
/// would be while the first `capacity` completions are taken, for hours beside a slow drive.
pub fn queue(capacity: usize, on_full: OnFull) -> (CompletionSender, CompletionReceiver) {
    let (producer, consumer) = RingBuffer::new(capacity.max(1));
    let lost = Arc::new(AtomicU64::new(0));
    let mut entry = QueueEntry { producer, lost: Arc::clone(&lost), on_full };
    let mut outlet = CompletionReceiver { consumer, lost };
    let mut gathered = Vec::new();
    match on_full {
        OnFull::Lose => {
            let filler = [FILLER; 64];
            while entry.push(&filler) == filler.len() {}
            while outlet.drain(|_| ()) > 0 {}
        }
        OnFull::Wait => gathered.reserve_exact(GATHERED),
    }
    (CompletionSender { entry, gathered }, outlet)
}

impl Sink for CompletionSender {
    fn accept(&mut self, completions: &[Completion]) {
        if self.entry.on_full == OnFull::Lose {
            return self.entry.give(completions);
        }
        let mut rest = completions;
        while !rest.is_empty() {
            let (now, later) = rest.split_at(rest.len().min(GATHERED - self.gathered.len()));
            self.gathered.extend_from_slice(now);
            if self.gathered.len() == GATHERED {
                self.entry.give(&self.gathered);
                self.gathered.clear();
            }
            rest = later;
        }
    }
}

impl Drop for CompletionSender {
    fn drop(&mut self) {
        self.entry.give(&self.gathered);
    }
}

impl QueueEntry {
    fn push(&mut self, completions: &[Completion]) -> usize {
        match self.producer.write_chunk_uninit(completions.len()) {
            Ok(chunk) => chunk.fill_from_iter(completions.iter().copied()),
            Err(ChunkError::TooFewSlots(0)) => 0,
            Err(ChunkError::TooFewSlots(room)) => match self.producer.write_chunk_uninit(room) {
                Ok(chunk) => chunk.fill_from_iter(completions.iter().copied()),
                Err(_) => 0,
            },
        }
    }

    /// Puts all of these into the queue, or does with those that find it full what is done then.
    fn give(&mut self, completions: &[Completion]) {
        let mut rest = &completions[self.push(completions)..];
        while !rest.is_empty() {
            if self.on_full == OnFull::Lose || self.producer.is_abandoned() {
                self.lost.fetch_add(rest.len() as u64, Ordering::Relaxed);
                return;
            }
            std::thread::yield_now();
            rest = &rest[self.push(rest)..];
        }
    }
}

impl CompletionReceiver {
    /// Hands over what is in the queue, in at most two slices, and says how many completions that were. A long
    /// queue is handed over in parts, so that its places are free again while the recorder is at work.
    pub fn drain(&mut self, mut take: impl FnMut(&[Completion])) -> usize {
        let Ok(chunk) = self.consumer.read_chunk(self.consumer.slots().min(DRAIN_MAX)) else { return 0 };
        let (first, second) = chunk.as_slices();
        for slice in [first, second] {
            if !slice.is_empty() {
                take(slice);
            }
        }
        let count = chunk.len();
        chunk.commit_all();
        count
    }

    /// Whether the engine's end is gone; what it left may still be in the queue.
    pub fn is_closed(&self) -> bool {
        self.consumer.is_abandoned()
    }

    /// Completions that found the queue full and were lost.
    pub fn lost(&self) -> u64 {
        self.lost.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::completion::fixture::completion;

    #[test]
    fn what_does_not_fit_is_counted() {
        let (mut inlet, mut outlet) = queue(4, OnFull::Lose);
        let completions: Vec<_> = (0..6).map(completion).collect();
        inlet.accept(&completions);
        let mut seen = Vec::new();
        outlet.drain(|slice| seen.extend_from_slice(slice));
        assert_eq!(seen, completions[..4]);
        assert_eq!(outlet.lost(), 2);
    }

    #[test]
    fn a_new_queue_is_empty_and_takes_all_that_it_has_room_for() {
        for capacity in [1, 63, 64, 65, 10_000] {
            let (mut inlet, mut outlet) = queue(capacity, OnFull::Lose);
            let completions: Vec<_> = (0..capacity as u64).map(completion).collect();
            inlet.accept(&completions);
            let mut seen = Vec::new();
            while outlet.drain(|slice| seen.extend_from_slice(slice)) > 0 {}
            assert_eq!((seen, outlet.lost()), (completions, 0));
        }
    }

    #[test]
    fn a_waiting_inlet_loses_nothing_and_keeps_the_order() {
        let (mut inlet, mut outlet) = queue(8, OnFull::Wait);
        let completions: Vec<_> = (0..1_000).map(completion).collect();
        let mut seen = Vec::new();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                completions.chunks(37).for_each(|part| inlet.accept(part));
                drop(inlet);
            });
            loop {
                // Asked before draining: what was left before the end was gone is then surely seen.
                let closed = outlet.is_closed();
                if outlet.drain(|slice| seen.extend_from_slice(slice)) == 0 && closed {
                    break;
                }
            }
        });
        assert_eq!((seen, outlet.lost()), (completions.clone(), 0));
    }
}
