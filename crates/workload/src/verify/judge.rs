//! What is wrong with a block, from what its pieces say.

use drivelab_block::{Sector, worded_enum};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::verify::ExpectedSector;

/// What one piece of a block (a sector, or a mapping unit of a simulated drive) turned out to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Piece {
    /// Of the write with this number, and in its place.
    Write(u64),
    /// Of an older run, in its place.
    OtherRun,
    /// Made for another place: the sector that it was made for, as far as that is known.
    Elsewhere(Option<Sector>),
    /// Of the expected write, with a few bits changed: the first changed byte of the piece, 0 where only the piece is known.
    Flipped(u64),
    /// Nothing that was ever written as a block.
    Nothing,
}

// It is unflushed where the last flush that was completed was submitted before the expected write was acknowledged.
worded_enum! {
    /// What is wrong with a block.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
    #[serde(rename_all = "snake_case")]
    #[schemars(rename = "FaultKind")]
    pub enum Fault {
        /// A few bits are changed.
        Flipped = "flipped",
        /// A part is not of the write.
        Torn = "torn",
        /// A part was written for another place.
        Misplaced = "misplaced",
        /// It is of an older write.
        Stale = "stale",
        /// It is of no write at all.
        Missing = "missing",
        /// It is of an older write or of none, and a power cut may take the expected one. That is no fault.
        Unflushed = "unflushed",
    }
}

/// Judges a block after a power cut, which may take what was acknowledged and not flushed: `flushed` is what has to be there
/// all the same.
///
/// What is no fault by that is [`Fault::Unflushed`]. Before the first flush of a place it may hold anything of its own: a
/// piece of another place or with changed bits is a fault then as well.
pub fn judge_flushed(
    expected: ExpectedSector,
    flushed: ExpectedSector,
    pieces: impl Iterator<Item = Piece> + Clone,
) -> Option<(Fault, usize)> {
    let (fault, first) = judge(expected, pieces.clone())?;
    let is_damage = |piece: &Piece| matches!(piece, Piece::Elsewhere(_) | Piece::Flipped(_));
    if let ExpectedSector::WriteOrLater(_) | ExpectedSector::Write(_) = flushed {
        return Some(judge(flushed, pieces).unwrap_or((Fault::Unflushed, first)));
    }
    let is_damaged = fault == Fault::Misplaced || pieces.clone().any(|piece| is_damage(&piece));
    Some(if is_damaged { (fault, first) } else { (Fault::Unflushed, first) })
}

/// How many pieces of a block say what.
#[derive(Clone, Copy, Debug, Default)]
struct Count {
    right: u64,
    later: u64,
    older: u64,
    elsewhere: u64,
    flipped: u64,
    nothing: u64,
}

/// Judges a block: what is wrong with it, if anything, and the first piece that shows it: of a misplaced one the first that was
/// made for another place.
///
/// A piece of another place outweighs all else; then come mixtures of the expected write with other contents (torn),
/// changed bits, older writes, and nothing. Where a later write may have been in flight, a mixture with that is right.
pub fn judge(expected: ExpectedSector, pieces: impl Iterator<Item = Piece>) -> Option<(Fault, usize)> {
    let (number, open_end) = match expected {
        ExpectedSector::Write(number) => (number, false),
        ExpectedSector::WriteOrLater(number) => (number, true),
        ExpectedSector::Nothing | ExpectedSector::Unknown => return None,
    };
    let mut count = Count::default();
    let (mut first, mut first_elsewhere) = (None, None);
    for (index, piece) in pieces.enumerate() {
        let (elsewhere, fine) = (count.elsewhere, count.right + count.later);
        let class = match piece {
            Piece::Write(found) if found == number => &mut count.right,
            Piece::Write(found) if found > number && open_end => &mut count.later,
            // A number that was never given out is some other program's.
            Piece::Write(found) if found > number => &mut count.elsewhere,
            Piece::Write(_) | Piece::OtherRun => &mut count.older,
            Piece::Elsewhere(_) => &mut count.elsewhere,
            Piece::Flipped(_) => &mut count.flipped,
            Piece::Nothing => &mut count.nothing,
        };
        *class += 1;
        if count.elsewhere > elsewhere {
            first_elsewhere.get_or_insert(index);
        }
        if count.right + count.later == fine {
            first.get_or_insert(index);
        }
    }
    count.fault().map(|fault| (fault, first_elsewhere.or(first).unwrap_or(0)))
}

