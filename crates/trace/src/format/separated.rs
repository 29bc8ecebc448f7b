//! Rows whose fields are separated by commas or semicolons: traces of servers, of virtual desktops and of cloud volumes.

use drivelab_block::{Nanos, Op, TracedIo};

use super::{ParsedRow, extent, io, touched};
use crate::event::{Named, parse_rwbs};
use crate::reject_reason::RejectReason;
use crate::scan::{SECOND, Scan, nanos_of};
use crate::trace_builder::EventSink;

/// 1970 in units of 100 ns since 1601.
const UNIX_EPOCH: u64 = 116_444_736_000_000_000;

/// MSR Cambridge: `FILETIME,host,disk,Read|Write,offset,bytes,response`, times in units of 100 ns.
///
/// Source: D. Narayanan, A. Donnelly, A. Rowstron, "Write Off-Loading", FAST 2008, and its traces' README.
#[inline]
pub fn msr<C: EventSink>(line: &[u8], out: &mut C) -> ParsedRow {
    let mut scan = Scan(line);
    let ticks = scan.number()?;
    scan.byte(b',')?;
    // Host and disk together name the device.
    let names = scan.0;
    let host = scan.until(b',')?.len();
    let disk = scan.until(b',')?.len();
    let op = match scan.until(b',')? {
        b"Read" => Op::Read,
        b"Write" => Op::Write,
        _ => return Some(Err(RejectReason::UNKNOWN_OPERATION)),
    };
    let offset = scan.number()?;
    scan.byte(b',')?;
    let bytes = scan.number()?;
    scan.byte(b',')?;
    let response = scan.number()?;
    if !scan.is_empty() {
        return None;
    }
    // A drive that was traced before 1970 is a damaged time.
    if ticks < UNIX_EPOCH {
        return Some(Err(RejectReason::OUT_OF_RANGE));
    }
    let device = out.device(&names[..host + 1 + disk]);
    let Some((at, response)) = ticks.checked_mul(100).zip(response.checked_mul(100)) else {
        return Some(Err(RejectReason::OUT_OF_RANGE));
    };
    Some(io(at, op, touched(offset, bytes)).map(|io| TracedIo {
        device,
        service: Some(Nanos::new(response)),
        ..io
    }))
}

/// SYSTOR '17: `Timestamp,Response,IOType,LUN,Offset,Size`, seconds since 1970 and seconds; not sorted.
///
/// Source: C. Lee et al., "Understanding Storage Traffic Characteristics on Enterprise Virtual Desktop
/// Infrastructure", SYSTOR 2017.
pub fn systor<C: EventSink>(line: &[u8], out: &mut C) -> ParsedRow {
    let mut scan = Scan(line);
    let at = scan.nanos(SECOND)?;
    scan.byte(b',')?;
    // Absent where no response was seen.
    let response = scan.nanos(SECOND);
    scan.byte(b',')?;
    let op = match scan.until(b',')? {
        b"R" => Op::Read,
        b"W" => Op::Write,
        b"" => return Some(Err(RejectReason::NO_RESPONSE)),
        _ => return Some(Err(RejectReason::UNKNOWN_OPERATION)),
    };
    let lun = scan.until(b',')?;
    let offset = scan.number()?;
    scan.byte(b',')?;
    let bytes = scan.number()?;
    if !scan.is_empty() {
        return None;
    }
    let device = out.device(lun);
    Some(io(at, op, touched(offset, bytes)).map(|io| TracedIo {
        device,
        service: response.map(Nanos::new),
        ..io
    }))
}

/// Alibaba: `device_id,R|W,offset,bytes,microseconds since 1970`, without durations.
///
/// Source: J. Li et al., "An In-Depth Analysis of Cloud Block Storage Workloads in Large-Scale Production", IISWC 2020.
pub fn alibaba<C: EventSink>(line: &[u8], out: &mut C) -> ParsedRow {
    let mut scan = Scan(line);
    let name = scan.until(b',')?;
    let op = match scan.until(b',')? {
        b"R" => Op::Read,
        b"W" => Op::Write,
        word if word.iter().all(u8::is_ascii_alphabetic) => {
            return Some(Err(RejectReason::UNKNOWN_OPERATION));
        }
        _ => return None,
    };
    let offset = scan.number()?;
    scan.byte(b',')?;
    let bytes = scan.number()?;
    scan.byte(b',')?;
    let at = scan.nanos(1_000)?;
    if !scan.is_empty() {
        return None;
    }
    let device = out.device(name);
    Some(io(at, op, touched(offset, bytes)).map(|io| TracedIo { device, ..io }))
}

/// Tencent CBS: `seconds since 1970,offset,size,0|1,volume`, offset and size in sectors of 512 bytes, 0 = read, without
/// durations.
///
/// Source: Y. Zhang et al., "OSCA", USENIX ATC 2020.
pub fn tencent<C: EventSink>(line: &[u8], out: &mut C) -> ParsedRow {
    let mut scan = Scan(line);
    let at = scan.number()?.checked_mul(1_000_000_000)?;
    scan.byte(b',')?;
    let start = scan.number()?;
    scan.byte(b',')?;
    let sectors = scan.number()?;
    scan.byte(b',')?;
    let op = match scan.until(b',')? {
        b"0" => Op::Read,
        b"1" => Op::Write,
        _ => return Some(Err(RejectReason::UNKNOWN_OPERATION)),
    };
    let volume = scan.0.trim_ascii();
    if volume.is_empty() || volume.contains(&b',') {
        return None;
    }
    let device = out.device(volume);
    Some(io(at, op, extent(start, sectors)).map(|io| TracedIo { device, ..io }))
}

/// blkreplay's `.load`: `seconds ; sector ; sectors ; R|W ; delay ; duration`. Loads have zeros in the last two,
/// results have times. Headers and licences may recur in the middle.
///
/// Source: T. Schoebel-Theuer, blkreplay's manual.
pub fn blkreplay<C: EventSink>(line: &[u8], out: &mut C) -> ParsedRow {
    let mut fields = line.split(|byte| *byte == b';').map(<[u8]>::trim_ascii);
    let at = nanos_of(fields.next()?, SECOND)?;
    let (start, sectors) = (nanos_of(fields.next()?, 1)?, nanos_of(fields.next()?, 1)?);
    // Loads that were made of a blktrace keep its letters.
    let Some(Named { op, flags, .. }) = parse_rwbs(fields.next()?, sectors == 0) else {
        return Some(Err(RejectReason::UNKNOWN_OPERATION));
    };
    let (delay, duration) = (nanos_of(fields.next()?, SECOND)?, nanos_of(fields.next()?, SECOND)?);
    let device = out.device(b"drive");
    let service = (delay > 0 || duration > 0).then(|| Nanos::new(duration));
    let at = at.saturating_add(delay);
    Some(io(at, op, extent(start, sectors)).map(|io| TracedIo { device, service, flags, ..io }))
}
