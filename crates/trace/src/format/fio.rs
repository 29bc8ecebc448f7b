//! fio's I/O log. Version 2: `file add|open|close`, `file read|write|sync|datasync|trim offset bytes`, `file wait
//! microseconds`. Version 3: the same, each line begun with microseconds from the start.
//!
//! Source: fio's documentation, "Trace file format".

use drivelab_block::{Op, TracedIo};

use super::{hand_over, io, touched};
use crate::manifest::Measured;
use crate::reject_reason::RejectReason;
use crate::scan::Scan;
use crate::trace_builder::EventSink;

#[derive(Default)]
pub struct Fio {
    /// 2 or 3, once the first line was seen.
    version: u8,
    /// Where version 2's waits have brought the clock.
    now: u64,
}

enum FioLine {
    /// It opens or closes a file, or waits.
    Action,
    /// An I/O, or why it is none.
    Row(Result<TracedIo, RejectReason>),
}

const MICROSECOND: u64 = 1_000;

impl Fio {
    pub fn line<C: EventSink>(&mut self, line: &[u8], out: &mut C) {
        match line.trim_ascii_end() {
            b"fio version 2 iolog" => self.version = 2,
            b"fio version 3 iolog" => self.version = 3,
            line => {
                let is_record = self.version > 0 && !line.is_empty();
                let row = match self.parse(line, out) {
                    Some(FioLine::Action) => return,
                    Some(FioLine::Row(row)) => Some(row),
                    None => None,
                };
                return hand_over(row, || is_record, Measured::Nothing, out);
            }
        }
        out.other();
    }

    fn parse<C: EventSink>(&mut self, line: &[u8], out: &mut C) -> Option<FioLine> {
        let mut scan = Scan(line);
        let at = match self.version {
            2 => self.now,
            3 => scan.word_number()?.checked_mul(MICROSECOND)?,
            _ => return None,
        };
        let file = scan.word();
        let op = match scan.word() {
            b"add" | b"open" | b"close" => return Some(FioLine::Action),
            b"wait" => {
                let micros = scan.word_number()?;
                // Each wait counts from the one before.
                self.now = self.now.checked_add(micros.checked_mul(MICROSECOND)?)?;
                return Some(FioLine::Action);
            }
            b"read" => Op::Read,
            b"write" => Op::Write,
            b"trim" => Op::Discard,
            b"sync" | b"datasync" => Op::Flush,
            _ => return Some(FioLine::Row(Err(RejectReason::UNKNOWN_OPERATION))),
        };
        let extent = match op {
            Op::Flush => touched(0, 0),
            _ => touched(scan.word_number()?, scan.word_number()?),
        };
        let device = out.device(file);
        Some(FioLine::Row(io(at, op, extent).map(|io| TracedIo { device, ..io })))
    }
}
