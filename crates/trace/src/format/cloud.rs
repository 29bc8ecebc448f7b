//! Traces of cloud volumes, without durations.
//!
//! Alibaba: `device_id,R|W,offset,bytes,microseconds since 1970`; J. Li et al., "An In-Depth Analysis of Cloud
//! Block Storage Workloads in Large-Scale Production", IISWC 2020. Tencent CBS: `seconds since 1970,offset,size,
//! 0|1,volume`, offset and size in sectors of 512 bytes, 0 = read; Y. Zhang et al., "OSCA", USENIX ATC 2020.

use drivelab_block::{Op, TracedIo};

use super::{ParsedRow, extent, io, touched};
use crate::reject_reason::RejectReason;
use crate::scan::Scan;
use crate::trace_builder::EventSink;

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
