//! How often programs waited, when, who and for what, and what was in the way, in a sentence or two.

use drivelab_documents::ClockTime;
use drivelab_stats::waiting::AwaitedWrites;
use drivelab_view::format::{count, nanos, percent};

use super::span;
use crate::trace::{MostlyFindings, PartyFindings, TimeInFlight, TraceFindings, WaitingFindings};

/// A party has most of something from this share on.
const MOST: f64 = 0.5;
/// Another one is named as well from this share on.
const NAMED_TOO: f64 = 0.2;

/// The answer for a trace in which programs waited; none where no program did.
pub(super) fn answer(found: &WaitingFindings, began: Option<ClockTime>) -> Option<String> {
    if found.spells == 0 {
        return None;
    }
    let times =
        if found.spells == 1 { "once".to_owned() } else { format!("{} times", count(found.spells as f64)) };
    let mut parts = vec![format!(
        "Programs waited {times} for 100 ms or longer, {} in all and {} at most",
        nanos(found.waited_s * 1e9),
        nanos(found.longest_ns as f64)
    )];
    parts.extend(found.mostly.as_ref().map(|mostly| when(mostly, began)));
    parts.extend(who(found));
    Some(format!("{}.{}", parts.join(", "), in_the_way(found).unwrap_or_default()))
}

/// The answer for a trace in which no program waited.
pub(super) fn nothing(found: &TraceFindings) -> String {
    format!("Nothing unusual: no program waited for 100 ms or longer in {}.", span(found.span_ns))
}

/// Which I/Os are counted.
pub(super) fn counted(found: &WaitingFindings) -> String {
    let which = match found.awaited_writes {
        AwaitedWrites::Synchronous => "Programs wait for a read, a flush, or a synchronous write.",
        AwaitedWrites::All => {
            "Every read, write and flush is taken for one that a program waits for: the source does not say which writes are \
             synchronous."
        }
    };
    format!(
        "{which} A wait is a time in which such I/Os of 100 ms or longer were in flight; those that overlap, or lie no farther \
         apart than 100 ms, are one wait."
    )
}

/// When programs mostly waited, with the zone of the clock.
fn when(mostly: &MostlyFindings, began: Option<ClockTime>) -> String {
    match mostly {
        MostlyFindings::Daily { from_hour, hours, days, of_days, share } => format!(
            "mostly between {} (on {days} of {of_days} days; {} of the time waited)",
            hours_in_words((*from_hour, *hours), began),
            percent(*share)
        ),
        MostlyFindings::Stretch { from: Some(from), from_ns, until_ns, share } => {
            let until = from.after(until_ns - from_ns);
            format!(
                "mostly on {} from {} to {} {} ({} of the time waited)",
                from.day(),
                from.minute(),
                until.map(ClockTime::minute).unwrap_or_default(),
                from.zone(),
                percent(*share)
            )
        }
        MostlyFindings::Stretch { from: None, from_ns, until_ns, share } => format!(
            "mostly from {} to {} after its beginning ({} of the time waited)",
            span(*from_ns),
            span(*until_ns),
            percent(*share)
        ),
    }
}

/// Hours of the day: the first one and how many, such as `03:00 and 04:00 UTC`.
pub(super) fn hours_in_words((from, hours): (u8, u8), began: Option<ClockTime>) -> String {
    let zone = began.map_or_else(String::new, |began| format!(" {}", began.zone()));
    format!("{from:02}:00 and {:02}:00{zone}", (from + hours) % 24)
}

/// A process with its share of a sum of times: all that it did, or one kind of work.
struct ProcessShares<'a> {
    parties: &'a [PartyFindings],
    sum: f64,
}

impl ProcessShares<'_> {
    /// The share of the parties for which this holds.
    fn sum(&self, is_meant: impl Fn(&PartyFindings) -> bool) -> f64 {
        let own = self.parties.iter().filter(|party| is_meant(party)).map(|party| party.time_s);
        own.sum::<f64>() / self.sum
    }

    /// Of the parties for which this holds, the one with the greatest share of one process and work, whatever the device.
    fn greatest(&self, is_meant: impl Fn(&PartyFindings) -> bool) -> Option<(&PartyFindings, f64)> {
        let meant = self.parties.iter().filter(|party| is_meant(party));
        let shares = meant.map(|party| (party, self.sum(|other| is_same(other, party))));
        shares.max_by(|one, other| one.1.total_cmp(&other.1))
    }

    fn greatest_process(&self) -> Option<(String, f64)> {
        let named = self.parties.iter().filter_map(|party| party.process.as_ref());
        let shares =
            named.map(|process| (process.clone(), self.sum(|other| other.process.as_ref() == Some(process))));
        shares.max_by(|one, other| one.1.total_cmp(&other.1))
    }
}

fn is_same(one: &PartyFindings, other: &PartyFindings) -> bool {
    one.process == other.process && one.work == other.work
}

/// The work of a party, and whose it is.
pub(super) fn in_words(party: &PartyFindings) -> String {
    match &party.process {
        Some(process) => format!("{} of {process}", party.work.word()),
        None => party.work.word().to_owned(),
    }
}

fn who(found: &WaitingFindings) -> Option<String> {
    let shares = ProcessShares { parties: &found.waiters, sum: found.waits_sum_s };
    let (greatest, share) = shares.greatest(|_| true)?;
    let work = in_words(greatest);
    if share >= MOST {
        let more =
            shares.greatest(|party| !is_same(party, greatest)).filter(|(_, share)| *share >= NAMED_TOO);
        let more = more.map(|(party, share)| format!(", and for {} ({})", in_words(party), percent(share)));
        return Some(format!("mostly for {work} ({}){}", percent(share), more.unwrap_or_default()));
    }
    match shares.greatest_process() {
        Some((process, share)) if share >= MOST => Some(format!("mostly {process} ({})", percent(share))),
        _ => Some(format!("for several kinds of work, the most for {work} ({})", percent(share))),
    }
}

/// What filled the queue meanwhile, and for which share of the time that the waits lasted.
fn in_the_way(found: &WaitingFindings) -> Option<String> {
    let shares = ProcessShares { parties: &found.meanwhile, sum: found.meanwhile_sum_s };
    let (greatest, share) = shares.greatest(|_| true)?;
    let is_same = |one: &&TimeInFlight| one.process == greatest.process && one.work == greatest.work;
    let own_s: f64 = found.in_flight.iter().filter(is_same).map(|one| one.in_flight_s).sum();
    // I/Os on several devices may have been in flight at the same time.
    let of_waits = |seconds: f64| percent((seconds / found.waited_s).clamp(0.0, 1.0));
    let works = if share >= MOST { "" } else { "several kinds of work, the most " };
    Some(format!(
        " Meanwhile the queue held {works}{} ({} of the time of other I/Os), in flight for {} of the time that the waits lasted; \
         for {} of it no I/O was in flight but those that programs waited for.",
        in_words(greatest),
        percent(share),
        of_waits(own_s),
        of_waits(found.waited_s - found.others_in_flight_s)
    ))
}
