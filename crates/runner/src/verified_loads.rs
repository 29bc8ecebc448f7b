//! Verified random loads on simulated drives that lie, and on honest ones.

use std::collections::BTreeMap;

use drivelab_block::{Completion, Engine, Instant, Op, PhaseId, QueueId, Sector, Sink};
use drivelab_method::{Interrupt, PhasePlan, WorkerContext, run};
use drivelab_sim::{FaultKind, GroundTruth, SimDrive, Spec};
use drivelab_tests::load::{Load, LoadSettings, LoadVerification, Operation, PlannedLoad, VerifiedPlan};
use drivelab_tests::read_back::{ReadBack, ReadEach, StreamNumber};
use drivelab_tests::{AskedRange, RangeEnd, Test as _};
use drivelab_verify::{Fault, Verification};
use drivelab_workload::{Next, Seed, Workload};

use crate::StreamWitness;

/// Mapping units of a block, and sectors of a unit.
const UNITS: usize = 4;
const UNIT_SECTORS: u64 = 8;
const BLOCK_BYTES: u64 = UNITS as u64 * 4096;
/// Blocks of the range: a small one, so that each is written several times.
const PLACES: u64 = 512;
const SEED_RUNS: u64 = 1_000;
/// A misdirected write is only seen where it lands in the range, a 128th of the drive: there are more of them.
const LIES: &str = "drop_every=90&revert_every=90&tear_every=90&misdirect_every=10&flip_every=90";

struct Nobody;

impl Sink for Nobody {
    fn accept(&mut self, _: &[Completion]) {}
}

/// A workload, and the places of its writes in the order in which they were asked for.
struct Noted<W> {
    workload: W,
    places: Vec<u64>,
}

impl<W: Workload> Workload for Noted<W> {
    fn next_ask(&mut self) -> Next {
        let next = self.workload.next_ask();
        if let Next::Ask(ask) = next
            && ask.op == Op::Write
        {
            self.places.push(ask.extent.start.get() * 512 / BLOCK_BYTES);
        }
        next
    }

    fn answered(&mut self, completions: &[Completion], started_at: Instant) {
        self.workload.answered(completions, started_at);
    }
}

fn phase<W: Workload>(drive: &mut SimDrive, plan: &PhasePlan, workload: &mut W) {
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
    run(drive, workload, &context, &mut Nobody).expect("the drive answers");
}

fn settings(seed: u64, read_back: ReadBack) -> LoadSettings {
    LoadSettings {
        operation: Operation::Randwrite,
        block_size_bytes: BLOCK_BYTES,
        queue_depth: 1 + u32::try_from(seed % 16).expect("small"),
        threads: 1,
        rate: None,
        arrivals: None,
        range: AskedRange { start: RangeEnd::Bytes(0), end: RangeEnd::Bytes(PLACES * BLOCK_BYTES) },
        duration_ns: None,
        bytes: Some((500 + seed % 500) * BLOCK_BYTES),
        compressibility_percent: 0,
        cpus: Vec::new(),
        verify: Some(LoadVerification {
            read_back,
            flush_every: seed.is_multiple_of(3).then_some(20),
            blocks: StreamNumber(seed),
            boot: None,
            on_drive: None,
        }),
    }
}

/// A load that ran on a simulated drive.
struct Ran {
    verification: Verification,
    truth: GroundTruth,
    /// The place of every write that was made, in order.
    places: Vec<u64>,
}

/// Writes and reads back on a new drive.
fn load(profile: &str, seed: u64, read_back: ReadBack) -> Ran {
    let profile = Spec::parse(profile).expect("a profile");
    let mut drive = SimDrive::with_contents(&profile, seed);
    let settings = settings(seed, read_back);
    let plan: PlannedLoad = Load::plan(&settings, &(), drive.geometry(), Seed::new(seed)).expect("a plan");
    let verified: &VerifiedPlan = plan.verified().expect("it is verified");
    let verification = verified.verification().clone();
    drive.show_to(Box::new(StreamWitness::new(verification.clone())));
    let (writing, reading) = plan.phases(true).expect("phases");
    let mut workloads = verified.workloads(plan.load(), 1);
    let mut writes = Noted { workload: workloads.remove(0), places: Vec::new() };
    phase(&mut drive, &writing, &mut writes);
    phase(&mut drive, &reading, &mut ReadEach::new(&verification));
    let mut places = writes.places;
    let truth = drive.ground_truth();
    // The last one may have been asked for and never sent.
    places.truncate(usize::try_from(truth.lifetime.host_writes).expect("small"));
    let verification = verification.get().clone();
    Ran { verification, truth, places }
}

