//! What reads bring back from a simulated drive: as pieces of self-describing blocks, or as it is.

use drivelab_block::{Request, SECTOR_BYTES, Sector};
use drivelab_sim::{Profile, ReadObserver, Stored, wraps_at};
use drivelab_workload::verify::{
    BlockContents, ExpectedSector, Ledger, Piece, ReadbackLog, SharedVerification,
};

/// Sectors of a simulated drive's mapping unit.
const UNIT_SECTORS: u64 = 8;

/// Judges what a simulated drive stores: not bytes but the number of the write command that made them, which is one more
/// than the number of the write in its stream, or in the order in which a load made its writes.
#[derive(Debug)]
pub struct StreamChecker {
    verification: SharedVerification,
    /// The mapping units that the drive really has, if what is written behind them goes over what lies before them.
    wraps_at: Option<u64>,
    pieces: Vec<Piece>,
}

impl StreamChecker {
    /// An observer of a stream or a load that is the first thing written to a drive of this profile. Blocks that are no whole
    /// mapping units are refused: what two writes to a part of a unit leave there is not known.
    pub fn new(profile: &Profile, verification: SharedVerification) -> Result<StreamChecker, String> {
        {
            let mut verification = verification.get();
            let span = verification.ledger.span();
            let is_whole = |sectors: u64| sectors.is_multiple_of(UNIT_SECTORS);
            if !(is_whole(span.start().get()) && is_whole(span.block().get().into())) {
                let text = "--verify: a simulated drive keeps what it stores by units of 4 KiB: write a --block-size, and the \
                            begin of --range, in whole multiples of 4KiB";
                return Err(text.to_owned());
            }
            verification.ledger.keep_order();
        }
        let wraps_at = wraps_at(profile).map(|bytes| bytes.get() / (UNIT_SECTORS * SECTOR_BYTES));
        Ok(StreamChecker { verification, wraps_at, pieces: Vec::new() })
    }
}

/// A mapping unit that a read touches.
#[derive(Clone, Copy)]
struct ShownUnit {
    /// The place of its block.
    place: u64,
    /// The number of the unit in its block.
    number: u64,
    stored: Stored,
}

fn piece(ledger: &Ledger, wraps_at: Option<u64>, unit: ShownUnit) -> Piece {
    let ShownUnit { place, stored, .. } = unit;
    let (Stored::Write(tag) | Stored::Flipped(tag)) = stored else { return Piece::Nothing };
    match (ledger.nth_write(tag - 1), stored) {
        (Some((at, number)), Stored::Flipped(_))
            if at == place && ledger.expected(place) == ExpectedSector::Write(number) =>
        {
            Piece::Flipped(0)
        }
        (Some((at, number)), _) if at == place => Piece::Write(number),
        (Some((at, _)), _) => {
            let first = ledger.span().sector_of(at).get();
            let number = number_in_write(ledger, wraps_at, unit, first);
            Piece::Elsewhere(Some(Sector::new(first + number * UNIT_SECTORS)))
        }
        (None, _) => Piece::Elsewhere(None),
    }
}

/// Which unit of a write, whose first sector is `first`, lies where a unit of another place is shown. The drive stores the number
/// of the write alone: on one that wraps it follows from where both really are, and a write that went astray did so as a whole.
fn number_in_write(ledger: &Ledger, wraps_at: Option<u64>, unit: ShownUnit, first: u64) -> u64 {
    let Some(units) = wraps_at else { return unit.number };
    let shown_at = ledger.span().sector_of(unit.place).get() / UNIT_SECTORS + unit.number;
    let number = (shown_at % units + units - first / UNIT_SECTORS % units) % units;
    let is_in_write = number < u64::from(ledger.span().block().get()) / UNIT_SECTORS;
    if is_in_write { number } else { unit.number }
}

