//! Which format a file has, from what it holds.

use crate::collect::Tally;
use crate::format::{Format, blktrace};

/// Lines that are looked at.
const SAMPLE: usize = 400;

/// The format that makes records of the most lines, if any makes some.
pub fn detect(start: &[u8]) -> Option<Format> {
    if blktrace::is_blktrace(start) {
        return Some(Format::Blktrace);
    }
    let lines: Vec<&[u8]> = start.split(|byte| *byte == b'\n').take(SAMPLE).collect();
    let score = |format: Format| {
        let mut tally = Tally::default();
        let mut reader = format.lines::<Tally>()?;
        for line in &lines {
            reader.line(line, &mut tally);
        }
        (tally.records > 0).then_some(tally.records)
    };
    let scores = Format::ALL.into_iter().filter_map(|format| Some((format, score(format)?)));
    // Of equal ones the first, as the list has them.
    scores.reduce(|best, next| if next.1 > best.1 { next } else { best }).map(|(format, _)| format)
}
