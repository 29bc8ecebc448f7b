//! A drive of a few sectors that errs in every way, between a stream's writes and its verification.

use std::collections::BTreeMap;

use drivelab_block::{
    ByteCount, Completion, Extent, Instant, Op, Payload as _, PhaseId, QueueId, Request, Sector, SectorCount,
    Status,
};
use drivelab_workload::Span;
use drivelab_workload::verify::{
    Described, ExpectedSector, Fault, Ledger, Piece, RunId, SharedVerification, Verification,
};
use proptest::prelude::*;

const PLACES: u64 = 6;
/// Sectors of a block.
const BLOCK: u64 = 8;
/// The first sector of the stream: nobody may take its places for addresses.
const START: u64 = 24;

type Clock = fn() -> Instant;

/// What a block holds, sector by sector.
type Block = Vec<[u8; 512]>;

struct Trial {
    verification: SharedVerification,
    described: Described<Clock>,
    drive: BTreeMap<u64, Block>,
    written: u64,
}

fn request(place: u64, op: Op) -> Request {
    let extent = Extent { start: Sector::new(START + place * BLOCK), length: SectorCount::new(8) };
    Request { intended_at: Instant::ORIGIN, extent, op, phase: PhaseId(0), queue: QueueId(0) }
}

impl Trial {
    fn new() -> Trial {
        let length = ByteCount::new(PLACES * BLOCK * 512);
        let span = Span::new(Sector::new(START), length, SectorCount::new(8)).expect("some blocks");
        let verification = SharedVerification::new(Verification::new(Ledger::new(span)));
        let clock: Clock = || Instant::from_nanos(5);
        let described = Described::new(RunId(7), verification.clone(), clock);
        Trial { verification, described, drive: BTreeMap::new(), written: 0 }
    }

    /// Makes the next write of the stream; the block, which is not on the drive yet.
    fn made(&mut self) -> (u64, Block) {
        let place = self.written % PLACES;
        self.written += 1;
        let mut bytes = [0; 4096];
        self.described.fill(&mut bytes);
        self.described.stamp(&request(place, Op::Write), &mut bytes);
        (place, bytes.as_chunks::<512>().0.to_vec())
    }

    fn acknowledge(&self, place: u64, status: Status) {
        let Request { intended_at, extent, op, phase, queue } = request(place, Op::Write);
        let completion = Completion {
            intended_at,
            submitted_at: intended_at,
            issued_at: None,
            completed_at: intended_at,
            extent,
            status,
            queue,
            op,
            phase,
        };
        self.verification.get().ledger.note(&[completion]);
    }

    /// Writes the next blocks of the stream.
    fn write(&mut self, count: u64) {
        for _ in 0..count {
            let (place, block) = self.made();
            self.drive.insert(place, block);
            self.acknowledge(place, Status::OK);
        }
    }

    /// Reads back what was written and not yet read.
    fn read(&mut self) -> Verification {
        let places: Vec<u64> = self.verification.get().ledger.unread().collect();
        for place in places {
            let bytes = self.drive[&place].concat();
            self.described.returned(&request(place, Op::Read), &bytes);
        }
        self.verification.get().clone()
    }
}

/// What a fault makes of a block, which was to hold this one: from the block before it and another place's, at a sector and bit.
type Spoil = fn(&mut Block, &Block, &Block, usize, usize);