impl ReadObserver for StreamChecker {
    fn read(&mut self, request: &Request, units: &[Stored]) {
        let mut verification = self.verification.get();
        if verification.is_paused {
            return;
        }
        let of_block = u64::from(verification.ledger.span().block().get());
        let units_of_block = usize::try_from(of_block.div_ceil(UNIT_SECTORS)).unwrap_or(1).max(1);
        for (number, units) in (0..).zip(units.chunks(units_of_block)) {
            let ledger = &verification.ledger;
            let first = Sector::new(request.extent.start.get() + number * of_block);
            let Some(place) = ledger.place_of(first) else { return };
            self.pieces.clear();
            for (number, stored) in (0..).zip(units) {
                let unit = ShownUnit { place, number, stored: *stored };
                self.pieces.push(piece(ledger, self.wraps_at, unit));
            }
            verification.block(place, UNIT_SECTORS, &self.pieces);
        }
    }
}

/// Notes what every read of a simulated drive brings back: not bytes, but the writes that made them.
#[derive(Debug)]
pub struct ReadbackChecker(pub ReadbackLog);

impl ReadObserver for ReadbackChecker {
    fn read(&mut self, request: &Request, units: &[Stored]) {
        let held = if units.iter().all(|unit| *unit == Stored::Nothing) {
            BlockContents::Zeros
        } else {
            let bytes: Vec<u8> = units.iter().flat_map(|unit| number(*unit).to_le_bytes()).collect();
            BlockContents::from_bytes(&bytes)
        };
        self.0.note(request.extent.start.get(), held);
    }
}

/// A number for what a unit shows; no write has the number 0.
fn number(unit: Stored) -> u64 {
    match unit {
        Stored::Nothing => 0,
        Stored::Write(tag) => tag,
        Stored::Flipped(tag) => !tag,
    }
}

#[cfg(test)]
mod tests {
    use drivelab_block::ByteCount;
    use drivelab_kinds::read_back::{ReadBack, ReadEach, StreamNumber};
    use drivelab_kinds::stalls::{CyclicWrites, StallsPlan, StallsSettings};
    use drivelab_kinds::{RangeEnd, RangeOption};
    use drivelab_sim::{SimDrive, Spec};

    use super::*;
    use crate::tests::lying_drive::{Seen, WrittenBlocks, are_all_seen, phase};

    const UNITS: u64 = 64;
    const SEED_RUNS: u64 = 1_000;

    #[test]
    fn a_thousand_lying_drives_are_found_out_without_a_miss_or_a_false_alarm() {
        let mut seen = Seen::new();
        for seed in 0..SEED_RUNS {
            let lies = "drop_every=90&revert_every=90&tear_every=90&misdirect_every=90&flip_every=90";
            let profile = Spec::parse(&format!("consistent?size=1GiB&{lies}")).expect("a profile");
            let geometry = SimDrive::new(&profile, 0).geometry();
            let writes = 256 + seed % 512;
            let block_size = ByteCount::new(UNITS * 4096);
            let settings = StallsSettings {
                block_bytes: block_size.get(),
                range: RangeOption { start: RangeEnd::Bytes(0), end: RangeEnd::Bytes(64 << 20) },
                bytes: Some(writes * block_size.get()),
                duration_ns: None,
                rate_bytes_s: None,
                queue_depth: 1 + u32::try_from(seed % 4).expect("small"),
                verify: ReadBack::End,
                device_times: false,
                until_warm_ns: None,
                stream_rates_bytes_s: Vec::new(),
                stream: StreamNumber(seed),
                on_drive: None,
            };
            let plan = StallsPlan::new(&settings, geometry).expect("a plan");
            let (span, verification) = (plan.span, plan.verification().clone());
            let mut drive = SimDrive::with_contents(&profile, seed);
            drive.show_to(Box::new(StreamChecker::new(&profile, verification.clone()).expect("whole units")));
            phase(&mut drive, &plan.writing(), &mut CyclicWrites::new(&plan));
            phase(&mut drive, &plan.reading(), &mut ReadEach::new(&verification, plan.block()));
            let truth = drive.ground_truth();
            let places: Vec<u64> = (0..writes).map(|number| number % span.blocks()).collect();
            let units = usize::try_from(UNITS).expect("small");
            let blocks = WrittenBlocks { units, count: span.blocks(), places: &places };
            let expected = blocks.faults(&truth);
            assert_eq!(blocks.found(&verification.get()), expected, "seed {seed}: {:#?}", truth.faults);
            expected.values().for_each(|fault| *seen.entry(*fault).or_default() += 1);
        }
        assert!(are_all_seen(&seen), "{seen:?}");
    }
}
