//! Florida International University: `ns pid process lba size R|W major minor MD5`, blocks of 512 bytes.
//!
//! Source: A. Verma et al., "`SRCMap`", FAST 2010; the README of SNIA IOTTA trace 390.

use drivelab_block::{Op, TracedIo};

use super::{ParsedRow, extent, io};
use crate::reject_reason::RejectReason;
use crate::scan::Scan;
use crate::trace_builder::EventSink;

pub fn parse<C: EventSink>(line: &[u8], out: &mut C) -> ParsedRow {
    let mut scan = Scan(line);
    let at = scan.word_number()?;
    scan.word_number()?;
    let process = scan.word();
    let start = scan.word_number()?;
    let sectors = scan.word_number()?;
    let op = match scan.word() {
        b"R" => Op::Read,
        b"W" => Op::Write,
        word if word.iter().all(u8::is_ascii_alphabetic) => {
            return Some(Err(RejectReason::UNKNOWN_OPERATION));
        }
        _ => return None,
    };
    let (major, minor) = (scan.word_number()?, scan.word_number()?);
    let (device, process) = (out.device(format!("{major}:{minor}").as_bytes()), out.process(process));
    Some(io(at, op, extent(start, sectors)).map(|io| TracedIo { device, process, ..io }))
}
