//! The way of steps from the thread that reads a trace to the one that asks the drive.

use std::io;
use std::sync::mpsc::{Receiver, SyncSender, TryRecvError, sync_channel};
use std::thread::{Builder, JoinHandle};

use drivelab_record::TracedReader;

use super::choice::{LeftOutRequests, RequestChoice};
use super::planner::{Planner, ReplayStep};

/// Steps that are handed over at once.
const BATCH: usize = 4096;
/// Batches that are ready at most: 130 thousand steps, 9 MB.
const READY: usize = 32;

/// The end of the thread that asks the drive.
#[derive(Debug)]
pub struct Feed {
    full: Receiver<Vec<ReplayStep>>,
    /// Batches go back to be filled again, so that none is freed or made while the drive is asked.
    empty: SyncSender<Vec<ReplayStep>>,
    batch: Vec<ReplayStep>,
    next: usize,
    /// Whether the caller waits for a reader that is late: virtual time does not pass meanwhile.
    waits: bool,
}

/// What a feed has next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fed {
    Step(ReplayStep),
    /// The reader is late.
    Late,
    End,
}

impl Feed {
    #[inline]
    pub fn next(&mut self) -> Fed {
        loop {
            if let Some(step) = self.batch.get(self.next) {
                self.next += 1;
                return Fed::Step(*step);
            }
            let received = match self.full.try_recv() {
                Err(TryRecvError::Empty) if self.waits => {
                    self.full.recv().map_err(|_| TryRecvError::Disconnected)
                }
                received => received,
            };
            let batch = match received {
                Ok(batch) => std::mem::replace(&mut self.batch, batch),
                Err(TryRecvError::Empty) => return Fed::Late,
                Err(TryRecvError::Disconnected) => return Fed::End,
            };
            self.next = 0;
            // There is room for every batch there is; a reader that is gone needs none.
            let _ = self.empty.try_send(batch);
        }
    }
}

/// What became of the requests that were read for a replay.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Placed {
    /// Requests that were left out.
    pub left_out: LeftOutRequests,
    /// Requests that were widened to whole blocks of the target.
    pub widened: u64,
    /// What of the trace could not be read; each a few words.
    pub faults: Vec<String>,
}

/// The thread that reads.
#[derive(Debug)]
pub struct TraceReading(JoinHandle<Placed>);

impl TraceReading {
    /// Waits for its end, which comes at once when the replay is gone.
    pub fn end(self) -> Placed {
        self.0.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }
}

/// Starts to read a trace, and comes back when the first steps are there. A feed that `waits` never says that the
/// reader is late.
///
/// # Errors
/// Where the thread cannot be started.
pub fn feed(reader: TracedReader, planner: Planner, waits: bool) -> io::Result<(Feed, TraceReading)> {
    let (full_in, full) = sync_channel(READY);
    let (empty, empty_out) = sync_channel(READY + 2);
    let spawn = Builder::new().name("trace".to_owned());
    let handle = spawn.spawn(move || read(reader, planner, &full_in, &empty_out))?;
    // What is not there at the end of a trace without a request is told by the next question.
    let batch = full.recv().unwrap_or_default();
    Ok((Feed { full, empty, batch, next: 0, waits }, TraceReading(handle)))
}

fn read(
    mut reader: TracedReader,
    mut planner: Planner,
    full: &SyncSender<Vec<ReplayStep>>,
    empty: &Receiver<Vec<ReplayStep>>,
) -> Placed {
    let new_batch = || {
        let used = empty.try_recv().map(|mut batch| {
            batch.clear();
            batch
        });
        used.unwrap_or_else(|_| Vec::with_capacity(BATCH))
    };
    let mut batch = new_batch();
    'reading: while let Some(ios) = reader.next_batch() {
        for io in &ios {
            match planner.step(io) {
                Ok(step) => batch.push(step),
                Err(RequestChoice::Behind) => break 'reading,
                Err(_) => {}
            }
            if batch.len() == BATCH && full.send(std::mem::replace(&mut batch, new_batch())).is_err() {
                break 'reading;
            }
        }
    }
    // Where nobody listens any more, nothing is lost.
    let _ = full.send(batch);
    Placed { left_out: planner.chooser.left_out, widened: planner.widened, faults: reader.faults().to_vec() }
}
