//! Traces of simulators, and of the runs that validated one.
//!
//! `DiskSim` ASCII: `ms device block blocks flags`, bit 0 of the flags = read; `MQSim` the same with whole
//! nanoseconds and 1 = read; blocks of 512 bytes. Validation: `R|W Hit|Miss block blocks inter-arrival service`, us.
//! Source: J. Bucy et al., "The `DiskSim` Simulation Environment Version 4.0", CMU-PDL-08-101.

use drivelab_block::{Nanos, Op, TracedIo};

use super::{ParsedRow, extent, hand_over, io};
use crate::manifest::Measured;
use crate::scan::{Scan, nanos_of};
use crate::trace_builder::EventSink;

/// A row whose time is in milliseconds.
pub fn ascii<C: EventSink>(line: &[u8], out: &mut C) -> ParsedRow {
    simulated(line, 1_000_000, out)
}

/// A row whose time is in whole nanoseconds: with a fraction it is one of the other format.
pub fn mqsim<C: EventSink>(line: &[u8], out: &mut C) -> ParsedRow {
    if Scan(line).word().contains(&b'.') { None } else { simulated(line, 1, out) }
}

fn simulated<C: EventSink>(line: &[u8], unit: u64, out: &mut C) -> ParsedRow {
    let mut scan = Scan(line);
    let at = nanos_of(scan.word(), unit)?;
    let name = scan.word();
    let (start, sectors, flags) = (scan.word_number()?, scan.word_number()?, scan.word_number()?);
    if !scan.is_empty() || !name.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let op = if flags & 1 == 1 { Op::Read } else { Op::Write };
    let device = out.device(name);
    Some(io(at, op, extent(start, sectors)).map(|io| TracedIo { device, ..io }))
}

/// Arrivals are relative to the request before.
#[derive(Default)]
pub struct Validation {
    now: u64,
}

impl Validation {
    pub fn line<C: EventSink>(&mut self, line: &[u8], out: &mut C) {
        let row = self.parse(line, out);
        hand_over(row, || matches!(line, [b'R' | b'W', b' ', ..]), Measured::IssueToComplete, out);
    }

    fn parse<C: EventSink>(&mut self, line: &[u8], out: &mut C) -> ParsedRow {
        let mut scan = Scan(line);
        let op = match scan.word() {
            b"R" => Op::Read,
            b"W" => Op::Write,
            _ => return None,
        };
        if !matches!(scan.word(), b"Hit" | b"Miss") {
            return None;
        }
        let (start, sectors) = (scan.word_number()?, scan.word_number()?);
        let (gap, service) = (nanos_of(scan.word(), 1_000)?, nanos_of(scan.word(), 1_000)?);
        self.now = self.now.checked_add(gap)?;
        let device = out.device(b"drive");
        let service = Some(Nanos::new(service));
        Some(io(self.now, op, extent(start, sectors)).map(|io| TracedIo { device, service, ..io }))
    }
}
