//! What was read back, in sentences.

use std::fmt::Write as _;

use drivelab_view::format::{by_number, count, things};
use drivelab_workload::verify::Fault;

use super::{FaultFound, FoundThere, VerificationFindings};

/// What was read back, in sentences.
pub(crate) fn verification(found: Option<&VerificationFindings>) -> String {
    let Some(found) = found.filter(|found| found.blocks + found.unreadable > 0) else {
        return "Nothing was read back: what the drive holds was not verified.".to_owned();
    };
    let were = |number: u64| by_number(number, "was", "were");
    let read_later = found.later.as_ref().filter(|_| found.is_nothing_there());
    let mut line = read_later.map_or_else(String::new, |later| {
        format!(
            "Nothing that the run wrote is on {}: this may be another drive, or it was erased since. ",
            later.target
        )
    });
    let _ =
        write!(line, "{} {} read back and judged", blocks(found.blocks, found.sectors), were(found.blocks));
    let wrong = found.faulty() - found.unreadable;
    if found.blocks == 0 {
        line += ".";
    } else if wrong == 0 && found.unflushed > 0 {
        line += ": none is faulty.";
    } else if wrong == 0 {
        line += ": all are as they were written.";
    } else {
        let wrong = count(wrong as f64);
        let _ = write!(line, ", {wrong} of them NOT as written: {}.", kinds(found).join(", "));
    }
    if found.unreadable > 0 {
        let _ = write!(line, " {} could not be read.", things(found.unreadable, "written block"));
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
        let left = blocks(found.left, found.left_sectors);
        let _ = write!(line, " {left} {} written and not read back.", were(found.left));
    } else if found.unreadable == 0 {
        line += " No block that was written is left unread.";
    }
    if found.not_judged > 0 {
        let not_judged = things(found.not_judged, "block");
        let _ =
            write!(line, " {not_judged} {} not judged: the last write had failed.", were(found.not_judged));
    }
    line
}

/// Such as "12 blocks (384 sectors of 512 bytes)".
fn blocks(blocks: u64, sectors: u64) -> String {
    format!("{} ({} of 512 bytes)", things(blocks, "block"), things(sectors, "sector"))
}

/// What the word for a fault means, in a sentence.
pub(super) fn meaning(of: Fault) -> String {
    let meaning = match of {
        Fault::Flipped => "the expected write is there, with at most 16 changed bits in a sector",
        Fault::Torn => {
            "a part of the block is of the expected write; the rest is older, or was never written by the run"
        }
        Fault::Misplaced => "the block holds what was written for another place",
        Fault::Stale => "the block holds an older write, or what another run wrote there",
        Fault::Missing => "the block holds nothing that drivelab wrote there",
        Fault::Unflushed => {
            "the write is lost that was acknowledged and not flushed, which a power cut may do"
        }
    };
    format!("{}: {meaning}.", of.word())
}

/// What was expected at a place.
pub(super) fn expected(fault: &FaultFound) -> String {
    let later = if fault.or_later { " or later" } else { "" };
    format!("write {}{later}", count(fault.expected_write as f64))
}

/// What is there.
pub(super) fn found(found: FoundThere) -> String {
    match found {
        FoundThere::Write { number } => format!("write {}", count(number as f64)),
        FoundThere::OtherPlace { lba: Some(lba), .. } => format!("data of LBA {}", count(lba as f64)),
        FoundThere::OtherPlace { .. } => "data of another place".to_owned(),
        FoundThere::OtherRun => "data of another run".to_owned(),
        FoundThere::ChangedBits => "changed bits".to_owned(),
        FoundThere::NoSector => "zeros or other data".to_owned(),
    }
}

/// What may be the reason where all that is wrong is of another run; none where there are more faults than are kept one by one.
pub(crate) fn other_run(found: &VerificationFindings) -> Option<&'static str> {
    let are_all_kept = !found.faults.is_empty() && found.faults.len() as u64 == found.faulty();
    let is_all = are_all_kept && found.faults.iter().all(|fault| fault.found == FoundThere::OtherRun);
    is_all.then_some(
        "All that is not as written is of another run: where that one came later, it has written over this one, and the drive \
         has lost nothing.",
    )
}

/// Says that blocks are not as they were written, or could not be read.
pub(crate) fn not_as_written(found: &VerificationFindings) -> String {
    let wrong = found.faulty() - found.unreadable;
    let not_so = format!("{} {} not as written", things(wrong, "block"), by_number(wrong, "is", "are"));
    let unread = format!(
        "{} that {} written could not be read",
        things(found.unreadable, "block"),
        by_number(found.unreadable, "was", "were")
    );
    match (wrong, found.unreadable) {
        (_, 0) => not_so + ".",
        (0, _) => unread + ".",
        _ => format!("{not_so}, and {unread}."),
    }
}

/// Says that blocks were not read back since the run was interrupted.
pub(crate) fn not_read_back(blocks: u64) -> String {
    let were = by_number(blocks, "was", "were");
    format!("{} {were} written and not read back: the run was ended before that.", things(blocks, "block"))
}

fn kinds(found: &VerificationFindings) -> Vec<String> {
    let kinds = [
        (found.flipped, "flipped"),
        (found.torn, "torn"),
        (found.misplaced, "misplaced"),
        (found.stale, "stale"),
        (found.missing, "missing"),
    ];
    let named = kinds.into_iter().filter(|(number, _)| *number > 0);
    named.map(|(number, kind)| format!("{} {kind}", count(number as f64))).collect()
}
