//! Windows xperf or ETW disk events as CSV: `BeginHeader` .. `EndHeader` name the columns of each kind of row.
//!
//! `TimeStamp` (us) is that of the completion; `ElapsedTime` counts from when the I/O was asked for, `DiskSvcTime`
//! is the part of it that the disk took.

use std::collections::HashMap;

use drivelab_block::{Instant, Nanos, Op, TracedIo};

use super::{ParsedRow, hand_over, io, touched};
use crate::manifest::Measured;
use crate::reject_reason::RejectReason;
use crate::scan::{Scan, nanos_of};
use crate::trace_builder::EventSink;

#[derive(Default)]
pub struct Etw {
    is_header: bool,
    /// The columns of each kind of row that is wanted.
    columns: HashMap<Vec<u8>, EtwColumns>,
}

/// Where in a row what stands.
#[derive(Clone, Copy)]
struct EtwColumns {
    time: usize,
    elapsed: usize,
    process: Option<usize>,
    offset: Option<usize>,
    size: Option<usize>,
    disk: Option<usize>,
    service: Option<usize>,
}

impl EtwColumns {
    /// Without the disk's part there is only the time since the I/O was asked for.
    fn measured(&self) -> Measured {
        if self.service.is_some() { Measured::IssueToComplete } else { Measured::QueueToComplete }
    }
}

const KINDS: [(&[u8], Op); 3] =
    [(b"DiskRead", Op::Read), (b"DiskWrite", Op::Write), (b"DiskFlush", Op::Flush)];

impl Etw {
    pub fn line<C: EventSink>(&mut self, line: &[u8], out: &mut C) {
        let fields: Vec<&[u8]> = line.split(|byte| *byte == b',').map(<[u8]>::trim_ascii).collect();
        match fields[0] {
            b"BeginHeader" => self.is_header = true,
            b"EndHeader" => self.is_header = false,
            _ if self.is_header => self.learn(&fields),
            kind => {
                let op = KINDS.iter().find(|(name, _)| *name == kind).map(|(_, op)| *op);
                if let Some((op, columns)) = op.zip(self.columns.get(kind).copied()) {
                    let row = parse(&fields, op, columns, out);
                    return hand_over(row, || true, columns.measured(), out);
                }
            }
        }
        out.other();
    }

    /// Takes the columns of a kind of row that is wanted.
    fn learn(&mut self, fields: &[&[u8]]) {
        if !KINDS.iter().any(|(name, _)| *name == fields[0]) {
            return;
        }
        let find = |name: &str| fields.iter().position(|field| field.eq_ignore_ascii_case(name.as_bytes()));
        let process = fields.iter().position(|field| field.starts_with(b"Process Name"));
        if let Some((time, elapsed)) = find("TimeStamp").zip(find("ElapsedTime")) {
            let columns = EtwColumns {
                time,
                elapsed,
                process,
                offset: find("ByteOffset"),
                size: find("IOSize"),
                disk: find("DiskNum"),
                service: find("DiskSvcTime"),
            };
            self.columns.insert(fields[0].to_vec(), columns);
        }
    }
}

fn parse<C: EventSink>(fields: &[&[u8]], op: Op, columns: EtwColumns, out: &mut C) -> ParsedRow {
    let text = |column: Option<usize>| column.and_then(|column| fields.get(column).copied());
    let micros = |field: Option<&[u8]>| nanos_of(field?, 1_000);
    let hex = |field: Option<&[u8]>| {
        let mut scan = Scan(field?);
        scan.hex().filter(|_| scan.is_empty())
    };
    let completed = micros(text(Some(columns.time)))?;
    let elapsed = micros(text(Some(columns.elapsed)))?;
    let service = if columns.service.is_some() { micros(text(columns.service))? } else { elapsed };
    if service > elapsed {
        return Some(Err(RejectReason::SERVICE_BEYOND_RESPONSE));
    }
    let (offset, size) =
        if op == Op::Flush { (0, 0) } else { (hex(text(columns.offset))?, hex(text(columns.size))?) };
    let device = out.device(text(columns.disk).unwrap_or(b"0"));
    let process = out.process(text(columns.process).unwrap_or(b""));
    Some(io(completed, op, touched(offset, size)).map(|io| TracedIo {
        issued_at: Instant::from_nanos(completed.saturating_sub(service)),
        queued_for: columns.service.map(|_| Nanos::new(elapsed - service)),
        service: Some(Nanos::new(service)),
        device,
        process,
        ..io
    }))
}
