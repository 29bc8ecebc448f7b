//! What a drive did not do as it was asked: I/Os that failed, with the address and the time from which all of them do, and
//! times in which it answered nothing.

mod document;

use std::collections::{BTreeMap, BTreeSet};

use drivelab_block::{Nanos, Op, Sector};

use crate::Unserved;
use crate::unserved::FailedRow;

pub use document::{
    FailedIosDocument, LapsesDocument, LongestSilenceDocument, NotAsWrittenDocument, PhaseMoment,
    UnansweredIosDocument, is_zero,
};

/// So many I/Os have to fail, at as many addresses or in a row, before all that follow are said to.
const EVIDENCE: u64 = 4;
/// What fails below an address, or before a moment, may be one in so many, where all behind it fails.
const STRAY: u64 = 10;

/// A moment of a run: the number of the phase, and the time from its start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct FailedSince {
    phase: usize,
    at: Nanos,
}

/// The phases of a run, each with its name and what of it the drive did not do.
pub type NamedPhases<'a> = [(&'a str, &'a Unserved)];

impl LapsesDocument {
    /// What is found in a run with these phases, without its sentence. A phase after the one in which the drive was gone may be
    /// of another drive.
    pub fn collect(named: &NamedPhases<'_>) -> LapsesDocument {
        let phases = named.iter().map(|(_, unserved)| *unserved).enumerate();
        let moment = |FailedSince { phase, at }| PhaseMoment {
            phase: named.get(phase).map_or_else(String::new, |(name, _)| (*name).to_owned()),
            at_s: at.as_secs_f64(),
        };
        let unanswered = phases
            .clone()
            .find_map(|(phase, of_phase)| Some((phase, of_phase.unanswered()?)))
            .map(|(phase, ios)| UnansweredIosDocument {
                count: ios.count,
                since: moment(FailedSince { phase, at: ios.since() }),
                waited_s: ios.waited().as_secs_f64(),
                later_ones_were_answered: ios.later_ones_were_answered(),
            });
        let silences =
            phases.clone().filter_map(|(phase, of_phase)| Some((phase, of_phase.silences.longest?)));
        let longest = silences.max_by_key(|(_, silence)| silence.lasted);
        let silence = longest.map(|(phase, silence)| LongestSilenceDocument {
            since: moment(FailedSince { phase, at: silence.from }),
            lasted_s: silence.lasted.as_secs_f64(),
            count: phases.clone().map(|(_, of_phase)| of_phase.silences.count).sum(),
        });
        LapsesDocument {
            sentence: String::new(),
            unanswered,
            failed: Op::ALL.into_iter().filter_map(|op| failed_of(op, phases.clone(), moment)).collect(),
            gone: gone_in(phases).map(moment),
            silence,
            not_as_written: None,
        }
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

fn failed_of<'a>(
    op: Op,
    phases: impl Iterator<Item = (usize, &'a Unserved)> + Clone,
    moment: impl Fn(FailedSince) -> PhaseMoment,
) -> Option<FailedIosDocument> {
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
    Some(FailedIosDocument {
        operation: op,
        asked,
        failed,
        error: status,
        first: moment(first),
        lowest_byte: Sector::new(if lowest == u64::MAX { 0 } else { lowest }).byte_offset(),
        all_behind_byte: all_behind.map(|sector| Sector::new(sector).byte_offset()),
        all_since: all_since.map(moment),
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
        let Some(count) = of_phase.places.below(op, Sector::new(address)) else { return false };
        below += count;
    }
    below * STRAY <= failed
}

#[cfg(test)]
mod tests;
