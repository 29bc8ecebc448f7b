//! What was read back, in sentences.

use std::fmt::Write as _;

use drivelab_view::format::count;

use super::VerificationFindings;

/// A number of things: `1 write`, `2 writes`.
pub(crate) fn counted(number: u64, thing: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {thing}{plural}", count(number as f64))
}

/// What was read back, in sentences.
pub(crate) fn verification(found: Option<&VerificationFindings>) -> String {
    let Some(found) = found.filter(|found| found.blocks + found.unreadable > 0) else {
        return "Nothing was read back: what the drive holds was not verified.".to_owned();
    };
    let mut line = format!("{} read back", counted(found.blocks, "block"));
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
        let _ = write!(line, " {} more were written and not read back.", count(found.left as f64));
    }
    if found.not_judged > 0 {
        let not_judged = count(found.not_judged as f64);
        let _ = write!(line, " {not_judged} were not judged: their last write had failed.");
    }
    line
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
