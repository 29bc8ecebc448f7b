//! The kernel's own ring buffer of trace events, as `trace_pipe_raw` hands it out: pages of binary events, whose
//! fields are where the `format` files of tracefs say.

mod layout;
mod page;
mod programs;

use std::collections::HashMap;
use std::io::{self, Read};

use drivelab_block::{DeviceId, ProcessId, Status};

pub use layout::{Layout, Layouts};
pub use programs::{ProgramRun, Programs};

use crate::event::{Event, Named, What, parse_rwbs};
use crate::reject_reason::RejectReason;
use crate::trace_builder::{EventSink, device_of};
use page::RingPage;
pub use page::may_be_page;

/// The size of a page: that of the kernel's memory pages, on every machine whose kernel has 4 KiB ones.
pub const PAGE_BYTES: usize = 4096;

/// One event, as the ring holds it.
#[derive(Clone, Debug)]
pub struct RingEvent {
    /// Nanoseconds on the tracer's clock.
    pub at: u64,
    /// Events that were lost before it.
    pub lost: u64,
    /// None of an event that is none of the block layer's, or is not looked at.
    body: Option<RawEvent>,
}

/// The fields of a block event.
#[derive(Clone, Debug)]
pub(crate) struct RawEvent {
    what: What,
    device: u32,
    sector: u64,
    sectors: u32,
    error: i32,
    letters: [u8; 16],
    command: [u8; 16],
}

/// One processor's events, in the order of their time.
pub struct RingStream<R> {
    source: R,
    layouts: Layouts,
    page: RingPage,
    number: u64,
}

impl<R: Read> RingStream<R> {
    /// Reads pages from here on.
    pub fn new(source: R, layouts: Layouts) -> RingStream<R> {
        RingStream { source, layouts, page: RingPage::default(), number: 0 }
    }

    /// The next event; `None` at the end. Where the stream is damaged or cut, the error says in which page.
    pub fn next(&mut self) -> io::Result<Option<RingEvent>> {
        loop {
            let found = next_event(&mut self.page, &self.layouts).map_err(|what| self.damaged(what))?;
            if found.is_some() || !self.fill()? {
                return Ok(found);
            }
        }
    }

    fn fill(&mut self) -> io::Result<bool> {
        let mut bytes = Vec::with_capacity(PAGE_BYTES);
        self.source.by_ref().take(PAGE_BYTES as u64).read_to_end(&mut bytes)?;
        if bytes.is_empty() {
            return Ok(false);
        }
        let bytes = bytes.try_into().map_err(|_| self.damaged("it is cut"))?;
        self.number += 1;
        self.page = RingPage::new(bytes).map_err(|what| self.damaged(what))?;
        Ok(true)
    }

    fn damaged(&self, what: &str) -> io::Error {
        io::Error::other(format!("page {}: {what}", self.number))
    }
}

/// Takes the events out of a page; the error is a few words, and what came before it is kept.
pub fn events_of_page(
    bytes: Box<[u8; PAGE_BYTES]>,
    layouts: &Layouts,
    out: &mut Vec<RingEvent>,
) -> Result<(), &'static str> {
    let mut page = RingPage::new(bytes)?;
    while let Some(found) = next_event(&mut page, layouts)? {
        out.push(found);
    }
    Ok(())
}

fn next_event(page: &mut RingPage, layouts: &Layouts) -> Result<Option<RingEvent>, &'static str> {
    let Some((at, place)) = page.next()? else { return Ok(None) };
    let body = layouts.read(&page.bytes[place]);
    Ok(Some(RingEvent { at, lost: page.take_lost(), body }))
}

/// Names whose numbers are at hand; a damaged ring can have a new one in every event.
const MAX_AT_HAND: usize = 1 << 16;

/// Makes events of what the ring holds, and remembers the numbers of names.
#[derive(Debug, Default)]
pub struct EventDecoder {
    /// Names that are better than the numbers of the devices (12 bits of major, 20 of minor).
    pub names: HashMap<u32, String>,
    devices: HashMap<u32, DeviceId>,
    processes: HashMap<[u8; 16], ProcessId>,
}

