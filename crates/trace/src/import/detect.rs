//! Which format a file has, from what it holds.

use super::LookedAtFile;
use crate::format::{Format, blktrace};
use crate::trace_builder::FormatTally;

const SAMPLE: usize = 400;

/// The format that makes records of the most lines, if any makes some.
pub fn detect(source: &LookedAtFile<'_>) -> Option<Format> {
    let start = source.start.as_slice();
    if blktrace::is_blktrace(start) {
        return Some(Format::Blktrace);
    }
    // Pages have no mark of their own: they are told by not being text, and by what lies beside them.
    if start.contains(&0) && !source.layouts.is_empty() {
        return Some(Format::Ring);
    }
    let scores = Format::ALL.into_iter().filter_map(|format| Some((format, records(start, format)?)));
    // Of equal ones the first, as the list has them.
    scores.reduce(|best, next| if next.1 > best.1 { next } else { best }).map(|(format, _)| format)
}

/// The format that a file has, where it makes records of its first lines and the format that was named makes none of them.
pub fn other_than(source: &LookedAtFile<'_>, named: Format) -> Option<Format> {
    let found = detect(source).filter(|found| *found != named)?;
    records(&source.start, named).is_none().then_some(found)
}

/// How many records a format makes of the first lines; none where that is no format of text, or makes none.
fn records(start: &[u8], format: Format) -> Option<u64> {
    let mut tally = FormatTally::default();
    let mut reader = format.lines::<FormatTally>()?;
    for line in start.split(|byte| *byte == b'\n').take(SAMPLE) {
        reader(line, &mut tally);
    }
    (tally.records > 0).then_some(tally.records)
}
