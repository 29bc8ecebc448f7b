//! The I/Os of a stream: writes round and round a range, and the reads that verify them.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use drivelab_block::{Completion, Extent, Instant, Nanos, Op};
use drivelab_workload::verify::{ExpectedSector, SharedVerification};
use drivelab_workload::{Ask, Next, Span, Workload};

use super::StallsPlan;
use crate::whole::whole_part;

/// Writes round and round a range; reads half a round behind where that is asked for.
#[derive(Debug)]
pub struct CyclicWrites {
    verification: SharedVerification,
    span: Span,
    /// Nanoseconds from one block to the next, on a schedule.
    interval: Option<f64>,
    blocks: u64,
    /// The number of the next write.
    next: u64,
    /// How far reads are behind, and the number of the next write that is read back.
    behind: Option<(u64, u64)>,
    reads_next: bool,
    suspicion: Suspicion,
}

/// Counts writes that may be delays while the stream goes on: what a delay is turns out when all writes are known.
#[derive(Debug, Default)]
struct Suspicion {
    seen: u64,
    /// The mean completion time so far, in nanoseconds.
    mean: f64,
    count: Arc<AtomicU64>,
}

impl Suspicion {
    /// Writes that are enough to know what is usual.
    const ENOUGH: u64 = 20;
    /// How many times the mean is suspicious.
    const TIMES: f64 = 4.0;

    fn note(&mut self, completions: &[Completion]) {
        for completion in completions.iter().filter(|completion| completion.op == Op::Write) {
            let took = completion.service().get() as f64;
            if self.seen >= Self::ENOUGH && took > Self::TIMES * self.mean {
                self.count.fetch_add(1, Ordering::Relaxed);
            }
            self.seen += 1;
            self.mean += (took - self.mean) / self.seen as f64;
        }
    }
}

impl CyclicWrites {
    /// The writes of a plan over its blocks.
    pub fn new(plan: &StallsPlan) -> CyclicWrites {
        CyclicWrites {
            verification: plan.verification().clone(),
            span: plan.span,
            interval: plan.asked.rate_bytes_s.map(|rate| plan.asked.block_bytes as f64 / rate * 1e9),
            blocks: plan.blocks().unwrap_or(u64::MAX),
            next: 0,
            behind: plan.reads_behind().then_some((plan.span.blocks() / 2, 0)),
            reads_next: false,
            suspicion: Suspicion::default(),
        }
    }

    /// Counts writes that may be delays, for the thread that reads the drive's health after them.
    #[must_use]
    pub fn counting_suspicions(mut self, count: Arc<AtomicU64>) -> CyclicWrites {
        self.suspicion.count = count;
        self
    }

    fn extent(&self, number: u64) -> Extent {
        Extent { start: self.span.sector_of(number % self.span.blocks()), length: self.span.block() }
    }

    fn write(&mut self) -> Next {
        if self.next == self.blocks {
            return Next::End;
        }
        let extent = self.extent(self.next);
        let due = self.interval.map(|interval| Nanos::new(whole_part(self.next as f64 * interval)));
        self.next += 1;
        self.reads_next = self.behind.is_some();
        Next::Ask(Ask { due, op: Op::Write, extent })
    }

    /// The read that follows a write; none as long as the writing is not far enough ahead.
    fn read(&mut self) -> Option<Next> {
        let (lag, number) = self.behind?;
        if number + lag >= self.next {
            return None;
        }
        let place = number % self.span.blocks();
        match self.verification.get().ledger.expected(place) {
            ExpectedSector::Write(found) if found == number => {}
            // A write that failed left nothing to be read; one that is not answered yet is waited for.
            ExpectedSector::Unknown => {
                self.behind = Some((lag, number + 1));
                return None;
            }
            _ => return Some(Next::AfterAnswer),
        }
        self.behind = Some((lag, number + 1));
        self.reads_next = false;
        Some(Next::Ask(Ask { due: None, op: Op::Read, extent: self.extent(number) }))
    }
}

impl Workload for CyclicWrites {
    fn next_ask(&mut self) -> Next {
        let read = if self.reads_next { self.read() } else { None };
        read.unwrap_or_else(|| self.write())
    }

    fn answered(&mut self, completions: &[Completion], _: Instant) {
        if !completions.is_empty() {
            self.verification.get().ledger.note(completions);
            self.suspicion.note(completions);
        }
    }
}
