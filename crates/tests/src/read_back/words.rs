//! What was read back, in sentences.

use std::fmt::Write as _;

use drivelab_view::format::{by_number, count, things};

use super::VerificationFindings;

/// What was read back, in sentences.
pub(crate) fn verification(found: Option<&VerificationFindings>) -> String {
    let Some(found) = found.filter(|found| found.blocks + found.unreadable > 0) else {
        return "Nothing was read back: what the drive holds was not verified.".to_owned();
    };
    let mut line = format!("{} read back", things(found.blocks, "block"));
    if found.faulty() == 0 && found.unflushed > 0 {
        line += ": none is faulty.";
    } else if found.faulty() == 0 {
        line += ": all are as they were written.";
    } else {
        let faulty = count(found.faulty() as f64);
        let _ = write!(line, ", {faulty} of them NOT as written: {}.", kinds(found).join(", "));
    }
    if found.unflushed > 0 {
        let lost = count(found.unflushed as f64);
        let _ = write!(
            line,
            " {lost} unflushed: the writes that they lost were acknowledged after the last completed flush had been submitted, \
             and a power cut may take these."
        );
    }
    if found.left > 0 {
        let (left, were) = (count(found.left as f64), by_number(found.left, "was", "were"));
        let _ = write!(line, " {left} more {were} written and not read back.");
    }
    if found.not_judged > 0 {
        let (not_judged, were) = (count(found.not_judged as f64), by_number(found.not_judged, "was", "were"));
        let _ = write!(line, " {not_judged} {were} not judged: the last write had failed.");
    }
    line
}

/// Says that blocks are not as they were written.
pub(crate) fn not_as_written(blocks: u64) -> String {
    format!("{} {} not as written.", things(blocks, "block"), by_number(blocks, "is", "are"))
}

/// Says that blocks were not read back since the run was interrupted.
pub(crate) fn not_read_back(blocks: u64) -> String {
    let were = by_number(blocks, "was", "were");
    format!("{} {were} written and not read back: the run was interrupted.", things(blocks, "block"))
}

fn kinds(found: &VerificationFindings) -> Vec<String> {
    let kinds = [
        (found.flipped, "flipped"),
        (found.torn, "torn"),
        (found.misplaced, "misplaced"),
        (found.stale, "stale"),
        (found.missing, "missing"),
        (found.unreadable, "unreadable"),
    ];
    let named = kinds.into_iter().filter(|(number, _)| *number > 0);
    named.map(|(number, kind)| format!("{} {kind}", count(number as f64))).collect()
}
