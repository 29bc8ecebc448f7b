//! What is shown of what was read back.

use std::collections::BTreeMap;

use drivelab_view::format::{bytes, count, things};
use drivelab_view::{About, Block, Columns, Fold, Quantity, Row, Section, Table, Tone, Verdict, View};
use drivelab_workload::verify::Fault;

use super::words;
use super::{FaultFound, JudgedAfter, ReadLater, VerifiedKind};
use crate::lapses::lead;
use crate::{Comparison, Ended, StoredResult, shown};

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
    let mut units: Vec<u32> = compared.iter().map(|one| K::logical_block_bytes(&one.settings)).collect();
    units.sort_unstable();
    units.dedup();
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
        .with("Expected", Quantity::Count, words::expected)
        .with("Found", Quantity::Count, |fault| words::found(fault.found));
    let caption = "The first byte of each block that is not as it was written";
    let mut table = columns.table("faults", caption, "Kind");
    for one in compared.iter() {
        for fault in faults_of(one).take(limit) {
            let row = one.grouped_row(fault.kind.word(), columns.cells(fault));
            table.rows.push(Row { subject: None, ..row });
        }
    }
    let mut kinds: Vec<Fault> =
        compared.iter().flat_map(|one| faults_of(one)).map(|fault| fault.kind).collect();
    kinds.sort_unstable();
    kinds.dedup();
    table.notes.extend(kinds.into_iter().map(words::meaning));
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
    let mut verdict =
        Verdict::on(subject, tone, mark, words::verification(Some(found))).about(About::Findings);
    verdict.details.extend(injected(kept));
    verdict.details.extend(words::other_run(found).map(str::to_owned));
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
        (Ended::Killed, Some(JudgedAfter::Kill)) => "was killed",
        (Ended::Killed, _) => "did not end by itself: it was killed, or the machine lost its power",
    };
    let read = format!("{} was read back after that", later.target);
    let in_flight = "Writes that were in flight then may be there or not; each of these is right.";
    match ended {
        Ended::Killed => format!("The run {end}. {read}. {in_flight}"),
        Ended::Whole | Ended::Interrupted => format!("The run {end}. {read}."),
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
