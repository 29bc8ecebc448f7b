//! blkreplay's `.load`: `seconds ; sector ; sectors ; R|W ; delay ; duration`. Loads have zeros in the last two,
//! results have times. Headers and licences may recur in the middle.
//!
//! Source: T. Schoebel-Theuer, blkreplay's manual.

use drivelab_block::{Nanos, TracedIo};

use super::{ParsedRow, extent, io};
use crate::event::{Named, parse_rwbs};
use crate::reject_reason::RejectReason;
use crate::scan::{SECOND, nanos_of};
use crate::trace_builder::EventSink;

pub fn parse<C: EventSink>(line: &[u8], out: &mut C) -> ParsedRow {
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
