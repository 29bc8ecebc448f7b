//! What was read back, in sentences.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use drivelab_documents::Notice;
use drivelab_view::format::{by_number, bytes, count, things};
use drivelab_view::{About, Block, Columns, Fold, Quantity, Row, Section, Table, Tone, Verdict, View};
use drivelab_workload::verify::{Fault, SharedVerification};

use super::{FaultFound, FoundThere, JudgedAfter, ReadLater, VerificationFindings, VerifiedKind};
use crate::lapses::lead;
use crate::words::numbered;
use crate::{Comparison, DriveUnderTest, Ended, StoredResult, shown};

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

/// Takes what was read back of a run, of which so many reads failed, and notes what is wrong with it or left unread.
pub(crate) fn note_read_back<D: DriveUnderTest>(
    shared: &SharedVerification,
    logical_block_bytes: u32,
    unreadable: u64,
    drive: &mut D,
) -> VerificationFindings {
    let read = VerificationFindings::from_found(&shared.get(), logical_block_bytes, unreadable);
    if read.faulty() > 0 {
        drive.notice(Notice::failure(not_as_written(&read)));
    }
    if drive.is_interrupted() && read.left > 0 {
        drive.notice(Notice::warning(format!(
            "{} {} written and not read back: the run was ended before that.",
            things(read.left, "block"),
            by_number(read.left, "was", "were")
        )));
    }
    read
}

