//! The binary formats: streams of events, one a processor, merged by time.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::io::{self, BufReader, Read};

use super::LookedAtFile;
use super::open::READ_BYTES;
use crate::format::blktrace::{self, ClockAnchor, Record};
use crate::ring::{self, Layouts, RingEvent};
use crate::trace_builder::{IoSink, TraceBuilder};

/// Reads the files of blktraces, and what the time of day was, where they hold it.
pub fn read_blktrace<K: IoSink>(
    sources: Vec<LookedAtFile<'_>>,
    collector: &mut TraceBuilder<K>,
    keep_going: &mut dyn FnMut() -> bool,
) -> Option<ClockAnchor> {
    let mut translator = blktrace::Translator::default();
    merge(
        streams(sources, |bytes, _| blktrace::Stream::new(bytes)),
        |stream| {
            let record = stream.next()?;
            Ok(record.map(|record| (record.at, (record, Box::from(stream.payload.as_slice())))))
        },
        |(record, payload): (Record, Box<[u8]>), collector| translator.hand_over(record, &payload, collector),
        collector,
        keep_going,
    );
    translator.clock
}

/// Reads pages of the kernel's ring buffer. Each file has the `format` files of its events beside it.
pub fn read_ring<K: IoSink>(
    sources: Vec<LookedAtFile<'_>>,
    collector: &mut TraceBuilder<K>,
    keep_going: &mut dyn FnMut() -> bool,
) {
    let mut translator = ring::EventDecoder::default();
    merge(
        streams(sources, ring::RingStream::new),
        |stream| Ok(stream.next()?.map(|found| (found.at, found))),
        |found: RingEvent, collector| translator.hand_over(&found, collector),
        collector,
        keep_going,
    );
}

/// The streams of files, with their names.
fn streams<'a, S>(
    sources: Vec<LookedAtFile<'a>>,
    stream: impl Fn(BufReader<Box<dyn Read + 'a>>, Layouts) -> S,
) -> Vec<(String, S)> {
    let named = |source: LookedAtFile<'a>| {
        let (name, layouts) = (source.path.display().to_string(), source.layouts.clone());
        (name, stream(BufReader::with_capacity(READ_BYTES, Box::new(source.reader())), layouts))
    };
    sources.into_iter().map(named).collect()
}

/// Events between two looks at whether to go on.
const LOOK_EVERY: u64 = 1 << 16;

/// Hands over the events of all streams, each to its end or to its damage. `next` gives the next event of a stream and its time:
/// the events of one processor are in the order of their time.
fn merge<S, E, K: IoSink>(
    mut streams: Vec<(String, S)>,
    next: impl Fn(&mut S) -> io::Result<Option<(u64, E)>>,
    mut hand_over: impl FnMut(E, &mut TraceBuilder<K>),
    collector: &mut TraceBuilder<K>,
    keep_going: &mut dyn FnMut() -> bool,
) {
    let next = |(name, stream): &mut (String, S), collector: &mut TraceBuilder<K>| {
        next(stream).unwrap_or_else(|error| {
            collector.damaged(format!("{name}: {error}"));
            None
        })
    };
    let mut heads = Vec::new();
    let mut heap = BinaryHeap::new();
    for (number, stream) in streams.iter_mut().enumerate() {
        let head = next(stream, collector);
        heap.extend(head.as_ref().map(|(at, _)| Reverse((*at, number))));
        heads.push(head);
    }
    let mut count = 0u64;
    while let Some(mut earliest) = heap.peek_mut() {
        count += 1;
        if count.is_multiple_of(LOOK_EVERY) && (collector.has_failed() || !keep_going()) {
            return;
        }
        let number = earliest.0.1;
        if let Some((_, event)) = heads[number].take() {
            hand_over(event, collector);
        }
        heads[number] = next(&mut streams[number], collector);
        match &heads[number] {
            // Its place in the heap is found when `earliest` goes: mostly where it is.
            Some((at, _)) => earliest.0.0 = *at,
            None => drop(PeekMut::pop(earliest)),
        }
    }
}
