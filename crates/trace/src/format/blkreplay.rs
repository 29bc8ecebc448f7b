//! blkreplay's `.load`: `seconds ; sector ; sectors ; R|W ; delay ; duration`. Loads have zeros in the last two,
//! results have times. Headers and licences may recur in the middle.
//!
//! Source: T. Schoebel-Theuer, blkreplay's manual.

use drivelab_block::{Nanos, TracedIo};

use super::{ParsedRow, extent, io};
use crate::collect::EventSink;
use crate::event::{Named, parse_rwbs};
use crate::reason::RejectReason;
use crate::scan::Scan;

const SECOND: u64 = 1_000_000_000;

pub fn parse<C: EventSink>(line: &[u8], out: &mut C) -> ParsedRow {
    let mut fields = line.split(|byte| *byte == b';').map(<[u8]>::trim_ascii);
    let mut number = |unit: u64| {
        let mut scan = Scan(fields.next()?);
        scan.nanos(unit).filter(|_| scan.is_empty())
    };
    let (at, start, sectors) = (number(SECOND)?, number(1)?, number(1)?);
    // Loads that were made of a blktrace keep its letters.
    let Some(Named { op, flags, .. }) = parse_rwbs(fields.next()?, sectors == 0) else {
        return Some(Err(RejectReason::UNKNOWN_OPERATION));
    };
    let mut time = || {
        let mut scan = Scan(fields.next()?);
        scan.nanos(SECOND).filter(|_| scan.is_empty())
    };
    let (delay, duration) = (time()?, time()?);
    let device = out.device(b"drive");
    let service = (delay > 0 || duration > 0).then(|| Nanos::new(duration));
    let at = at.saturating_add(delay);
    Some(io(at, op, extent(start, sectors)).map(|io| TracedIo { device, service, flags, ..io }))
}
