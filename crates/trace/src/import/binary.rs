//! The binary formats: streams of events, one a processor.

use std::io::{self, BufRead, BufReader, Read};

use super::LookedAtFile;
use super::merge::{self, ProcessorEvents};
use super::open::READ_BYTES;
use crate::collect::{IoSink, TraceBuilder};
use crate::format::blktrace::{self, ClockAnchor};
use crate::ring;

impl<R: BufRead> ProcessorEvents for blktrace::Stream<R> {
    type Event = (blktrace::Record, Box<[u8]>);

    #[inline]
    fn next(&mut self) -> io::Result<Option<(u64, Self::Event)>> {
        let record = blktrace::Stream::next(self)?;
        Ok(record.map(|record| (record.at, (record, self.payload().into()))))
    }
}

impl<R: Read> ProcessorEvents for ring::RingStream<R> {
    type Event = ring::RingEvent;

    fn next(&mut self) -> io::Result<Option<(u64, Self::Event)>> {
        Ok(ring::RingStream::next(self)?.map(|found| (found.at, found)))
    }
}

/// Reads the files of blktraces, and what the time of day was, where they hold it.
pub fn read_blktrace<K: IoSink>(
    sources: Vec<LookedAtFile<'_>>,
    collector: &mut TraceBuilder<K>,
    keep_going: &mut dyn FnMut() -> bool,
) -> Option<ClockAnchor> {
    let streams = sources
        .into_iter()
        .map(|source| {
            let name = source.path.display().to_string();
            (name, blktrace::Stream::new(BufReader::with_capacity(READ_BYTES, source.reader())))
        })
        .collect();
    let mut translator = blktrace::Translator::default();
    merge::read(
        streams,
        |(record, payload), collector| translator.hand_over(record, &payload, collector),
        collector,
        keep_going,
    );
    translator.clock()
}

/// Reads pages of the kernel's ring buffer. Each file has the `format` files of its events beside it.
pub fn read_ring<K: IoSink>(
    sources: Vec<LookedAtFile<'_>>,
    collector: &mut TraceBuilder<K>,
    keep_going: &mut dyn FnMut() -> bool,
) {
    let streams = sources
        .into_iter()
        .map(|source| {
            let (name, layouts) = (source.path.display().to_string(), source.layouts.clone());
            (name, ring::RingStream::new(BufReader::with_capacity(READ_BYTES, source.reader()), layouts))
        })
        .collect();
    let mut translator = ring::EventDecoder::default();
    merge::read(streams, |found, collector| translator.hand_over(&found, collector), collector, keep_going);
}
