//! What reads bring back from a simulated drive, as pieces of self-describing blocks.

use drivelab_block::Request;
use drivelab_sim::{Stored, Witness};
use drivelab_verify::{ExpectedSector, Ledger, Piece, SharedVerification};

/// Sectors of a simulated drive's mapping unit.
const UNIT_SECTORS: u64 = 8;

/// Judges what a simulated drive stores: not bytes but the number of the write command that made them, which is one more
/// than the number of the write in its stream, or in the order in which a load made its writes.
#[derive(Debug)]
pub struct StreamWitness {
    verification: SharedVerification,
    pieces: Vec<Piece>,
}

impl StreamWitness {
    /// A witness of a stream or a load that is the first thing written to its drive.
    pub fn new(verification: SharedVerification) -> StreamWitness {
        verification.get().ledger_mut().keep_order();
        StreamWitness { verification, pieces: Vec::new() }
    }
}

/// What a mapping unit of a place shows.
fn piece(ledger: &Ledger, place: u64, stored: Stored) -> Piece {
    let (Stored::Write(tag) | Stored::Flipped(tag)) = stored else { return Piece::Nothing };
    match (ledger.nth_write(tag - 1), stored) {
        (Some((at, number)), Stored::Flipped(_))
            if at == place && ledger.expected(place) == ExpectedSector::Write(number) =>
        {
            Piece::Flipped
        }
        (Some((at, number)), _) if at == place => Piece::Write(number),
        _ => Piece::Elsewhere,
    }
}

