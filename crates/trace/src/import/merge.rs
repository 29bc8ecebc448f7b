//! The binary files of one blktrace, one a processor, merged by time.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io::BufReader;

use super::Source;
use crate::collect::Collector;
use crate::format::blktrace::{Record, Stream, Translator};

/// Records between two looks at whether to go on.
const LOOK_EVERY: u64 = 1 << 16;

/// Reads all files to their ends, or each to its damage.
pub fn read(sources: Vec<Source>, collector: &mut Collector, keep_going: &mut dyn FnMut() -> bool) {
    let mut streams: Vec<(String, Stream<_>)> = sources
        .into_iter()
        .map(|source| (source.path.display().to_string(), Stream::new(BufReader::new(source.reader()))))
        .collect();
    let mut heads: Vec<Option<(Record, Vec<u8>)>> = Vec::new();
    let mut heap = BinaryHeap::new();
    for (number, (name, stream)) in streams.iter_mut().enumerate() {
        let head = next(name, stream, collector);
        heap.extend(head.as_ref().map(|(record, _)| Reverse((record.at, number))));
        heads.push(head);
    }
    let mut translator = Translator::default();
    let mut count = 0u64;
    while let Some(Reverse((_, number))) = heap.pop() {
        count += 1;
        if count.is_multiple_of(LOOK_EVERY) && (collector.has_failed() || !keep_going()) {
            return;
        }
        let Some((record, payload)) = heads[number].take() else { continue };
        translator.hand_over(record, &payload, collector);
        let (name, stream) = &mut streams[number];
        heads[number] = next(name, stream, collector);
        heap.extend(heads[number].as_ref().map(|(record, _)| Reverse((record.at, number))));
    }
}

fn next<R: std::io::Read>(
    name: &str,
    stream: &mut Stream<R>,
    collector: &mut Collector,
) -> Option<(Record, Vec<u8>)> {
    match stream.next() {
        Ok(record) => record.map(|record| (record, stream.payload().to_vec())),
        Err(error) => {
            collector.damaged(format!("{name}: {error}"));
            None
        }
    }
}
