//! SYSTOR '17: `Timestamp,Response,IOType,LUN,Offset,Size`, seconds since 1970 and seconds; not sorted.
//!
//! Source: C. Lee et al., "Understanding Storage Traffic Characteristics on Enterprise Virtual Desktop
//! Infrastructure", SYSTOR 2017.

use drivelab_block::{Nanos, Op, TracedIo};

use super::{ParsedRow, io, touched};
use crate::reject_reason::RejectReason;
use crate::scan::{SECOND, Scan};
use crate::trace_builder::EventSink;

pub fn parse<C: EventSink>(line: &[u8], out: &mut C) -> ParsedRow {
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
