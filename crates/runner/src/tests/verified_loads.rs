//! Verified random loads on simulated drives that lie, and on honest ones.

use std::collections::BTreeMap;

use drivelab_block::{Completion, Instant, Op, Sector};
use drivelab_kinds::load::{Load, LoadSettings, LoadVerification, Operation, PlannedLoad, VerifiedPlan};
use drivelab_kinds::read_back::{ReadBack, ReadEach, StreamNumber};
use drivelab_kinds::{RangeEnd, RangeOption, Test as _};
use drivelab_sim::{GroundTruth, SimDrive, Spec};
use drivelab_workload::verify::Verification;
use drivelab_workload::{Next, Seed, Workload};

use crate::StreamChecker;
use crate::tests::lying_drive::{Seen, WrittenBlocks, are_all_seen, phase};

/// Mapping units of a block.
const UNITS: usize = 4;
const BLOCK_BYTES: u64 = UNITS as u64 * 4096;
/// Blocks of the range: a small one, so that each is written several times.
const PLACES: u64 = 512;
const SEED_RUNS: u64 = 1_000;
/// A misdirected write is only seen where it lands in the range, a 128th of the drive: there are more of them.
const LIES: &str = "drop_every=90&revert_every=90&tear_every=90&misdirect_every=10&flip_every=90";

/// A workload, and the places of its writes in the order in which they were asked for.
struct NotedWrites<W> {
    workload: W,
    places: Vec<u64>,
}

impl<W: Workload> Workload for NotedWrites<W> {
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

fn settings(seed: u64, read_back: ReadBack) -> LoadSettings {
    LoadSettings {
        operation: Operation::Randwrite,
        block_size_bytes: BLOCK_BYTES,
        queue_depth: 1 + u32::try_from(seed % 16).expect("small"),
        threads: 1,
        rate: None,
        arrivals: None,
        range: RangeOption { start: RangeEnd::Bytes(0), end: RangeEnd::Bytes(PLACES * BLOCK_BYTES) },
        duration_ns: None,
        bytes: Some((500 + seed % 500) * BLOCK_BYTES),
        compressibility_percent: 0,
        cpus: Vec::new(),
        until_warm_ns: None,
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
struct RanLoad {
    verification: Verification,
    truth: GroundTruth,
    /// The place of every write that was made, in order.
    places: Vec<u64>,
}

/// Writes and reads back on a new drive.
fn load(profile: &str, seed: u64, read_back: ReadBack) -> RanLoad {
    let profile = Spec::parse(profile).expect("a profile");
    let mut drive = SimDrive::with_contents(&profile, seed);
    let settings = settings(seed, read_back);
    let plan: PlannedLoad = Load::plan(&settings, &(), drive.geometry(), Seed::new(seed)).expect("a plan");
    let verified: &VerifiedPlan = plan.verified.as_ref().expect("it is verified");
    let verification = verified.verification().clone();
    drive.show_to(Box::new(StreamChecker::new(&profile, verification.clone()).expect("whole units")));
    let (writing, reading) = plan.phases(true).expect("phases");
    let mut workloads = verified.workloads(&plan.load, 1);
    let mut writes = NotedWrites { workload: workloads.remove(0), places: Vec::new() };
    phase(&mut drive, &writing, &mut writes);
    phase(&mut drive, &reading, &mut ReadEach::new(&verification, reading.limits.max_transfer));
    let mut places = writes.places;
    let truth = drive.ground_truth();
    // The last one may have been asked for and never sent.
    places.truncate(usize::try_from(truth.lifetime.host_writes).expect("small"));
    let verification = verification.get().clone();
    RanLoad { verification, truth, places }
}

impl RanLoad {
    fn blocks(&self) -> WrittenBlocks<'_> {
        WrittenBlocks { units: UNITS, count: PLACES, places: &self.places }
    }
}

#[test]
fn a_thousand_lying_drives_are_found_out_without_a_miss_or_a_false_alarm() {
    let mut seen = Seen::new();
    for seed in 0..SEED_RUNS {
        let ran = load(&format!("consistent?size=1GiB&{LIES}"), seed, ReadBack::End);
        let expected = ran.blocks().faults(&ran.truth);
        assert_eq!(ran.blocks().found(&ran.verification), expected, "seed {seed}: {:#?}", ran.truth.faults);
        expected.values().for_each(|fault| *seen.entry(*fault).or_default() += 1);
    }
    assert!(are_all_seen(&seen), "{seen:?}");
}

#[test]
fn an_honest_drive_raises_no_alarm_whenever_it_is_read_back() {
    for seed in 0..200_u64 {
        let read_back = if seed.is_multiple_of(2) { ReadBack::Continuous } else { ReadBack::End };
        let ran = load("consistent?size=1GiB", seed, read_back);
        assert_eq!(ran.blocks().found(&ran.verification), BTreeMap::new(), "seed {seed}");
        let mut written = ran.places.clone();
        written.sort_unstable();
        written.dedup();
        assert!(ran.verification.blocks >= written.len() as u64, "every place is read back");
        assert_eq!(ran.verification.ledger.unread().count(), 0, "seed {seed}");
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
        for report in &ran.verification.reports {
            assert!(touched.contains(&place(report.block)), "seed {seed}: {report:?}");
            seen += 1;
        }
    }
    assert!(seen > 200, "{seen}");
}
