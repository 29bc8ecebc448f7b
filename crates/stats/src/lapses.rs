//! What a drive did not do as it was asked: I/Os that failed, with the address and the time from which all of them do, and
//! times in which it answered nothing.

use std::collections::{BTreeMap, BTreeSet};

use drivelab_block::{Nanos, Op, Sector, Status};

use crate::Unserved;
use crate::unserved::{FailedRow, Silence, UnansweredIos};

/// So many I/Os have to fail, at as many addresses or in a row, before all that follow are said to.
const EVIDENCE: u64 = 4;
/// What fails below an address, or before a moment, may be one in so many, where all behind it fails.
const STRAY: u64 = 10;

/// I/Os of one kind that failed in a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FailedOp {
    /// What was asked for.
    pub op: Op,
    /// How many were asked for.
    pub asked: u64,
    /// How many of them failed.
    pub failed: u64,
    /// How most of them failed.
    pub status: Status,
    /// When the first of them was sent.
    pub first: FailedSince,
    /// The lowest address at which one failed.
    pub lowest: Sector,
    /// The address from which on all failed, and before which none did, or few; none where there is no such address.
    pub all_behind: Option<Sector>,
    /// The moment from which on all failed; none where there is none, or where all did from the first on.
    pub all_since: Option<FailedSince>,
    /// Whether reads that were sent after that moment did what was asked, of I/Os that change what the drive stores.
    pub reads_went_on: bool,
}

/// A moment of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FailedSince {
    /// The number of the phase.
    pub phase: usize,
    /// The time from its start.
    pub at: Nanos,
}

/// The longest silence of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LongestSilence {
    /// The number of its phase.
    pub phase: usize,
    /// The silence.
    pub silence: Silence,
    /// How many there were in the run.
    pub count: u64,
}

/// I/Os that a drive never answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnansweredInPhase {
    /// The number of their phase.
    pub phase: usize,
    /// The I/Os.
    pub ios: UnansweredIos,
}

/// What a drive did not do as it was asked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lapses {
    /// The first I/Os that were given up.
    pub unanswered: Option<UnansweredInPhase>,
    /// The kinds of I/Os that failed.
    pub failed: Vec<FailedOp>,
    /// The moment from which on, in its phase, all failed as those do that are sent to a drive that is gone. A phase after it may
    /// be of another drive.
    pub gone: Option<FailedSince>,
    /// The longest time without an answer.
    pub silence: Option<LongestSilence>,
}

impl Lapses {
    /// Those of a run with these phases, each with its number.
    pub fn collect<'a>(phases: impl Iterator<Item = (usize, &'a Unserved)> + Clone) -> Lapses {
        let unanswered = phases
            .clone()
            .find_map(|(phase, of_phase)| Some(UnansweredInPhase { phase, ios: of_phase.unanswered()? }));
        let failed = Op::ALL.into_iter().filter_map(|op| failed_of(op, phases.clone())).collect();
        let silences =
            phases.clone().filter_map(|(phase, of_phase)| Some((phase, of_phase.silences().longest()?)));
        let longest = silences.max_by_key(|(_, silence)| silence.lasted);
        let count = phases.clone().map(|(_, of_phase)| of_phase.silences().count()).sum();
        let silence = longest.map(|(phase, silence)| LongestSilence { phase, silence, count });
        Lapses { unanswered, failed, gone: gone_in(phases), silence }
    }
}

/// When a drive was gone first.
fn gone_in<'a>(mut phases: impl Iterator<Item = (usize, &'a Unserved)>) -> Option<FailedSince> {
    phases.find_map(|(phase, of_phase)| {
        let kinds = Op::ALL.into_iter().map(|op| (of_phase.failed(op), of_phase.reached(op)));
        let gone = kinds.filter(|(of_kind, _)| of_kind.is_gone());
        let rows: Vec<FailedRow> = gone.filter_map(|(of_kind, reached)| of_kind.row_after(reached)).collect();
        let since = rows.iter().map(|row| row.since).min()?;
        let count: u64 = rows.iter().map(|row| row.count).sum();
        (count >= EVIDENCE).then_some(FailedSince { phase, at: Nanos::new(since) })
    })
}

fn failed_of<'a>(op: Op, phases: impl Iterator<Item = (usize, &'a Unserved)> + Clone) -> Option<FailedOp> {
    let mut reached = 0;
    let (mut asked, mut failed) = (0, 0);
    let (mut statuses, mut lowest): (BTreeMap<i16, u64>, u64) = (BTreeMap::new(), u64::MAX);
    let mut first: Option<FailedSince> = None;
    let mut behind: BTreeSet<u64> = BTreeSet::new();
    let mut since: Option<(FailedSince, u64)> = None;
    for (phase, of_phase) in phases.clone() {
        let (of_kind, own) = (of_phase.failed(op), of_phase.reached(op));
        asked += own.count + of_kind.count;
        failed += of_kind.count;
        of_kind.statuses().for_each(|(code, count)| *statuses.entry(code).or_default() += count);
        first = first.or(of_kind.first_at.map(|at| FailedSince { phase, at: Nanos::new(at) }));
        lowest = lowest.min(of_kind.lowest.unwrap_or(u64::MAX));
        reached = reached.max(own.sector);
        behind.extend(&of_kind.behind);
        let row = of_kind.row_after(own);
        let served = own.count;
        let own = row.map(|row| (FailedSince { phase, at: Nanos::new(row.since) }, row.count));
        since = match (since, own) {
            (Some((first, count)), Some((_, more))) if served == 0 => Some((first, count + more)),
            (since, None) if served == 0 => since,
            (_, own) => own,
        };
    }
    let first = first?;
    let (status, _) = statuses.into_iter().max_by_key(|(_, count)| *count)?;
    let behind = behind.split_off(&reached);
    let is_shown = behind.len() as u64 >= EVIDENCE && reached > 0;
    let all_behind =
        behind.first().copied().filter(|first| is_shown && is_edge(op, *first, failed, phases.clone()));
    // Where most fail all the time, the last ones fail in a row by chance.
    let all_since = since
        .filter(|(_, count)| *count >= EVIDENCE && failed < asked && (failed - count) * STRAY <= failed)
        .map(|(first, _)| first);
    Some(FailedOp {
        op,
        asked,
        failed,
        status: Status::from_code(status),
        first,
        lowest: Sector::new(if lowest == u64::MAX { 0 } else { lowest }),
        all_behind: all_behind.map(Sector::new),
        all_since,
        reads_went_on: op.is_destructive() && all_since.is_some_and(|since| has_reads_after(since, phases)),
    })
}

/// Whether a read that was sent after a moment did what was asked.
fn has_reads_after<'a>(moment: FailedSince, phases: impl Iterator<Item = (usize, &'a Unserved)>) -> bool {
    let mut later = phases.filter(|(phase, _)| *phase >= moment.phase);
    later.any(|(phase, of_phase)| {
        let reads = of_phase.reached(Op::Read);
        reads.count > 0 && (phase > moment.phase || reads.at > moment.at.get())
    })
}

/// Whether few of the failed I/Os lie below an address.
fn is_edge<'a>(
    op: Op,
    address: u64,
    failed: u64,
    phases: impl Iterator<Item = (usize, &'a Unserved)>,
) -> bool {
    let mut below = 0;
    for (_, of_phase) in phases {
        let Some(count) = of_phase.places().below(op, Sector::new(address)) else { return false };
        below += count;
    }
    below * STRAY <= failed
}

#[cfg(test)]
mod tests;
