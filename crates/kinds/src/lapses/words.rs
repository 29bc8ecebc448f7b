//! The sentences.

use drivelab_block::Status;
use drivelab_documents::{
    FailedIosDocument, LapsesDocument, LongestSilenceDocument, NotAsWrittenDocument, PhaseMoment,
    UnansweredIosDocument,
};
use drivelab_view::format::{by_number, bytes, count, digits, percent, things};

use crate::status_words;
use crate::words::{moment, noun, numbered};

/// `ENOSPC`.
const NO_SPACE: i16 = 28;

/// The part of the capacity within which the addresses of two kinds of I/Os are one: those of random I/Os are known to some
/// hundred blocks.
const SAME_PLACE: u64 = 100;
/// The time in which two kinds of I/Os begin to fail together, in seconds.
const SAME_MOMENT_S: f64 = 0.1;

/// All that a drive did not do, the worst first; none where it did everything.
pub(super) fn sentence(found: &LapsesDocument, capacity: u64) -> Option<String> {
    let written = found.not_as_written.as_ref().map(|written| of_written(written, capacity));
    let failed = (!found.failed.is_empty()).then(|| of_failed(found, capacity));
    let silence = found.silence.as_ref().map(of_silence);
    let unanswered = found.unanswered.as_ref().map(of_unanswered);
    let all: Vec<String> = [unanswered, written, failed, silence].into_iter().flatten().collect();
    (!all.is_empty()).then(|| all.join(" "))
}

fn of_written(found: &NotAsWrittenDocument, capacity: u64) -> String {
    let blocks = format!(
        "{} of {} blocks that were read back {} not as written",
        count(found.faulty as f64),
        count(found.judged as f64),
        by_number(found.faulty, "is", "are")
    ) + &kinds(found);
    match (found.wraps_at_bytes, found.all_behind_byte) {
        (Some(keeps), _) => format!(
            "{blocks}: the drive keeps {}, {} of the capacity that it announces, and what is written beyond that goes over what \
             lies before it.",
            bytes(keeps as f64),
            percent(keeps as f64 / capacity.max(1) as f64)
        ),
        (None, Some(edge)) => format!("{blocks}: all at and beyond {}.", place(edge, capacity)),
        (None, None) => {
            let (rare, lowest) = (one_in(found.faulty, found.judged), place(found.lowest_byte, capacity));
            format!("{blocks}{rare}, the first by address at {lowest}.")
        }
    }
}

/// What is wrong with them, such as " (448 with flipped bits)"; nothing of a result that has not kept it.
fn kinds(found: &NotAsWrittenDocument) -> String {
    let words = numbered(&[
        (found.flipped, "with flipped bits"),
        (found.torn, "written in part"),
        (found.misplaced, "with what was written elsewhere"),
        (found.stale, "with older contents"),
        (found.missing, "lost"),
    ]);
    if words.is_empty() { String::new() } else { format!(" ({})", words.join(", ")) }
}

/// Such as "67.1 MB (byte 67,108,864), 6.2 % of the capacity".
fn place(byte: u64, capacity: u64) -> String {
    let share = percent(byte as f64 / capacity.max(1) as f64);
    match byte {
        0 => "the first byte of the target".to_owned(),
        _ => format!("{} (byte {}), {share} of the capacity", bytes(byte as f64), count(byte as f64)),
    }
}

/// Such as "No answer since second 4.00 of the phase load: 4 I/Os were given up after 9.50 s, and it is not known whether the
/// drive would have answered later.", or "1 I/O that was sent at second 2.00 of the phase load was not answered, while later
/// ones were: it was given up after 58.0 s, ..."
fn of_unanswered(found: &UnansweredIosDocument) -> String {
    let (since, ios) = (moment(&found.since), things(found.count, "I/O"));
    let (were, waited) = (by_number(found.count, "was", "were"), digits(found.waited_s));
    let not_known = "it is not known whether the drive would have answered later";
    if !found.later_ones_were_answered {
        return format!("No answer since {since}: {ios} {were} given up after {waited} s, and {not_known}.");
    }
    let sent = by_number(found.count, "that was sent at", "the first of which was sent at");
    let they = by_number(found.count, "it was", "they were");
    format!(
        "{ios} {sent} {since} {were} not answered, while later ones were: {they} given up after {waited} s, and {not_known}."
    )
}

fn of_silence(found: &LongestSilenceDocument) -> String {
    let more = match found.count {
        0 | 1 => String::new(),
        several => format!("; for a second or longer it did so {} times", count(several as f64)),
    };
    format!(
        "The drive answered nothing for {} s, from {} on{more}.",
        digits(found.lasted_s),
        moment(&found.since)
    )
}

