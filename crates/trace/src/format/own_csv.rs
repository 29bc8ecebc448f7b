//! What `trace export --format csv` writes: the columns of drivelab's own traces, by RFC 4180, with names in the place of
//! numbers.
//!
//! A name may hold a line end within its quotes: its row goes on in the next line.

use std::borrow::Cow;

use drivelab_block::{Instant, IoFlags, Nanos, Op, ProcessId, Status, TracedIo};

use super::{begins_with_digit, extent, io};
use crate::manifest::Measured;
use crate::reject_reason::RejectReason;
use crate::scan::Scan;
use crate::trace_builder::EventSink;

/// The first line.
pub const HEADER: &str =
    "issue_time_ns,queue_ns,service_ns,sector,sectors,operation,flags,status,device,process,measured";
const COLUMNS: usize = 11;
/// A row whose quotes are not closed within this many bytes is damaged.
const ROW_BYTES_MAX: usize = 1 << 16;

/// A reader of the lines; `open` is the row whose quotes are not closed yet.
#[derive(Default)]
pub struct OwnCsv {
    open: Vec<u8>,
}

impl OwnCsv {
    pub fn line<C: EventSink>(&mut self, line: &[u8], out: &mut C) {
        if self.open.is_empty() && (is_closed(line) || !begins_with_digit(line)) {
            return row(line, out);
        }
        self.open.extend_from_slice(line);
        if is_closed(&self.open) {
            row(&std::mem::take(&mut self.open), out);
        } else if self.open.len() > ROW_BYTES_MAX {
            self.open.clear();
            out.reject(RejectReason::MALFORMED);
        } else {
            self.open.push(b'\n');
        }
    }
}

fn is_closed(row: &[u8]) -> bool {
    memchr::memchr_iter(b'"', row).count().is_multiple_of(2)
}

fn row<C: EventSink>(line: &[u8], out: &mut C) {
    match parse(line, out) {
        Some(Ok((io, measured))) => out.io(io, measured),
        Some(Err(reason)) => out.reject(reason),
        None if begins_with_digit(line) => out.reject(RejectReason::MALFORMED),
        None => out.other(),
    }
}

fn parse<C: EventSink>(line: &[u8], out: &mut C) -> Option<Result<(TracedIo, Measured), RejectReason>> {
    let fields = fields(line.strip_suffix(b"\r").unwrap_or(line))?;
    let [at, queued, service, start, sectors, op, flags, status, device, process, measured] = &fields;
    let at = number(at)?;
    // A span that is not known is empty.
    if [queued, service].into_iter().any(|span| !span.is_empty() && number(span).is_none()) {
        return None;
    }
    let [queued_for, service] = [queued, service].map(|span| number(span).map(Nanos::new));
    let (start, sectors) = (number(start)?, number(sectors)?);
    let (op, flags) = (u8::try_from(number(op)?).ok(), u8::try_from(number(flags)?).ok());
    let status = std::str::from_utf8(status).ok()?.parse::<i16>().ok()?;
    let measured = Measured::of_word(std::str::from_utf8(measured.as_ref()).ok()?)?;
    let Some(op) = op.and_then(Op::from_code) else { return Some(Err(RejectReason::UNKNOWN_OPERATION)) };
    let Some(flags) = flags.filter(|flags| *flags < FLAGS_END) else {
        return Some(Err(RejectReason::OUT_OF_RANGE));
    };
    let device = out.device(device);
    let process = if process.is_empty() { ProcessId::default() } else { out.process(process) };
    let io = io(at, op, extent(start, sectors)).map(|io| TracedIo {
        issued_at: Instant::from_nanos(at),
        queued_for,
        service,
        flags: IoFlags::from_bits(flags),
        status: Status::from_code(status),
        device,
        process,
        ..io
    });
    Some(io.map(|io| (io, measured)))
}

/// Flags are a sum of five bits.
const FLAGS_END: u8 = 1 << 5;

/// The fields of a row, without their quotes; none where there are more or fewer than columns.
fn fields(line: &[u8]) -> Option<[Cow<'_, [u8]>; COLUMNS]> {
    let (mut rest, mut found) = (line, Vec::with_capacity(COLUMNS));
    loop {
        let (field, behind) = field(rest)?;
        found.push(field);
        match behind.split_first() {
            None => break,
            Some((b',', more)) if found.len() < COLUMNS => rest = more,
            Some(_) => return None,
        }
    }
    found.try_into().ok()
}

/// The field at the front of a row, and what lies behind it.
fn field(row: &[u8]) -> Option<(Cow<'_, [u8]>, &[u8])> {
    let Some(mut rest) = row.strip_prefix(b"\"") else {
        let end = memchr::memchr(b',', row).unwrap_or(row.len());
        return Some((Cow::Borrowed(&row[..end]), &row[end..]));
    };
    let mut field = Vec::new();
    loop {
        let end = memchr::memchr(b'"', rest)?;
        field.extend_from_slice(&rest[..end]);
        rest = &rest[end + 1..];
        match rest.strip_prefix(b"\"") {
            Some(more) => {
                field.push(b'"');
                rest = more;
            }
            None => return Some((Cow::Owned(field), rest)),
        }
    }
}

fn number(field: &[u8]) -> Option<u64> {
    let mut scan = Scan(field);
    scan.number().filter(|_| scan.0.is_empty())
}
