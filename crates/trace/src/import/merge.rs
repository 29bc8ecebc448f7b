//! Binary files of one trace, one a processor, merged by time.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::io;

use crate::collect::{IoSink, TraceBuilder};

/// Events between two looks at whether to go on.
const LOOK_EVERY: u64 = 1 << 16;

/// One processor's events, in the order of their time.
pub trait ProcessorEvents {
    /// An event, with its time.
    type Event;

    /// The next event and its time; `None` at the end.
    fn next(&mut self) -> io::Result<Option<(u64, Self::Event)>>;
}

/// Hands over the events of all streams, each to its end or to its damage.
pub fn read<E: ProcessorEvents, K: IoSink>(
    mut streams: Vec<(String, E)>,
    mut hand_over: impl FnMut(E::Event, &mut TraceBuilder<K>),
    collector: &mut TraceBuilder<K>,
    keep_going: &mut dyn FnMut() -> bool,
) {
    let mut heads = Vec::new();
    let mut heap = BinaryHeap::new();
    for (number, (name, stream)) in streams.iter_mut().enumerate() {
        let head = next(name, stream, collector);
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
        let (name, stream) = &mut streams[number];
        heads[number] = next(name, stream, collector);
        match &heads[number] {
            // Its place in the heap is found when `earliest` goes: mostly where it is.
            Some((at, _)) => earliest.0.0 = *at,
            None => drop(PeekMut::pop(earliest)),
        }
    }
}

fn next<E: ProcessorEvents, K: IoSink>(
    name: &str,
    stream: &mut E,
    collector: &mut TraceBuilder<K>,
) -> Option<(u64, E::Event)> {
    stream.next().unwrap_or_else(|error| {
        collector.damaged(format!("{name}: {error}"));
        None
    })
}
