//! A channel at work: room in the ring, drops, waits, and what is handed to the writer.

use std::io;
use std::os::fd::BorrowedFd;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::Sender;
use std::time::Duration;

use drivelab_block::{Instant, Nanos};
use drivelab_uring::{Clock, Waker};

use super::stop::{Stop, Woken};
use crate::now::Drops;
use crate::program_watch::LongestTimes;
use crate::ring::{Filler, OnFull, RingBlock};

/// How long a wait for room lasts before the end of the recording is looked for.
const PATIENCE: Duration = Duration::from_millis(50);

/// What all channels together may still place, in bytes.
#[derive(Debug)]
pub struct Budget(AtomicU64);

impl Budget {
    /// This many bytes.
    pub fn new(bytes: u64) -> Budget {
        Budget(AtomicU64::new(bytes))
    }

    /// Takes a frame's bytes; whether any are left.
    fn spend(&self, bytes: u64) -> bool {
        let spent = self
            .0
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| Some(left.saturating_sub(bytes)));
        spent.is_ok_and(|left| left > bytes)
    }
}

/// What came of a channel, as its source saw it, but for the frames that found no room: see
/// [`ChannelNow`](crate::ChannelNow).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SourceTally {
    /// Whole frames that the source delivered.
    pub produced: u64,
    /// How many of the frames that found no room are longer than the whole ring, or too short to be pictures.
    pub unfit: u64,
    /// Frames that the source did not end.
    pub unfinished: u64,
    /// Pictures that are kept and are no whole JPEG: the next began before their end, or something else stood where a marker
    /// had to be.
    pub damaged: u64,
    /// Bytes that belong to no picture.
    pub skipped_bytes: u64,
    /// Bytes that were read, or made, straight in the ring's memory.
    pub placed_bytes: u64,
    /// The longest time in which no frame could be placed, less what the program stood still in it.
    pub longest_wait: Nanos,
}

/// What a source works with.
pub struct ChannelWriter<'a> {
    /// The ring's filler.
    pub filler: Filler,
    /// What happens where the ring is full.
    pub on_full: OnFull,
    /// The recording's clock.
    pub clock: Clock,
    /// What its origin is in Unix time, in nanoseconds.
    pub started_unix_ns: u64,
    /// The way to the writer.
    pub sender: Sender<RingBlock>,
    /// What wakes the writer.
    pub waker: Waker,
    /// The end of the recording.
    pub stop: &'a Stop,
    /// What may be placed.
    pub budget: &'a Budget,
    /// Where frames that find no room are counted.
    pub(crate) drops: &'a Drops,
    /// How long a frame may wait in a block that is not full.
    pub flush_after: Nanos,
    /// The times in which no frame could be placed.
    pub(crate) longest_wait: LongestTimes<'a>,
    /// When what is in a block goes to the writer, full or not.
    pub(crate) flush_at: Option<Instant>,
    /// What came of it until now.
    pub(crate) tally: SourceTally,
    /// Since when the ring has no room.
    pub(crate) full_since: Option<Instant>,
}

impl ChannelWriter<'_> {
    /// Whether the recording ends.
    pub fn is_stopped(&self) -> bool {
        self.stop.is_raised()
    }

    /// The number of the next frame: frames are counted whether they find room or not.
    pub(super) fn next_sequence(&mut self) -> u64 {
        self.tally.produced += 1;
        self.tally.produced - 1
    }

    /// The time of day, in nanoseconds of Unix time.
    pub(super) fn unix_ns(&self, at: Instant) -> u64 {
        self.started_unix_ns.saturating_add(at.as_nanos())
    }

    /// Waits until there is something to read, and meanwhile lets no frame wait too long in a block; whether there
    /// is, or else the recording ends.
    pub(super) fn wait_readable(&mut self, descriptor: BorrowedFd<'_>) -> io::Result<bool> {
        loop {
            match self.stop.wait(Some(descriptor), self.until_flush())? {
                Woken::Ready => return Ok(true),
                Woken::Stopped => return Ok(false),
                Woken::TimedOut => self.flush_when_due(),
            }
        }
    }

    /// Waits until `due`; whether the recording still goes on then.
    pub(super) fn wait_until(&mut self, due: Instant) -> bool {
        loop {
            let now = self.clock.now();
            if now >= due || self.is_stopped() {
                return !self.is_stopped();
            }
            let left = due.since(now);
            let patience = self.until_flush().map_or(left, |flush| flush.min(left));
            if self.stop.wait(None, Some(patience)).is_err() {
                return false;
            }
            self.flush_when_due();
        }
    }

    fn until_flush(&self) -> Option<Nanos> {
        self.flush_at.map(|at| at.since(self.clock.now()))
    }

    /// Makes room for a frame of this length, or says that it is to be dropped. `None` where the recording ends.
    pub(super) fn make_room(&mut self, bytes: usize) -> Option<bool> {
        loop {
            if self.filler.reserve(bytes) {
                self.has_room();
                return Some(true);
            }
            self.has_no_room();
            if self.on_full == OnFull::Drop {
                return Some(false);
            }
            if self.is_stopped() {
                return None;
            }
            self.filler.pool.wait(PATIENCE);
        }
    }

    /// The ring has room: what had begun with the first frame without room is over.
    pub(super) fn has_room(&mut self) {
        if let Some(since) = self.full_since.take() {
            self.longest_wait.note(since, self.clock.now());
        }
    }

    /// The ring has no room from now on.
    pub(super) fn has_no_room(&mut self) {
        let now = self.clock.now();
        self.full_since.get_or_insert(now);
    }

    /// A frame was placed: what is ready goes to the writer. With more of the stream in place behind it, a block that is not full
    /// cannot be handed over yet: the next frame may have its first bytes there.
    pub(super) fn placed(&mut self, bytes: usize, more_is_there: bool) {
        self.tally.placed_bytes += bytes as u64;
        if !self.budget.spend(bytes as u64) {
            self.stop.raise();
        }
        let now = self.clock.now();
        self.send();
        self.flush_at = match (self.filler.holds_frames(), self.flush_at) {
            (false, _) => None,
            (true, Some(at)) if now >= at && !more_is_there => {
                self.flush();
                None
            }
            (true, at) => at.or(Some(now + self.flush_after)),
        };
    }

    /// The source has ended, or the recording does, within a frame.
    pub(super) fn unfinished(&mut self) {
        self.filler.abandon();
        self.tally.unfinished += 1;
        self.tally.produced -= 1;
    }

    fn flush_when_due(&mut self) {
        if self.flush_at.is_some_and(|at| self.clock.now() >= at) {
            // In the middle of a frame it has to wait for the frame's end.
            self.flush_at = if self.flush() { None } else { Some(self.clock.now() + self.flush_after) };
        }
    }

    /// Hands over what is there; whether that was everything.
    pub(super) fn flush(&mut self) -> bool {
        let is_all = self.filler.flush();
        self.send();
        is_all
    }

    /// Hands over everything at the end.
    pub fn finish(&mut self) {
        if self.filler.is_in_frame() {
            self.unfinished();
        }
        self.flush();
        self.has_room();
        self.tally.longest_wait = self.longest_wait.at_the_end();
    }

    fn send(&mut self) {
        for sealed in self.filler.take_ready() {
            // A writer that is gone has said why.
            if self.sender.send(sealed).is_err() {
                self.stop.raise();
            }
            self.waker.wake();
        }
    }
}