proptest! {
    #[test]
    fn what_was_written_is_read_back_without_a_fault(before in 0..20_u64, after in 1..20_u64) {
        let mut trial = Trial::new();
        trial.write(before);
        let first = trial.read();
        trial.write(after);
        let both = trial.read();
        prop_assert_eq!(both.faulty(), 0, "{:?}", both.reports);
        prop_assert_eq!(first.blocks, before.min(PLACES), "each place is read once");
        prop_assert_eq!(both.blocks - first.blocks, after.min(PLACES), "what was written since");
        prop_assert_eq!(both.not_judged, 0);
        prop_assert_eq!(both.latest, Some(Instant::from_nanos(5)));
    }

    #[test]
    fn each_fault_is_found_where_it_is(
        rounds in 2..4_u64,
        place in 0..PLACES,
        sector in 1..BLOCK,
        bit in 0..512_usize * 8,
    ) {
        let at = usize::try_from(sector).expect("below 8");
        let other = (place + 1) % PLACES;
        let faults: [(Fault, u64, Spoil); 5] = [
            (Fault::Flipped, sector, |block, _, _, at, bit| block[at][bit / 8] ^= 1 << (bit % 8)),
            (Fault::Torn, sector, |block, old, _, at, _| block[at..].copy_from_slice(&old[at..])),
            (Fault::Misplaced, 0, |block, _, other, _, _| block.clone_from(other)),
            (Fault::Stale, 0, |block, old, _, _, _| block.clone_from(old)),
            (Fault::Missing, 0, |block, _, _, _, _| block.fill([0; 512])),
        ];
        for (fault, first, spoil) in faults {
            let mut trial = Trial::new();
            trial.write(PLACES * (rounds - 1));
            let old = trial.drive[&place].clone();
            trial.write(PLACES);
            let elsewhere = trial.drive[&other].clone();
            spoil(trial.drive.get_mut(&place).expect("written"), &old, &elsewhere, at, bit);
            let found = trial.read();
            prop_assert_eq!((found.blocks, found.faulty(), found.count(fault)), (PLACES, 1, 1), "{:?}", fault);
            let report = found.reports[0];
            let block = START + place * BLOCK;
            prop_assert_eq!((report.fault, report.block.get()), (fault, block));
            prop_assert_eq!(report.sector.get(), block + first);
            prop_assert_eq!(report.expected, ExpectedSector::Write(place + PLACES * (rounds - 1)));
            // A flip in the time can only be seen by the checksum, at byte 508.
            let within = match bit / 8 {
                _ if fault != Fault::Flipped => 0,
                32..40 | 508.. => 508,
                byte => byte,
            };
            prop_assert_eq!(report.byte, report.sector.byte_offset() + within as u64);
            if fault == Fault::Misplaced {
                prop_assert_eq!(report.found, Piece::Elsewhere(Some(Sector::new(START + other * BLOCK))));
            }
        }
    }
}

#[test]
fn what_another_run_left_is_stale() {
    let mut trial = Trial::new();
    trial.write(PLACES);
    let clock: Clock = || Instant::ORIGIN;
    let mut bytes = [0; 4096];
    let mut other = Described::new(RunId(8), trial.verification.clone(), clock);
    other.stamp(&request(0, Op::Write), &mut bytes);
    trial.drive.insert(0, bytes.as_chunks::<512>().0.to_vec());
    let found = trial.read();
    assert_eq!((found.faulty(), found.count(Fault::Stale)), (1, 1), "{:?}", found.reports);
    assert_eq!(found.reports[0].found, Piece::OtherRun);
}

#[test]
fn a_failed_write_leaves_nothing_to_judge() {
    let mut trial = Trial::new();
    trial.write(PLACES);
    let (place, block) = trial.made();
    // Half of it got there.
    trial.drive.get_mut(&place).expect("written")[..4].copy_from_slice(&block[..4]);
    trial.acknowledge(place, Status::errno(5));
    let found = trial.read();
    assert_eq!((found.blocks, found.not_judged, found.faulty()), (PLACES - 1, 0, 0), "it is not read");
    assert_eq!(found.ledger.unknown(), 1);
}

#[test]
fn only_after_a_crash_may_a_later_write_be_there() {
    let later = |crash: bool| {
        let mut trial = Trial::new();
        trial.write(PLACES);
        // Nobody was told of it.
        let (place, block) = trial.made();
        trial.drive.insert(place, block);
        if crash {
            trial.verification.get().ledger.open_end();
        }
        trial.read()
    };
    assert_eq!(later(true).faulty(), 0);
    assert_eq!(later(false).count(Fault::Misplaced), 1, "a number that was never given out");
}
