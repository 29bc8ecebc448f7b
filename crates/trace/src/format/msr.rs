//! MSR Cambridge: `FILETIME,host,disk,Read|Write,offset,bytes,response`, times in units of 100 ns.
//!
//! Source: D. Narayanan, A. Donnelly, A. Rowstron, "Write Off-Loading", FAST 2008, and its traces' README.

use drivelab_block::{Nanos, Op, TracedIo};

use super::{ParsedRow, io, touched};
use crate::reject_reason::RejectReason;
use crate::scan::Scan;
use crate::trace_builder::EventSink;

/// 1970 in units of 100 ns since 1601.
const UNIX_EPOCH: u64 = 116_444_736_000_000_000;

#[inline]
pub fn parse<C: EventSink>(line: &[u8], out: &mut C) -> ParsedRow {
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
