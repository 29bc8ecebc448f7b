//! The block layer's trace points as text, from `perf script` or from tracefs.
//!
//! perf: `comm pid/tid [cpu] seconds: block:block_rq_issue: 254,0 RA 4096 () 25070104 + 8 0x2,0,4 [fio]`; tracefs:
//! `comm-pid [cpu] flags seconds: block_rq_issue: ...`. A completion has no bytes and ends in `[error]`; the
//! priority before the brackets came in Linux 6.11 or so and may be missing.

use super::blkparse::{in_brackets, status};
use crate::event::{Event, Named, What, parse_rwbs};
use crate::reject_reason::RejectReason;
use crate::scan::{SECOND, Scan, nanos_of};
use crate::trace_builder::EventSink;

pub fn line<C: EventSink>(line: &[u8], out: &mut C) {
    if let Some(lost) = lost_events(line) {
        return out.lost(lost);
    }
    if let Some(overwritten) = overwritten_events(line) {
        out.lost(overwritten);
        return out.other();
    }
    let Some(place) = event_name(line) else { return out.other() };
    match parse(line, place, out) {
        Some(Ok(Some(event))) => out.event(event),
        Some(Ok(None)) => {}
        Some(Err(reason)) => out.reject(reason),
        None => out.reject(RejectReason::MALFORMED),
    }
}

/// `CPU:1 [LOST 123 EVENTS]`, as tracefs prints it.
fn lost_events(line: &[u8]) -> Option<u64> {
    let place = memchr::memmem::find(line, b"[LOST ")?;
    let mut scan = Scan(&line[place + 6..]);
    let lost = scan.number()?;
    scan.0.starts_with(b" EVENTS]").then_some(lost)
}

/// `# entries-in-buffer/entries-written: 4/5000   #P:2`, as tracefs begins: the difference was overwritten.
fn overwritten_events(line: &[u8]) -> Option<u64> {
    let counts = line.strip_prefix(b"# entries-in-buffer/entries-written: ")?;
    let mut scan = Scan(counts);
    let kept = scan.number()?;
    scan.0 = scan.0.strip_prefix(b"/")?;
    Some(scan.number()?.saturating_sub(kept))
}

/// Where the event's name begins: behind the time. A process may have a name like an event's.
fn event_name(line: &[u8]) -> Option<usize> {
    let is_behind_time = |place: &usize| before(line, *place).is_some();
    let mut names = memchr::memmem::find_iter(line, b"block_");
    let first = names.next()?;
    Some(std::iter::once(first).chain(names).find(is_behind_time).unwrap_or(first))
}

/// What stands before the event's name and the colon behind its time.
fn before(line: &[u8], place: usize) -> Option<&[u8]> {
    let before = &line[..place];
    before.strip_suffix(b"block:").unwrap_or(before).trim_ascii_end().strip_suffix(b":")
}

fn parse<C: EventSink>(
    line: &[u8],
    place: usize,
    out: &mut C,
) -> Option<Result<Option<Event>, RejectReason>> {
    let mut scan = Scan(&line[place..]);
    let event = scan.until(b':')?;
    let what = match event {
        b"block_rq_issue" => What::Issued,
        b"block_rq_complete" | b"block_bio_complete" => What::Completed,
        b"block_rq_requeue" => What::Requeued,
        b"block_bio_queue" => What::Queued,
        b"block_bio_backmerge" => What::Merged,
        b"block_bio_frontmerge" => What::MergedInFront,
        _ => return Some(Ok(None)),
    };
    let at = time(before(line, place)?)?;
    let name = scan.word();
    let letters = scan.word();
    if event.starts_with(b"block_rq") {
        // Bytes, for an issue, and a command's own bytes in brackets.
        scan.blanks();
        if !scan.0.starts_with(b"(") {
            scan.word_number()?;
        }
        scan.until(b')')?;
    }
    let start = scan.word_number()?;
    if scan.word() != b"+" {
        return None;
    }
    let sectors = scan.word_number()?;
    let Some(named) = parse_rwbs(letters, sectors == 0) else {
        return Some(Err(RejectReason::PASSTHROUGH));
    };
    let Some(extent) = named.extent(start, sectors) else { return Some(Err(RejectReason::OUT_OF_RANGE)) };
    let Named { op, flags, .. } = named;
    let (device, last) = (out.device(name), in_brackets(scan.0));
    let is_end = what == What::Completed;
    let status = if is_end { status(last) } else { drivelab_block::Status::OK };
    let process = out.process(if is_end { b"" } else { last });
    let what = named.meaning(what);
    Some(Ok(Some(Event { at, what, device, extent, op, flags, process, status })))
}

/// The last word before the event's name.
fn time(before: &[u8]) -> Option<u64> {
    let start = before.iter().rposition(|byte| matches!(byte, b' ' | b'\t')).map_or(0, |blank| blank + 1);
    nanos_of(&before[start..], SECOND)
}
