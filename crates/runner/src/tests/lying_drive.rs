//! What a simulated drive that lies shows after its writes, by its own account: what a verification has to find.

use std::collections::BTreeMap;

use drivelab_block::{Completion, Engine, PhaseId, QueueId, Sector, SilenceLog, Sink};
use drivelab_method::{Interrupt, PhasePlan, WorkerContext, run};
use drivelab_sim::{FaultKind, GroundTruth, SimDrive};
use drivelab_workload::Workload;
use drivelab_workload::verify::{Fault, Verification};

/// Sectors of a mapping unit.
const UNIT_SECTORS: u64 = 8;

/// Completions that are not kept.
struct NotKept;

impl Sink for NotKept {
    fn accept(&mut self, _: &[Completion]) {}
}

/// Runs a phase on a drive.
pub fn phase<W: Workload>(drive: &mut SimDrive, plan: &PhasePlan, workload: &mut W) {
    drive.prepare(plan.limits).expect("the drive has what is asked");
    let context = WorkerContext {
        phase: PhaseId(0),
        queue: QueueId(0),
        queues: 1,
        queue_depth: plan.limits.queue_depth,
        started_at: drive.now(),
        stop: plan.stop,
        interrupt: Interrupt::default(),
        silences: SilenceLog::new(1),
    };
    run(drive, workload, &context, &mut NotKept).expect("the drive answers");
}

/// Blocks from the first sector of a drive on, and the writes to them.
#[derive(Clone, Copy)]
pub struct WrittenBlocks<'a> {
    /// Mapping units of a block.
    pub units: usize,
    /// How many blocks there are.
    pub count: u64,
    /// The block of every write, in order.
    pub places: &'a [u64],
}

/// What a mapping unit shows: which write, from 0, and whether a bit of it is flipped.
type LyingUnit = Option<(usize, bool)>;

impl WrittenBlocks<'_> {
    /// What every mapping unit shows.
    fn shown(&self, truth: &GroundTruth) -> Vec<LyingUnit> {
        let mut units = vec![None; usize::try_from(self.count).expect("small") * self.units];
        let unit = |sector: Sector| usize::try_from(sector.get() / UNIT_SECTORS).expect("small");
        for (number, place) in self.places.iter().enumerate() {
            let own = usize::try_from(*place).expect("small") * self.units;
            let own = own..own + self.units;
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
                    // Beyond the blocks it does no harm to them.
                    if let Some(other) = units.get_mut(landed..landed + self.units) {
                        other.fill(Some((number, false)));
                    }
                }
            }
        }
        units
    }

    /// The fault of every block that has one, by what its units show.
    pub fn faults(&self, truth: &GroundTruth) -> BTreeMap<u64, Fault> {
        let units = self.shown(truth);
        let of_block = |(place, block): (u64, &[LyingUnit])| {
            let last = self.places.iter().rposition(|written| *written == place)?;
            let is_right = |unit: &LyingUnit| unit.is_some_and(|(number, _)| number == last);
            let fault = match () {
                () if block.iter().flatten().any(|(number, _)| self.places[*number] != place) => {
                    Fault::Misplaced
                }
                () if block.iter().all(is_right) => {
                    block.iter().flatten().any(|(_, is_flipped)| *is_flipped).then_some(Fault::Flipped)?
                }
                () if block.iter().any(is_right) => Fault::Torn,
                () if block.iter().any(Option::is_some) => Fault::Stale,
                () => Fault::Missing,
            };
            Some((place, fault))
        };
        (0..).zip(units.chunks(self.units)).filter_map(of_block).collect()
    }

    /// The faults that a verification has found, by their blocks.
    pub fn found(&self, verification: &Verification) -> BTreeMap<u64, Fault> {
        let place = |sector: Sector| sector.get() / UNIT_SECTORS / self.units as u64;
        verification.reports.iter().map(|report| (place(report.block), report.fault)).collect()
    }
}

/// How often each kind of fault was met.
pub type Seen = BTreeMap<Fault, u64>;

/// Whether every kind that lies alone can leave was met more than a hundred times: no power cut took what was not flushed.
pub fn are_all_seen(seen: &Seen) -> bool {
    let mut possible = Fault::ALL.iter().filter(|fault| **fault != Fault::Unflushed);
    possible.all(|fault| seen.get(fault).is_some_and(|count| *count > 100))
}
