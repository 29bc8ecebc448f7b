//! The text of blkparse: `maj,min cpu seq sec.ns pid action rwbs sector + count [comm]`; a completion ends in
//! `[error]`.

use drivelab_block::Status;

use super::begins_with_digit;
use crate::event::{Event, Named, What, parse_rwbs};
use crate::reject_reason::RejectReason;
use crate::scan::{SECOND, Scan, nanos_of};
use crate::trace_builder::EventSink;

pub fn line<C: EventSink>(line: &[u8], out: &mut C) {
    match parse(line, out) {
        Some(Ok(Some(event))) => out.event(event),
        // An event that says nothing of when a request began or ended.
        Some(Ok(None)) => {}
        Some(Err(reason)) => out.reject(reason),
        None if begins_with_digit(line) => out.reject(RejectReason::MALFORMED),
        None => out.other(),
    }
}

fn parse<C: EventSink>(line: &[u8], out: &mut C) -> Option<Result<Option<Event>, RejectReason>> {
    let mut scan = Scan(line);
    let name = scan.word();
    let mut numbers = Scan(name);
    numbers.number()?;
    numbers.byte(b',')?;
    numbers.number()?;
    scan.word_number()?;
    scan.word_number()?;
    let at = nanos_of(scan.word(), SECOND)?;
    scan.word_number()?;
    let what = match scan.word() {
        b"Q" => What::Queued,
        b"M" => What::Merged,
        b"F" => What::MergedInFront,
        b"D" => What::Issued,
        b"R" => What::Requeued,
        b"C" => What::Completed,
        word if word.is_ascii() && word.len() <= 2 => return Some(Ok(None)),
        _ => return None,
    };
    let letters = scan.word();
    // A flush has no extent.
    let mut ahead = scan;
    let place = ahead.word_number();
    let (start, sectors) = match place {
        Some(start) => {
            scan = ahead;
            if scan.word() == b"+" { (start, scan.word_number()?) } else { (start, 0) }
        }
        None => (0, 0),
    };
    let Some(named) = parse_rwbs(letters, sectors == 0) else {
        return Some(Err(RejectReason::PASSTHROUGH));
    };
    let Some(extent) = named.extent(start, sectors) else { return Some(Err(RejectReason::OUT_OF_RANGE)) };
    let Named { op, flags, .. } = named;
    let (device, last) = (out.device(name), in_brackets(scan.0));
    let is_end = what == What::Completed;
    let status = if is_end { status(last) } else { Status::OK };
    let process = out.process(if is_end { b"" } else { last });
    let what = named.meaning(what);
    Some(Ok(Some(Event { at, what, device, extent, op, flags, process, status })))
}

/// What stands in the brackets at the end of a line.
pub fn in_brackets(rest: &[u8]) -> &[u8] {
    let rest = rest.trim_ascii();
    let inner = memchr::memchr(b'[', rest).map_or(&b""[..], |open| &rest[open + 1..]);
    inner.strip_suffix(b"]").unwrap_or(b"")
}

/// An error number as the kernel prints it: 0, or negative.
pub fn status(text: &[u8]) -> Status {
    let mut scan = Scan(text.strip_prefix(b"-").unwrap_or(text));
    match scan.number() {
        None | Some(0) => Status::OK,
        Some(number) => Status::errno(i32::try_from(number).unwrap_or(i32::MAX)),
    }
}