/// Kinds of I/Os that failed in the same way.
struct Failed<'a> {
    kinds: Vec<&'a FailedIosDocument>,
}

impl Failed<'_> {
    fn failed(&self) -> u64 {
        self.kinds.iter().map(|one| one.failed).sum()
    }

    fn asked(&self) -> u64 {
        self.kinds.iter().map(|one| one.asked).sum()
    }

    fn noun(&self, number: u64) -> &'static str {
        match self.kinds.as_slice() {
            [one] => noun(one.operation, number),
            _ => by_number(number, "I/O", "I/Os"),
        }
    }

    /// The error of most of them.
    fn error(&self) -> i16 {
        self.kinds.iter().max_by_key(|one| one.failed).map_or(0, |one| one.error)
    }

    /// The kinds of which some did what was asked: of the others there is no address and no moment that says more.
    fn in_part(&self) -> impl Iterator<Item = &FailedIosDocument> {
        self.kinds.iter().copied().filter(|one| one.failed < one.asked)
    }

    /// The address from which on all of them failed; none if there is none of a kind, or if they differ.
    fn behind(&self, capacity: u64) -> Option<u64> {
        let edges: Option<Vec<u64>> = self.in_part().map(|one| one.all_behind_byte).collect();
        let edges = edges?;
        let (lowest, highest) = (edges.iter().min()?, edges.iter().max()?);
        (highest - lowest <= capacity / SAME_PLACE).then_some(*lowest)
    }

    /// The moment from which on all of them failed; none if there is none of a kind, or if they differ.
    fn since(&self) -> Option<&PhaseMoment> {
        let all: Option<Vec<&PhaseMoment>> = self.in_part().map(|one| one.all_since.as_ref()).collect();
        let all = all?;
        let first = all.iter().min_by(|one, other| one.at_s.total_cmp(&other.at_s))?;
        let is_same = |one: &&PhaseMoment| one.phase == first.phase && one.at_s - first.at_s <= SAME_MOMENT_S;
        all.iter().all(is_same).then_some(first)
    }

    /// Whether one sentence is true of all of these kinds.
    fn are_alike(&self, capacity: u64) -> bool {
        let is_one_error = self.kinds.windows(2).all(|pair| pair[0].error == pair[1].error);
        let has_neither = self.in_part().all(|one| one.all_behind_byte.is_none() && one.all_since.is_none());
        let (edge, since) = (self.behind(capacity), self.since());
        let is_of_these = |one: &FailedIosDocument| {
            edge.is_none_or(|edge| one.lowest_byte >= edge)
                && since.is_none_or(|since| {
                    one.first.phase == since.phase && one.first.at_s >= since.at_s - SAME_MOMENT_S
                })
        };
        let mut whole = self.kinds.iter().copied().filter(|one| one.failed == one.asked);
        let are_of_these = Status::from_code(self.error()).is_gone() || whole.all(is_of_these);
        is_one_error && (has_neither || ((edge.is_some() || since.is_some()) && are_of_these))
    }

    fn lowest(&self) -> u64 {
        self.kinds.iter().map(|one| one.lowest_byte).min().unwrap_or(0)
    }

    /// Such as "150 of 200 writes failed (Input/output error (os error 5))".
    fn how_many(&self) -> String {
        let (failed, asked) = (self.failed(), self.asked());
        let why = status_words(Status::from_code(self.error()));
        if failed == asked && asked > 1 {
            return format!("All {} {} failed ({why})", count(asked as f64), self.noun(asked));
        }
        format!("{} of {} {} failed ({why})", count(failed as f64), count(asked as f64), self.noun(asked))
    }

    /// The sentence; `gone` is when the drive was gone first.
    fn sentence(&self, gone: Option<&PhaseMoment>, capacity: u64) -> String {
        let (failed, asked, failed_so) = (self.failed(), self.asked(), self.how_many());
        let is_gone = Status::from_code(self.error()).is_gone();
        if let Some(since) = self.since().or(gone).filter(|_| is_gone) {
            return format!("The drive was gone from {} on: {failed_so}.", moment(since));
        }
        if let Some(since) = self.since().filter(|_| self.kinds.iter().all(|one| one.reads_went_on)) {
            return format!(
                "The drive was read-only from {} on: {failed_so}, and reads did not.",
                moment(since)
            );
        }
        match (self.since(), self.behind(capacity)) {
            (Some(since), Some(edge)) => format!(
                "{failed_so}: all from {} on, at and beyond {}.",
                moment(since),
                place(edge, capacity)
            ),
            (None, Some(edge)) => format!("{failed_so}: all at and beyond {}.", place(edge, capacity)),
            (Some(since), None) => format!("{failed_so}: all from {} on.", moment(since)),
            (None, None) if failed == asked => format!("{failed_so}."),
            (None, None) if failed == 1 => format!("{failed_so}, at {}.", place(self.lowest(), capacity)),
            // Where what holds a file is full, the address is by chance.
            (None, None) if self.error() == NO_SPACE => {
                let first = self.kinds.first().map_or_else(String::new, |one| moment(&one.first));
                format!("{failed_so}, the first of them at {first}.")
            }
            (None, None) => {
                let lowest = place(self.lowest(), capacity);
                format!("{failed_so}{}, the first by address at {lowest}.", one_in(failed, asked))
            }
        }
    }
}

