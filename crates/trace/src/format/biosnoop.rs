//! BCC's biosnoop: `TIME(s) COMM PID DISK T SECTOR BYTES [QUE(ms)] LAT(ms)`, often inside prose.
//!
//! The time is that of the completion; the latency counts from the issue to the device. A process name may hold
//! blanks, so that a row is read from its end.

use drivelab_block::{Instant, Nanos, Op, TracedIo};

use super::{ParsedRow, extent, hand_over, io};
use crate::manifest::Measured;
use crate::reject_reason::RejectReason;
use crate::scan::{SECOND, nanos_of, number_of};
use crate::trace_builder::EventSink;

#[derive(Default)]
pub struct Biosnoop {
    has_queue: bool,
}

const MILLISECOND: u64 = 1_000_000;

impl Biosnoop {
    pub fn line<C: EventSink>(&mut self, line: &[u8], out: &mut C) {
        if line.starts_with(b"TIME(s)") {
            self.has_queue = memchr::memmem::find(line, b"QUE(ms)").is_some();
            return out.other();
        }
        let row = self.parse(line, out);
        hand_over(row, || false, Measured::IssueToComplete, out);
    }

    fn parse<C: EventSink>(&self, line: &[u8], out: &mut C) -> ParsedRow {
        let mut words: Vec<&[u8]> =
            line.split(|byte| matches!(byte, b' ' | b'\t' | b'\r')).filter(|word| !word.is_empty()).collect();
        let latency = nanos(words.pop()?, MILLISECOND)?;
        let queued = if self.has_queue { Some(nanos(words.pop()?, MILLISECOND)?) } else { None };
        let bytes = number_of(words.pop()?)?;
        let start = number_of(words.pop()?)?;
        let kind = words.pop()?;
        let disk = words.pop()?;
        number_of(words.pop()?)?;
        let (time, comm) = words.split_first()?;
        let completed = nanos(time, SECOND)?;
        if comm.is_empty() {
            return None;
        }
        let op = match kind {
            b"R" => Op::Read,
            b"W" => Op::Write,
            b"D" => Op::Discard,
            b"F" => Op::Flush,
            _ => return Some(Err(RejectReason::UNKNOWN_OPERATION)),
        };
        let (device, process) = (out.device(disk), out.process(&comm.join(&b' ')));
        let sectors = if op == Op::Flush { 0 } else { bytes.div_ceil(512) };
        Some(io(completed, op, extent(start, sectors)).map(|io| TracedIo {
            // Times count from the first completion: what was issued before it would have a negative one.
            issued_at: Instant::from_nanos((completed + HEADROOM).saturating_sub(latency)),
            service: Some(Nanos::new(latency)),
            queued_for: queued.map(Nanos::new),
            device,
            process,
            ..io
        }))
    }
}

/// An hour, so that no issue lies before the clock's start; the trace's own times count from its first I/O.
const HEADROOM: u64 = 3_600 * SECOND;

fn nanos(word: &[u8], unit: u64) -> Option<u64> {
    nanos_of(word, unit).filter(|nanos| *nanos < u64::MAX - HEADROOM)
}