impl Count {
    fn fault(self) -> Option<Fault> {
        let Count { right, later, older, elsewhere, flipped, nothing } = self;
        match () {
            () if elsewhere > 0 => Some(Fault::Misplaced),
            // What the crash caught in flight may be there in part; it brings nothing older back.
            () if later > 0 && older == 0 => None,
            () if right + flipped > 0 && older + nothing > 0 => Some(Fault::Torn),
            () if flipped > 0 => Some(Fault::Flipped),
            () if older > 0 => Some(Fault::Stale),
            () if nothing > 0 => Some(Fault::Missing),
            () => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Piece::{Nothing, OtherRun, Write};

    const ELSEWHERE: Piece = Piece::Elsewhere(None);
    const FLIPPED: Piece = Piece::Flipped(0);

    fn fault(expected: ExpectedSector, pieces: &[Piece]) -> Option<(Fault, usize)> {
        judge(expected, pieces.iter().copied())
    }

    #[test]
    fn each_fault_has_its_own_signs() {
        type Case<'a> = (&'a [Piece], Option<(Fault, usize)>);
        let wanted = ExpectedSector::Write(20);
        let cases: [Case<'_>; 11] = [
            (&[Write(20), Write(20)], None),
            (&[Write(10), Write(10)], Some((Fault::Stale, 0))),
            (&[OtherRun, OtherRun], Some((Fault::Stale, 0))),
            (&[Write(20), Write(10)], Some((Fault::Torn, 1))),
            (&[Write(20), Nothing], Some((Fault::Torn, 1))),
            (&[Write(20), FLIPPED], Some((Fault::Flipped, 1))),
            (&[FLIPPED, Write(10)], Some((Fault::Torn, 0))),
            (&[Write(20), ELSEWHERE], Some((Fault::Misplaced, 1))),
            (&[Write(10), ELSEWHERE], Some((Fault::Misplaced, 1))),
            (&[Nothing, Nothing], Some((Fault::Missing, 0))),
            (&[Write(30), Write(20)], Some((Fault::Misplaced, 0))),
        ];
        for (pieces, expected) in cases {
            assert_eq!(fault(wanted, pieces), expected, "{pieces:?}");
        }
    }

    #[test]
    fn each_fault_has_a_word_of_its_own() {
        let words = Fault::ALL.map(Fault::word);
        assert_eq!(words, ["flipped", "torn", "misplaced", "stale", "missing", "unflushed"]);
    }

    #[test]
    fn what_was_in_flight_at_a_crash_is_no_fault() {
        let wanted = ExpectedSector::WriteOrLater(20);
        assert_eq!(fault(wanted, &[Write(30), Write(20)]), None);
        assert_eq!(fault(wanted, &[Write(30), Nothing]), None);
        assert_eq!(fault(wanted, &[Write(30), Write(10)]), Some((Fault::Stale, 1)), "20 never got there");
        assert_eq!(fault(wanted, &[Write(10), Write(10)]), Some((Fault::Stale, 0)));
        assert_eq!(fault(ExpectedSector::Unknown, &[Nothing]), None);
    }

    #[test]
    fn a_power_cut_may_take_what_was_not_flushed_and_nothing_else() {
        let expected = ExpectedSector::WriteOrLater(20);
        let judged = |flushed, pieces: &[Piece]| {
            judge_flushed(expected, flushed, pieces.iter().copied()).map(|(fault, _)| fault)
        };
        let flushed = ExpectedSector::WriteOrLater(15);
        for (pieces, fault) in [
            (&[Write(20), Write(21)][..], None),
            (&[Write(15), Write(15)], Some(Fault::Unflushed)),
            (&[Write(17), Write(20)], Some(Fault::Unflushed)),
            (&[Write(14), Write(14)], Some(Fault::Stale)),
            (&[Write(20), Write(14)], Some(Fault::Stale)),
            (&[Write(15), Nothing], Some(Fault::Torn)),
            (&[Nothing, Nothing], Some(Fault::Missing)),
            (&[Write(20), ELSEWHERE], Some(Fault::Misplaced)),
        ] {
            assert_eq!(judged(flushed, pieces), fault, "{pieces:?}");
        }
        // Nothing of the place was flushed.
        for (pieces, fault) in [
            (&[Write(20), Write(20)][..], None),
            (&[Nothing, Nothing], Some(Fault::Unflushed)),
            (&[Write(20), Nothing], Some(Fault::Unflushed)),
            (&[OtherRun, Write(3)], Some(Fault::Unflushed)),
            (&[Nothing, ELSEWHERE], Some(Fault::Misplaced)),
            (&[Write(20), FLIPPED], Some(Fault::Flipped)),
        ] {
            assert_eq!(judged(ExpectedSector::Nothing, pieces), fault, "{pieces:?}");
        }
    }
}
