//! The reads that verify what was written.

use drivelab_block::{ByteCount, Extent, Op};
use drivelab_verify::SharedVerification;
use drivelab_workload::{Ask, Next, Span, Workload};

/// Reads what was written and not read back since.
#[derive(Debug)]
pub struct ReadEach {
    span: Span,
    places: std::vec::IntoIter<u64>,
}

impl ReadEach {
    /// The reads that are left to be made for a verification.
    pub fn new(verification: &SharedVerification) -> ReadEach {
        let verification = verification.get();
        let places: Vec<u64> = verification.ledger().unread().collect();
        ReadEach { span: *verification.ledger().span(), places: places.into_iter() }
    }

    /// The same for `engines` engines, each of which reads a share of the places.
    pub fn shared(verification: &SharedVerification, engines: u16) -> Vec<ReadEach> {
        let ReadEach { span, places } = ReadEach::new(verification);
        let places = places.as_slice();
        let share = places.len().div_ceil(usize::from(engines.max(1))).max(1);
        let of = |engine: u16| {
            let start = (usize::from(engine) * share).min(places.len());
            let end = (start + share).min(places.len());
            let own: Vec<u64> = places[start..end].to_vec();
            ReadEach { span, places: own.into_iter() }
        };
        (0..engines.max(1)).map(of).collect()
    }

    /// Bytes that are left to be read.
    pub fn bytes(&self) -> ByteCount {
        ByteCount::new(self.places.len() as u64 * self.span.block().bytes().get())
    }
}

impl Workload for ReadEach {
    fn next_ask(&mut self) -> Next {
        let Some(place) = self.places.next() else { return Next::End };
        let extent = Extent { start: self.span.sector_of(place), length: self.span.block() };
        Next::Ask(Ask { due: None, op: Op::Read, extent })
    }
}