impl Witness for StreamWitness {
    fn read(&mut self, request: &Request, units: &[Stored]) {
        let mut verification = self.verification.get();
        let ledger = verification.ledger();
        let Some(place) = ledger.place_of(request.extent.start) else { return };
        self.pieces.clear();
        self.pieces.extend(units.iter().map(|unit| piece(ledger, place, *unit)));
        verification.block(place, UNIT_SECTORS, &self.pieces);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use drivelab_block::{ByteCount, Completion, Engine, PhaseId, QueueId, Sector, Sink};
    use drivelab_method::{Interrupt, PhasePlan, WorkerContext, run};
    use drivelab_sim::{FaultKind, GroundTruth, SimDrive, Spec};
    use drivelab_tests::read_back::{ReadBack, ReadEach, StreamNumber};
    use drivelab_tests::stalls::{CyclicWrites, StallsPlan, StallsSettings};
    use drivelab_tests::{AskedRange, RangeEnd};
    use drivelab_verify::Fault;
    use drivelab_workload::Workload;

    use super::*;

    const UNITS: u64 = 64;
    const SEED_RUNS: u64 = 1_000;

    struct Nobody;

    impl Sink for Nobody {
        fn accept(&mut self, _: &[Completion]) {}
    }

    fn phase<W: Workload>(drive: &mut SimDrive, plan: &PhasePlan, mut workload: W) {
        drive.prepare(plan.limits).expect("the drive has what is asked");
        let context = WorkerContext {
            phase: PhaseId(0),
            queue: QueueId(0),
            queues: 1,
            queue_depth: plan.limits.queue_depth,
            started_at: drive.now(),
            stop: plan.stop,
            interrupt: Interrupt::default(),
        };
        run(drive, &mut workload, &context, &mut Nobody).expect("the drive answers");
    }

    /// What every mapping unit shows, by the drive's own account of its lies: the number of a write from 0, and whether a
    /// bit of it is flipped.
    fn shown(truth: &GroundTruth, writes: u64, places: u64) -> Vec<Option<(u64, bool)>> {
        let mut units = vec![None; usize::try_from(places * UNITS).expect("small")];
        let unit = |sector: Sector| usize::try_from(sector.get() / UNIT_SECTORS).expect("small");
        for number in 0..writes {
            let own = usize::try_from(number % places * UNITS).expect("small");
            let own = own..own + usize::try_from(UNITS).expect("small");
            let before = units[own.clone()].to_vec();
            units[own.clone()].fill(Some((number, false)));
            let Some(fault) = truth.faults.iter().find(|fault| fault.host_write == number + 1) else {
                continue;
            };
            let at = unit(fault.at);
            match fault.kind {
                FaultKind::Flipped => units[at] = Some((number, true)),
                FaultKind::Torn => units[at..own.end].copy_from_slice(&before[at - own.start..]),
                FaultKind::Dropped | FaultKind::Reverted => units[own.clone()].copy_from_slice(&before),
                FaultKind::Misdirected => {
                    units[own.clone()].copy_from_slice(&before);
                    let landed = unit(fault.landed.expect("a misdirected write lands somewhere"));
                    // Beyond the stream it does no harm to it.
                    if let Some(other) = units.get_mut(landed..landed + own.len()) {
                        other.fill(Some((number, false)));
                    }
                }
            }
        }
        units
    }

    /// The faults of all places, by what their units show.
    fn faults(units: &[Option<(u64, bool)>], writes: u64, places: u64) -> BTreeMap<u64, Fault> {
        let mut found = BTreeMap::new();
        for (place, block) in (0..places).zip(units.chunks(usize::try_from(UNITS).expect("small"))) {
            let Some(expected) = (0..writes).rev().find(|number| number % places == place) else { continue };
            let right = |unit: &Option<(u64, bool)>| unit.is_some_and(|(number, _)| number == expected);
            let fault = if block.iter().flatten().any(|(number, _)| number % places != place) {
                Fault::Misplaced
            } else if block.iter().all(right) {
                let flipped = block.iter().flatten().any(|(_, flipped)| *flipped);
                if !flipped {
                    continue;
                }
                Fault::Flipped
            } else if block.iter().any(right) {
                Fault::Torn
            } else if block.iter().any(Option::is_some) {
                Fault::Stale
            } else {
                Fault::Missing
            };
            found.insert(place, fault);
        }
        found
    }

    #[test]
    fn a_thousand_lying_drives_are_found_out_without_a_miss_or_a_false_alarm() {
        let mut seen: BTreeMap<Fault, u64> = BTreeMap::new();
        for seed in 0..SEED_RUNS {
            let lies = "drop_every=90&revert_every=90&tear_every=90&misdirect_every=90&flip_every=90";
            let profile = Spec::parse(&format!("consistent?size=1GiB&{lies}")).expect("a profile");
            let geometry = SimDrive::new(&profile, 0).geometry();
            let writes = 256 + seed % 512;
            let block_size = ByteCount::new(UNITS * 4096);
            let settings = StallsSettings {
                block_bytes: block_size.get(),
                range: AskedRange { start: RangeEnd::Bytes(0), end: RangeEnd::Bytes(64 << 20) },
                bytes: Some(writes * block_size.get()),
                duration_ns: None,
                rate_bytes_s: None,
                queue_depth: 1 + u32::try_from(seed % 4).expect("small"),
                verify: ReadBack::End,
                device_times: false,
                stream_rates_bytes_s: Vec::new(),
                stream: StreamNumber(seed),
                on_drive: None,
            };
            let plan = StallsPlan::new(&settings, geometry).expect("a plan");
            let (span, verification) = (plan.span(), plan.verification().clone());
            let mut drive = SimDrive::with_contents(&profile, seed);
            drive.show_to(Box::new(StreamWitness::new(verification.clone())));
            phase(&mut drive, &plan.writing(), CyclicWrites::new(&plan));
            phase(&mut drive, &plan.reading(), ReadEach::new(&verification));
            let truth = drive.ground_truth();
            let expected = faults(&shown(&truth, writes, span.blocks()), writes, span.blocks());
            let found: BTreeMap<u64, Fault> = verification
                .get()
                .reports()
                .iter()
                .map(|report| (report.block.get() / UNIT_SECTORS / UNITS, report.fault))
                .collect();
            assert_eq!(found, expected, "seed {seed}: {:#?}", truth.faults);
            expected.values().for_each(|fault| *seen.entry(*fault).or_default() += 1);
        }
        // Nothing was flushed.
        let possible = Fault::ALL.iter().filter(|fault| **fault != Fault::Unflushed);
        assert!(possible.clone().all(|fault| seen.get(fault).is_some_and(|count| *count > 100)), "{seen:?}");
    }
}