impl EventDecoder {
    /// Calls the device with this number by a name from now on.
    pub fn name(&mut self, number: u32, name: &str) {
        self.names.insert(number, name.to_owned());
        self.devices.remove(&number);
    }

    /// Hands over an event, and what was lost before it.
    pub fn hand_over(&mut self, found: &RingEvent, out: &mut impl EventSink) {
        if found.lost > 0 {
            out.lost(found.lost);
        }
        let Some(raw) = &found.body else { return };
        let Some(named) = parse_rwbs(until_nul(&raw.letters), raw.sectors == 0) else {
            return out.reject(RejectReason::PASSTHROUGH);
        };
        let Some(extent) = named.extent(raw.sector, u64::from(raw.sectors)) else {
            return out.reject(RejectReason::OUT_OF_RANGE);
        };
        if self.devices.len() == MAX_AT_HAND {
            self.devices.clear();
        }
        if self.processes.len() == MAX_AT_HAND {
            self.processes.clear();
        }
        let name_device = |out: &mut _| match self.names.get(&raw.device) {
            Some(name) => EventSink::device(out, name.as_bytes()),
            None => device_of(raw.device, out),
        };
        let device = *self.devices.entry(raw.device).or_insert_with(|| name_device(out));
        let is_end = raw.what == What::Completed;
        let process = if is_end {
            ProcessId(0)
        } else {
            *self.processes.entry(raw.command).or_insert_with(|| out.process(until_nul(&raw.command)))
        };
        let status =
            if is_end && raw.error != 0 { Status::errno(raw.error.saturating_abs()) } else { Status::OK };
        let (what, Named { op, flags, .. }) = (named.meaning(raw.what), named);
        out.event(Event { at: found.at, what, device, extent, op, flags, process, status });
    }
}

fn until_nul(text: &[u8]) -> &[u8] {
    &text[..memchr::memchr(0, text).unwrap_or(text.len())]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::folder::TraceError;
    use crate::trace_builder::{IoSink, TraceBuilder};
    use drivelab_block::{Op, TracedIo};

    #[derive(Default)]
    struct All(Vec<TracedIo>);

    impl IoSink for All {
        fn keep(&mut self, io: TracedIo) -> Result<(), TraceError> {
            self.0.push(io);
            Ok(())
        }
    }

    #[test]
    fn what_asked_for_a_flush_and_ends_with_it_is_no_loss() {
        let found = |at, what, letters: &str, sector| {
            let mut padded = [0; 16];
            padded[..letters.len()].copy_from_slice(letters.as_bytes());
            let (device, command) = (7 << 20, [0; 16]);
            let raw = RawEvent { what, device, sector, sectors: 0, error: 0, letters: padded, command };
            RingEvent { at, lost: 0, body: Some(raw) }
        };
        let mut collector = TraceBuilder::new(All::default(), crate::times::Times::of_a_clock());
        let mut translator = EventDecoder::default();
        for event in [
            found(100, What::Issued, "FF", 0),
            found(400, What::Completed, "FF", u64::MAX),
            found(410, What::Issued, "FF", 0),
            found(420, What::Completed, "WS", 0),
            found(430, What::Completed, "WSM", 32_788),
            found(900, What::Completed, "FF", u64::MAX),
            found(901, What::Completed, "WS", 0),
        ] {
            translator.hand_over(&event, &mut collector);
        }
        let collected = collector.finish().expect("kept");
        assert_eq!(collected.account.unpaired, [].into());
        let took: Vec<Option<u64>> =
            collected.keeper.0.iter().map(|io| io.service.map(drivelab_block::Nanos::get)).collect();
        assert_eq!(took, [Some(300), Some(490)]);
        assert!(collected.keeper.0.iter().all(|io| io.op == Op::Flush));
    }
}