/// Says that blocks are not as they were written, or could not be read.
fn not_as_written(found: &VerificationFindings) -> String {
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

fn kinds(found: &VerificationFindings) -> Vec<String> {
    numbered(&[
        (found.flipped, "flipped"),
        (found.torn, "torn"),
        (found.misplaced, "misplaced"),
        (found.stale, "stale"),
        (found.missing, "missing"),
    ])
}

/// Rows that are shown at once, of each result.
const FEW: usize = 20;
/// Rows that are listed at most, of each result.
const MANY: usize = 1_000;

/// A short list, or the beginning of a long one and the rest in a fold.
pub(crate) fn listed((total, thing): (usize, &str), table: impl Fn(usize) -> Table) -> Vec<Block> {
    if total <= FEW {
        return vec![Block::Table(table(FEW))];
    }
    let mut first = table(FEW);
    first.id += "-first";
    first.caption = format!("The first {FEW} {thing}s");
    let many = total.min(MANY);
    let summary = if many < total {
        format!("The first {} {thing}s", count(many as f64))
    } else {
        format!("All {}", things(total as u64, thing))
    };
    let fold = Fold { summary, blocks: vec![Block::Table(table(MANY))] };
    vec![Block::Table(first), Block::Fold(fold)]
}

/// What an LBA counts.
pub(crate) fn units<K: VerifiedKind>(compared: &Comparison<'_, K>) -> String {
    let units: BTreeSet<u32> = compared.iter().map(|one| K::logical_block_bytes(&one.settings)).collect();
    let units: Vec<String> = units.iter().map(u32::to_string).collect();
    format!("An LBA is a logical block, of {} bytes.", units.join(" or "))
}

/// Blocks that are not as they were written.
pub(crate) fn faults<K: VerifiedKind>(compared: &Comparison<'_, K>) -> Option<Section> {
    let total = compared.iter().map(|one| faults_of(one).count()).max().filter(|most| *most > 0)?;
    let blocks = listed((total, "fault"), |limit| fault_table(compared, limit));
    Some(Section::summary(Some("Not as written"), blocks))
}

fn faults_of<K: VerifiedKind>(kept: &StoredResult<K>) -> impl Iterator<Item = &FaultFound> {
    K::verification(&kept.findings).into_iter().flat_map(|found| &found.faults)
}

fn fault_table<K: VerifiedKind>(compared: &Comparison<'_, K>, limit: usize) -> Table {
    let columns = Columns::<FaultFound>::new()
        .with("Byte", Quantity::Lba, |fault| fault.wrong_byte)
        .with("LBA", Quantity::Lba, |fault| fault.wrong_lba)
        .with("Block from LBA", Quantity::Lba, |fault| fault.lba)
        .with("Expected", Quantity::Count, expected)
        .with("Found", Quantity::Count, |fault| found(fault.found));
    let caption = "The first byte of each block that is not as it was written";
    let mut table = columns.table("faults", caption, "Kind");
    for one in compared.iter() {
        for fault in faults_of(one).take(limit) {
            let row = one.grouped_row(fault.kind.word(), columns.cells(fault));
            table.rows.push(Row { subject: None, ..row });
        }
    }
    let kinds: BTreeSet<Fault> =
        compared.iter().flat_map(|one| faults_of(one)).map(|fault| fault.kind).collect();
    table.notes.extend(kinds.into_iter().map(meaning));
    table.notes.push(format!("{} {}", K::COUNTED, units(compared)));
    table
}

/// Whether everything is as it was written, where something was read back.
pub(crate) fn verdict<K: VerifiedKind>(subject: usize, kept: &StoredResult<K>) -> Option<Verdict> {
    let found = K::verification(&kept.findings)?;
    let is_whole = found.later.as_ref().is_none_or(|later| later.complete);
    let (tone, mark) = match (found.faulty(), is_whole) {
        (1.., _) => (Tone::Bad, "Not as written"),
        (0, true) if found.unflushed > 0 => (Tone::Good, "All there that was flushed"),
        (0, true) if found.blocks > 0 => (Tone::Good, "All there"),
        (0, _) => (Tone::Undecided, "Not shown"),
    };
    let mut verdict = Verdict::on(subject, tone, mark, verification(Some(found))).about(About::Findings);
    verdict.details.extend(injected(kept));
    verdict.details.extend(other_run(found).map(str::to_owned));
    if let Some(later) = &found.later {
        verdict.details.push(read_after(kept.ended(), later));
        verdict.details.extend(flushes(later));
        verdict.details.extend(later.notices.iter().cloned());
    }
    Some(verdict)
}

/// Which faults a simulated drive injected, by its own account.
fn injected<K: VerifiedKind>(kept: &StoredResult<K>) -> Option<String> {
    let account = kept.run.outcome.as_ref()?.simulation.as_ref()?;
    if let Some(keeps) = account.keeps_bytes {
        let (keeps, size) = (bytes(keeps as f64), bytes(kept.run.drive.size_bytes as f64));
        return Some(format!("By its own account, the simulated drive keeps {keeps} of its {size}."));
    }
    let faults = &account.injected_faults;
    let mut by_kind: BTreeMap<&str, u64> = BTreeMap::new();
    for fault in faults {
        *by_kind.entry(&fault.kind).or_default() += 1;
    }
    let kinds: Vec<String> =
        by_kind.iter().map(|(kind, number)| format!("{} {kind}", count(*number as f64))).collect();
    let all = things(faults.len() as u64, "fault");
    Some(match kinds.as_slice() {
        [] => "By its own account, the simulated drive damaged no block.".to_owned(),
        kinds => format!(
            "By its own account, the simulated drive injected {all}: {}. Those whose place was written again later are not to be \
             found.",
            kinds.join(", ")
        ),
    })
}

/// What was read when, and how the run had ended.
fn read_after(ended: Ended, later: &ReadLater) -> String {
    let end = match (ended, later.judged_after) {
        (Ended::Whole, _) => "had ended",
        (Ended::Interrupted, _) => "had been interrupted",
        (Ended::BrokeOff, _) => "had broken off",
        (Ended::Killed, Some(JudgedAfter::Kill)) => "was killed",
        (Ended::Killed, _) => "did not end by itself: it was killed, or the machine lost its power",
    };
    let read = format!("{} was read back after that", later.target);
    let in_flight = "Writes that were in flight then may be there or not; each of these is right.";
    match ended {
        Ended::Killed => format!("The run {end}. {read}. {in_flight}"),
        Ended::Whole | Ended::Interrupted | Ended::BrokeOff => format!("The run {end}. {read}."),
    }
}

/// By which of the run's flushes it was judged, where the run made flushes.
fn flushes(later: &ReadLater) -> Option<String> {
    let text = match later.judged_after? {
        JudgedAfter::Kill => {
            "The machine runs since before the run: everything that was acknowledged has to be there, whether it was flushed or \
             not. A drive that lost its power meanwhile may have lost what was not flushed."
        }
        JudgedAfter::PowerCut => {
            "The machine was started since the run: what was acknowledged before the last completed flush has to be there."
        }
    };
    Some(text.to_owned())
}

/// What was read back after a run had ended: whether everything is there that it had acknowledged.
pub fn after_crash<K: VerifiedKind>(kept: &StoredResult<K>) -> View {
    let compared = Comparison::new(std::slice::from_ref(kept));
    let head = verdict(0, kept).map(Block::Verdict);
    let mut sections = vec![Section::summary(None, head.into_iter().collect())];
    sections.extend(faults(&compared));
    let title = format!("Verification of {} after its run", kept.run.label);
    let mut view = shown::titled(&compared, title, sections);
    lead(&mut view, &compared);
    view
}