/// Such as ", about 1 in 100", to two digits; nothing if a third of them failed, or more.
fn one_in(failed: u64, asked: u64) -> String {
    let rare = asked as f64 / failed as f64;
    if rare <= 3.0 {
        return String::new();
    }
    let step = 10_f64.powf(rare.log10().floor() - 1.0).max(1.0);
    format!(", about 1 in {}", count((rare / step).round() * step))
}

fn of_failed(found: &LapsesDocument, capacity: u64) -> String {
    let (failed, gone) = (&found.failed, found.gone.as_ref());
    let together = Failed { kinds: failed.iter().collect() };
    if together.are_alike(capacity) {
        return together.sentence(gone, capacity);
    }
    let each = failed.iter().map(|one| Failed { kinds: vec![one] }.sentence(gone, capacity));
    each.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use drivelab_block::Op::{self, Read, Write};

    use super::*;

    const GIB: u64 = 1 << 30;

    fn failed(operation: Op, asked: u64, failed: u64) -> FailedIosDocument {
        FailedIosDocument {
            operation,
            asked,
            failed,
            error: 5,
            first: at(0.5),
            lowest_byte: 4096,
            all_behind_byte: None,
            all_since: None,
            reads_went_on: false,
        }
    }

    fn at(at_s: f64) -> PhaseMoment {
        PhaseMoment { phase: "load".to_owned(), at_s }
    }

    fn said(failed: Vec<FailedIosDocument>) -> String {
        sentence(&LapsesDocument { failed, ..LapsesDocument::default() }, GIB).expect("some failed")
    }

    #[test]
    fn what_failed_is_said_with_the_address_or_the_time_from_which_on_all_did() {
        let edge = Some(64 << 20);
        let behind = |operation| FailedIosDocument { all_behind_byte: edge, ..failed(operation, 200, 150) };
        let why = "(Input/output error (os error 5))";
        assert_eq!(
            said(vec![behind(Read), behind(Write)]),
            format!(
                "300 of 400 I/Os failed {why}: all at and beyond 67.1 MB (byte 67,108,864), 6.2 % of the capacity."
            )
        );
        let both = FailedIosDocument { all_since: Some(at(2.5)), ..behind(Write) };
        assert_eq!(
            said(vec![both]),
            format!(
                "150 of 200 writes failed {why}: all from second 2.50 of the phase load on, at and beyond 67.1 MB \
                 (byte 67,108,864), 6.2 % of the capacity."
            )
        );
        assert_eq!(
            said(vec![failed(Read, 300, 3)]),
            format!(
                "3 of 300 reads failed {why}, about 1 in 100, the first by address at 4.10 kB (byte 4,096), 0.00038 % of the \
                 capacity."
            )
        );
        // Writes failed first, and then the drive went away.
        let read_only = FailedIosDocument { all_since: Some(at(2.0)), ..failed(Write, 500, 300) };
        let gone = FailedIosDocument { error: 19, all_since: Some(at(4.0)), ..failed(Read, 500, 100) };
        let both = said(vec![gone, read_only]);
        assert!(both.contains("The drive was gone from second 4.00"), "{both}");
        assert!(both.contains("300 of 500 writes failed") && both.contains("all from second 2.00"), "{both}");
        // Reads fail behind another address than writes do.
        let higher = FailedIosDocument { all_behind_byte: Some(128 << 20), ..failed(Read, 200, 150) };
        let two = said(vec![higher, behind(Write)]);
        assert!(
            two.contains("all at and beyond 134 MB") && two.contains("all at and beyond 67.1 MB"),
            "{two}"
        );
        assert_eq!(said(vec![failed(Write, 7, 7)]), format!("All 7 writes failed {why}."));
        let read_only =
            FailedIosDocument { all_since: Some(at(2.5)), reads_went_on: true, ..failed(Write, 200, 150) };
        assert_eq!(
            said(vec![read_only]),
            format!(
                "The drive was read-only from second 2.50 of the phase load on: 150 of 200 writes failed {why}, and reads did \
                 not."
            )
        );
        let full = FailedIosDocument { error: NO_SPACE, ..failed(Write, 300, 3) };
        assert!(said(vec![full]).ends_with(", the first of them at second 0.500 of the phase load."));
        let gone = |operation, asked| FailedIosDocument { error: 19, ..failed(operation, asked, 10) };
        let gone = LapsesDocument {
            failed: vec![gone(Read, 10), gone(Write, 90)],
            gone: Some(at(4.0)),
            ..LapsesDocument::default()
        };
        assert_eq!(
            sentence(&gone, GIB).expect("some failed"),
            "The drive was gone from second 4.00 of the phase load on: 20 of 100 I/Os failed (device offline: the kernel sends \
             it nothing any more (os error 19))."
        );
    }

    #[test]
    fn what_failed_from_the_first_on_is_not_said_to_have_failed_from_an_address_on() {
        let from = |at_s: f64| PhaseMoment { phase: "fill".to_owned(), at_s };
        let writes = FailedIosDocument {
            all_behind_byte: Some(GIB / 2),
            all_since: Some(from(3.0)),
            ..failed(Write, 200, 100)
        };
        let discards = FailedIosDocument { lowest_byte: 0, ..failed(Op::Discard, 2, 2) };
        let why = "failed (Input/output error (os error 5))";
        let place = "from second 3.00 of the phase fill on, at and beyond 537 MB (byte 536,870,912), 50 % of the capacity.";
        assert_eq!(
            said(vec![writes, discards]),
            format!("100 of 200 writes {why}: all {place} All 2 discards {why}.")
        );
        // Reads of the same phase, of which none was asked for before.
        let first = from(3.0);
        let writes = FailedIosDocument { all_since: Some(from(3.0)), ..failed(Write, 200, 100) };
        let reads = FailedIosDocument { first, ..failed(Read, 20, 20) };
        assert_eq!(
            said(vec![reads, writes]),
            format!("120 of 220 I/Os {why}: all from second 3.00 of the phase fill on.")
        );
    }

    #[test]
    fn an_io_that_is_lost_is_told_from_a_drive_that_falls_silent() {
        let said = |count, later_ones_were_answered| {
            of_unanswered(&UnansweredIosDocument {
                count,
                since: at(2.0),
                waited_s: 58.5,
                later_ones_were_answered,
            })
        };
        let not_known = "after 58.5 s, and it is not known whether the drive would have answered later.";
        assert_eq!(
            said(4, false),
            format!("No answer since second 2.00 of the phase load: 4 I/Os were given up {not_known}")
        );
        assert_eq!(
            said(1, true),
            format!(
                "1 I/O that was sent at second 2.00 of the phase load was not answered, while later ones were: it was given up \
                 {not_known}"
            )
        );
        assert_eq!(
            said(2, true),
            format!(
                "2 I/Os the first of which was sent at second 2.00 of the phase load were not answered, while later ones were: \
                 they were given up {not_known}"
            )
        );
    }

    #[test]
    fn what_is_not_as_written_comes_first_and_a_silence_last() {
        let written = |all_behind_byte, wraps_at_bytes| NotAsWrittenDocument {
            judged: 16_384,
            faulty: 12_288,
            lowest_byte: 0,
            all_behind_byte,
            wraps_at_bytes,
            flipped: 0,
            torn: 0,
            misplaced: 0,
            stale: 88,
            missing: 12_200,
        };
        let silence = LongestSilenceDocument { since: at(5.0), lasted_s: 20.0, count: 1 };
        let all = LapsesDocument {
            failed: vec![failed(Write, 7, 7)],
            silence: Some(silence),
            not_as_written: Some(written(Some(64 << 20), None)),
            ..LapsesDocument::default()
        };
        assert_eq!(
            sentence(&all, GIB).expect("all of it"),
            "12,288 of 16,384 blocks that were read back are not as written (88 with older contents, 12,200 lost): all at and \
             beyond 67.1 MB (byte 67,108,864), 6.2 % of the capacity. All 7 writes failed (Input/output error (os \
             error 5)). The drive answered nothing for 20.0 s, from second 5.00 of the phase load on."
        );
        let wraps = of_written(&written(None, Some(64 << 20)), GIB);
        assert!(
            wraps.contains("the drive keeps 67.1 MB, 6.2 % of the capacity that it announces"),
            "{wraps}"
        );
        assert_eq!(sentence(&LapsesDocument::default(), GIB), None);
    }
}