/// What every mapping unit shows, by the drive's own account of its lies: which write, from 0, and whether a bit is flipped.
fn shown(truth: &GroundTruth, places: &[u64]) -> Vec<Option<(usize, bool)>> {
    let mut units = vec![None; usize::try_from(PLACES).expect("small") * UNITS];
    let unit = |sector: Sector| usize::try_from(sector.get() / UNIT_SECTORS).expect("small");
    for (number, place) in places.iter().enumerate() {
        let own = usize::try_from(*place).expect("small") * UNITS;
        let own = own..own + UNITS;
        let before = units[own.clone()].to_vec();
        units[own.clone()].fill(Some((number, false)));
        let met = truth.faults.iter().find(|fault| fault.host_write == number as u64 + 1);
        let Some(fault) = met else { continue };
        let at = unit(fault.at);
        match fault.kind {
            FaultKind::Flipped => units[at] = Some((number, true)),
            FaultKind::Torn => units[at..own.end].copy_from_slice(&before[at - own.start..]),
            FaultKind::Dropped | FaultKind::Reverted => units[own].copy_from_slice(&before),
            FaultKind::Misdirected => {
                units[own].copy_from_slice(&before);
                let landed = unit(fault.landed.expect("a misdirected write lands somewhere"));
                // Beyond the range it does no harm to it.
                if let Some(other) = units.get_mut(landed..landed + UNITS) {
                    other.fill(Some((number, false)));
                }
            }
        }
    }
    units
}

/// The fault of every place that has one, by what its units show.
fn expected(ran: &Ran) -> BTreeMap<u64, Fault> {
    let units = shown(&ran.truth, &ran.places);
    let of_place = |(place, block): (u64, &[Option<(usize, bool)>])| {
        let last = ran.places.iter().rposition(|written| *written == place)?;
        let is_right = |unit: &Option<(usize, bool)>| unit.is_some_and(|(number, _)| number == last);
        let fault = match () {
            () if block.iter().flatten().any(|(number, _)| ran.places[*number] != place) => Fault::Misplaced,
            () if block.iter().all(is_right) => {
                block.iter().flatten().any(|(_, is_flipped)| *is_flipped).then_some(Fault::Flipped)?
            }
            () if block.iter().any(is_right) => Fault::Torn,
            () if block.iter().any(Option::is_some) => Fault::Stale,
            () => Fault::Missing,
        };
        Some((place, fault))
    };
    (0..).zip(units.chunks(UNITS)).filter_map(of_place).collect()
}

fn found(ran: &Ran) -> BTreeMap<u64, Fault> {
    let place = |sector: Sector| sector.get() * 512 / BLOCK_BYTES;
    ran.verification.reports().iter().map(|report| (place(report.block), report.fault)).collect()
}

#[test]
fn a_thousand_lying_drives_are_found_out_without_a_miss_or_a_false_alarm() {
    let mut seen: BTreeMap<Fault, u64> = BTreeMap::new();
    for seed in 0..SEED_RUNS {
        let ran = load(&format!("consistent?size=1GiB&{LIES}"), seed, ReadBack::End);
        let expected = expected(&ran);
        assert_eq!(found(&ran), expected, "seed {seed}: {:#?}", ran.truth.faults);
        expected.values().for_each(|fault| *seen.entry(*fault).or_default() += 1);
    }
    // No power cut took what was not flushed.
    let mut possible = Fault::ALL.iter().filter(|fault| **fault != Fault::Unflushed);
    assert!(possible.all(|fault| seen.get(fault).is_some_and(|count| *count > 100)), "{seen:?}");
}

#[test]
fn an_honest_drive_raises_no_alarm_whenever_it_is_read_back() {
    for seed in 0..200_u64 {
        let read_back = if seed.is_multiple_of(2) { ReadBack::Continuous } else { ReadBack::End };
        let ran = load("consistent?size=1GiB", seed, read_back);
        assert_eq!(found(&ran), BTreeMap::new(), "seed {seed}");
        let mut written = ran.places.clone();
        written.sort_unstable();
        written.dedup();
        assert!(ran.verification.blocks() >= written.len() as u64, "every place is read back");
        assert_eq!(ran.verification.ledger().unread().count(), 0, "seed {seed}");
    }
}

/// A block that is read a while after its write shows what the drive did until then.
#[test]
fn continuous_reads_find_lies_and_raise_no_false_alarm() {
    let mut seen = 0;
    for seed in 0..200_u64 {
        let ran = load(&format!("consistent?size=1GiB&{LIES}"), seed, ReadBack::Continuous);
        let place = |sector: Sector| sector.get() * 512 / BLOCK_BYTES;
        let touched: Vec<u64> = ran
            .truth
            .faults
            .iter()
            .flat_map(|fault| [Some(place(fault.at)), fault.landed.map(place)])
            .flatten()
            .collect();
        for report in ran.verification.reports() {
            assert!(touched.contains(&place(report.block)), "seed {seed}: {report:?}");
            seen += 1;
        }
    }
    assert!(seen > 200, "{seen}");
}
