//! Files of lines.

use std::io::{self, Read};

use super::LookedAtFile;
use super::open::READ_BYTES;
use crate::format::{Format, LineReader};
use crate::reject_reason::RejectReason;
use crate::trace_builder::{EventSink as _, IoSink, TraceBuilder};

/// A longer line is no record.
const BLOCK: usize = 1 << 20;

/// Reads a file to its end, or to its damage.
pub fn read<K: IoSink + 'static>(
    source: LookedAtFile<'_>,
    format: Format,
    collector: &mut TraceBuilder<K>,
    keep_going: &mut dyn FnMut() -> bool,
) {
    let Some(mut lines) = format.lines::<TraceBuilder<K>>() else { return };
    let path = source.path.clone();
    // What was read of a pipe until it was not waited for any longer is kept.
    let start = source.start.len() as u64;
    let mut reader = source.reader();
    let mut block = vec![0; BLOCK];
    let (mut held, mut consumed) = (0, 0u64);
    loop {
        let has_read_start = consumed + held as u64 >= start;
        if collector.has_failed() || (has_read_start && !keep_going()) {
            return;
        }
        let room = BLOCK.min(held + READ_BYTES);
        let count = match reader.read(&mut block[held..room]) {
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => {
                let at = consumed + held as u64;
                collector.damaged(format!("{}: {error}, after {at} bytes unpacked", path.display()));
                0
            }
        };
        if count == 0 {
            break;
        }
        let filled = held + count;
        let used = whole_lines(&block[..filled], &mut lines, collector);
        // A line that fills the block has no end in sight.
        let used = if used == 0 && filled == BLOCK {
            collector.other();
            filled
        } else {
            used
        };
        block.copy_within(used..filled, 0);
        (held, consumed) = (filled - used, consumed + used as u64);
    }
    // A pipe that is not waited for any longer ends within a line.
    if held > 0 && keep_going() {
        collector.reject(RejectReason::UNENDED);
    }
}

/// Hands over every line that has its end; returns the bytes of them.
fn whole_lines<K: IoSink>(
    block: &[u8],
    lines: &mut LineReader<TraceBuilder<K>>,
    collector: &mut TraceBuilder<K>,
) -> usize {
    let mut used = 0;
    for end in memchr::memchr_iter(b'\n', block) {
        lines(without_return(&block[used..end]), collector);
        used = end + 1;
    }
    used
}

fn without_return(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\r").unwrap_or(line)
}
