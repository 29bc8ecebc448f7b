//! What of each write's time was the device's: from its first request's issue to its last one's completion.

use drivelab_block::{Op, TracedIo};

use crate::{Distribution, StreamWrites};

/// Clocks of the program and of the kernel are read one after the other when a run begins: so far they may be apart, in
/// nanoseconds.
const SLACK: u64 = 200_000;
/// Writes before one that may still be in flight when it is submitted, beyond which none is looked for.
const BACK: usize = 256;

/// The device's times of the writes of a stream.
#[derive(Clone, Debug)]
pub struct DeviceTimes {
    /// Places in the stream's list, in the order of submission.
    order: Vec<usize>,
    /// For each write of the stream's list: first issue and last completion, from the start of the stream.
    times: Vec<Option<(u64, u64)>>,
    /// Requests that belong to no write of the stream: somebody else's, or of a write that failed.
    pub unmatched: u64,
}

impl DeviceTimes {
    /// Finds the requests of each write among those of a device.
    ///
    /// Requests come with their issue in nanoseconds from the start of the stream, on the stream's clock, which may be
    /// negative; `offset` is the stream's first device sector minus its own (a partition's start).
    pub fn match_requests(
        stream: &StreamWrites,
        offset: u64,
        requests: impl Iterator<Item = (i64, TracedIo)>,
    ) -> DeviceTimes {
        let mut order: Vec<usize> = (0..stream.writes().len()).collect();
        order.sort_by_key(|place| stream.writes()[*place].submitted_at);
        let mut found = DeviceTimes { order, times: vec![None; stream.writes().len()], unmatched: 0 };
        for (issued, io) in requests.filter(|(_, io)| io.op == Op::Write) {
            match (u64::try_from(issued), io.service) {
                (Ok(issued), Some(service)) => found.add(stream, offset, issued, &io, issued + service.get()),
                _ => found.unmatched += 1,
            }
        }
        found
    }

    fn add(&mut self, stream: &StreamWrites, offset: u64, issued: u64, io: &TracedIo, done: u64) {
        let sectors = stream.block_bytes / 512;
        let begun =
            self.order.partition_point(|place| stream.writes()[*place].submitted_at <= issued + SLACK);
        let candidates = self.order[..begun].iter().rev().take(BACK).copied();
        let mut own = candidates.filter(|place| {
            let write = stream.writes()[*place];
            let first = write.sector + offset;
            (first..first + sectors).contains(&io.extent.start.get()) && write.completed_at + SLACK >= issued
        });
        let Some(place) = own.next() else {
            self.unmatched += 1;
            return;
        };
        let time = self.times[place].get_or_insert((issued, done));
        *time = (time.0.min(issued), time.1.max(done));
    }

    /// The device's time for a write of the stream's list, in nanoseconds.
    pub fn of_write(&self, place: usize) -> Option<u64> {
        self.times.get(place).copied().flatten().map(|(issued, done)| done - issued)
    }

    /// The device's times of all writes that were found.
    pub fn distribution(&self) -> Distribution {
        let mut all = Distribution::default();
        self.times.iter().flatten().for_each(|(issued, done)| all.add(done - issued));
        all
    }
}
