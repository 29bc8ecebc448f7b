//! The simulated drive: what a request does, how long that takes, and a clock that only jumps.

mod engine;
mod mechanism;
mod power;
mod readings;

use std::collections::VecDeque;
use std::fmt;

use drivelab_block::{ByteCount, Completion, Extent, Geometry, Instant, Op, Request, SECTOR_BYTES, Status};

use crate::defect::{Defects, FalseCapacity, IO_ERROR};
use crate::energy::joules;
use crate::fault::{Faults, Stored};
use crate::flash::FlashDrive;
use crate::ftl::Tag;
use crate::heat::DriveHeat;
use crate::profile::{EnergyParameters, HealthParameters, Profile, TrimModel, UNIT_BYTES};
use crate::resting::Resting;
use crate::span::UnitSpan;
use crate::stall::{Delays, Freezes};
use crate::truth::{Counts, GroundTruth, PowerCut};
use mechanism::StorageMechanism;
use readings::WatchReadings;

/// `EINVAL`: the extent is empty or not aligned to the logical block.
const INVALID: i32 = 22;
/// `EOPNOTSUPP`: the drive does not have the command.
const NOT_SUPPORTED: i32 = 95;
/// The least time in which any command is answered, a refusal and a flush of nothing too: without it a closed
/// loop of them would never see time pass.
const ANSWER_NANOS: u64 = 1_000;

/// Looks at what reads bring back from a simulated drive.
pub trait ReadObserver: Send + fmt::Debug {
    /// Takes what each mapping unit that `request` touches shows, in order.
    fn read(&mut self, request: &Request, units: &[Stored]);
}

/// A simulated drive. Its clock starts at zero and moves only in [`Engine::reap`]; the same profile, seed and
/// requests give the same completions, to the nanosecond.
#[derive(Debug)]
pub struct SimDrive {
    mechanism: StorageMechanism,
    geometry: Geometry,
    trim: TrimModel,
    delays: Delays,
    freezes: Freezes,
    faults: Faults,
    /// What fails; none of a drive that fails nothing.
    defects: Option<Box<Defects>>,
    /// Where data are, of a drive that has not the capacity that it announces.
    capacity: Option<FalseCapacity>,
    /// Whether each request is looked at before it is served: power states, defects, a hang.
    is_examined: bool,
    witness: Option<Box<dyn ReadObserver>>,
    now: u64,
    depth: usize,
    /// What was asked and is not yet handed out, in the order of completion.
    in_flight: VecDeque<Completion>,
    /// Write commands so far: the number of a write is the tag of its contents.
    writes: Tag,
    discards: u64,
    cuts: Vec<PowerCut>,
    /// Whether it is known what a power cut takes.
    has_power_cuts: bool,
    /// Whether a write has nothing to be noted before it: no lies, and no contents that power cuts may take.
    is_plain: bool,
    resting: Option<Resting>,
    energy: EnergyParameters,
    health: HealthParameters,
    readings: WatchReadings,
}

impl SimDrive {
    /// A fresh drive that keeps no contents.
    pub fn new(profile: &Profile, seed: u64) -> SimDrive {
        SimDrive::build(profile, seed, false)
    }

    /// A fresh drive that keeps a tag for each mapping unit, eight bytes a unit of raw flash or of the disk.
    pub fn with_contents(profile: &Profile, seed: u64) -> SimDrive {
        SimDrive::build(profile, seed, true)
    }

    /// The same of a drive whose power can be cut ([`SimDrive::cut_power`]): what a cut would take is noted for each write, which
    /// costs as much as the rest of a write.
    pub fn with_power_cuts(profile: &Profile, seed: u64) -> SimDrive {
        let mut drive = SimDrive::build(profile, seed, true);
        if let Some(flash) = drive.mechanism.flash_mut() {
            flash.expect_power_cuts(&profile.parameters.flash);
        }
        (drive.has_power_cuts, drive.is_plain) = (true, false);
        drive
    }

    fn build(profile: &Profile, seed: u64, with_contents: bool) -> SimDrive {
        let parameters = &profile.parameters;
        let capacity = FalseCapacity::new(&parameters.faults, units_of(profile));
        let units = capacity.map_or_else(|| units_of(profile), |capacity| capacity.units);
        let faults = Faults::new(&parameters.faults, units, seed);
        let resting = Resting::new(&parameters.power_states, parameters.energy.idle_power);
        let defects = Defects::new(&parameters.faults);
        SimDrive {
            trim: if profile.takes_discards() { parameters.flash.trim } else { TrimModel::Absent },
            mechanism: StorageMechanism::new(profile, seed, with_contents),
            geometry: profile.geometry(),
            delays: Delays::new(&parameters.stalls, seed),
            freezes: Freezes::new(&parameters.stalls),
            is_plain: faults.is_honest() && capacity.is_none(),
            is_examined: resting.is_some() || defects.is_some() || parameters.stalls.hang_at > 0,
            faults,
            defects,
            capacity,
            cuts: Vec::new(),
            has_power_cuts: false,
            resting,
            witness: None,
            now: 0,
            depth: 1,
            in_flight: VecDeque::with_capacity(1),
            writes: 0,
            discards: 0,
            energy: parameters.energy,
            health: parameters.health,
            readings: WatchReadings::new(DriveHeat::new(&parameters.thermal, parameters.energy.idle_power)),
        }
    }

    /// What a workload has to know.
    pub fn geometry(&self) -> Geometry {
        self.geometry
    }

    /// Whether it is flash, not a disk.
    pub fn has_flash(&self) -> bool {
        self.mechanism.flash().is_some()
    }

    /// What really happened since the drive was made: counts, and every stall.
    pub fn ground_truth(&mut self) -> GroundTruth {
        let lifetime = self.lifetime();
        GroundTruth {
            lifetime,
            delays: self.delays.happened.clone(),
            faults: self.faults.happened.clone(),
            freezes: self.freezes.begun(self.now),
            keeps: self.capacity.map(|capacity| ByteCount::new(capacity.keeps())),
            failed_ios: self.defects.as_ref().map_or(0, |defects| defects.failed),
            mapped_units: self.mechanism.flash_mut().map_or(0, |flash| flash.ftl.mapped()),
            energy: joules(&self.energy, &lifetime, self.now, self.saved_until(self.now)),
            power_cuts: self.cuts.clone(),
            slc_cache: self.mechanism.flash().and_then(FlashDrive::slc_cache),
            thermal: self.thermal(),
        }
    }

    fn lifetime(&self) -> Counts {
        Counts { discards: self.discards, ..self.mechanism.counts() }
    }

    /// The tag of a mapping unit's true contents: the number of the write command that made them, counted from 1.
    /// `None` where it was never written or was discarded, or where contents are not kept.
    pub fn contents(&mut self, unit: u32) -> Option<Tag> {
        self.mechanism.load(unit)
    }

    /// What each mapping unit shows to a read: its contents, or what an injected fault made of them.
    fn shown(&mut self, span: UnitSpan) -> Vec<Stored> {
        let shown = |unit: u32| {
            let place = self.capacity.map_or(Some(unit), |capacity| capacity.shown(unit));
            let Some(unit) = place else { return Stored::Nothing };
            let stored = self.contents(unit).map_or(Stored::Nothing, Stored::Write);
            self.faults.seen(unit, stored)
        };
        span.units().map(shown).collect()
    }

    /// Shows what every read brings back to a witness. The drive has to be one with contents.
    pub fn show_to(&mut self, witness: Box<dyn ReadObserver>) {
        self.witness = Some(witness);
    }

    /// Looks through the maps and counts of the translation layer; slow.
    ///
    /// # Errors
    /// The first invariant that does not hold, in words.
    pub fn check_invariants(&mut self) -> Result<(), String> {
        self.mechanism.flash_mut().map_or(Ok(()), |flash| flash.ftl.check())
    }

    #[inline]
    fn refusal(&self, request: &Request) -> Option<i32> {
        let extent = request.extent;
        if request.op == Op::Flush {
            return None;
        }
        let (start, end) = (extent.start.get(), extent.end().get());
        if request.op == Op::Discard && self.trim == TrimModel::Absent {
            return Some(NOT_SUPPORTED);
        }
        let block = u64::from(self.geometry.logical_block) / SECTOR_BYTES;
        if start == end || (start | end) & (block - 1) != 0 {
            return Some(INVALID);
        }
        (end > self.geometry.capacity.whole_sectors()).then_some(IO_ERROR)
    }

    /// Does the work of the request; returns when it is complete.
    #[inline]
    fn serve(&mut self, request: &Request) -> (u64, Status) {
        let at = self.freezes.thawed(self.now);
        if self.is_examined {
            return self.serve_examined(at, request);
        }
        self.serve_at(at, request)
    }

    #[inline]
    fn serve_at(&mut self, at: u64, request: &Request) -> (u64, Status) {
        if let Some(errno) = self.refusal(request) {
            return (at + ANSWER_NANOS, Status::errno(errno));
        }
        let done = match request.op {
            Op::Write => self.write(at, request),
            Op::Read => self.read(at, request),
            Op::Discard => self.discard(at, request),
            Op::Flush => self.mechanism.flush(at),
        };
        (self.freezes.thawed(done.max(at + ANSWER_NANOS)), Status::OK)
    }

    #[inline]
    fn write(&mut self, at: u64, request: &Request) -> u64 {
        self.writes += 1;
        let due = self.delays.due(request.extent.length.bytes().get());
        if self.is_plain {
            let began = self.mechanism.controller().begin(at);
            let span = UnitSpan::touched(request.extent);
            let done = self.mechanism.write(at, request.extent.start.get(), span, self.writes);
            return self.delayed(began, due, done);
        }
        self.write_noted(at, request.extent, due)
    }

    /// When a write is done that began at `began` and that a delay may have met.
    #[inline]
    fn delayed(&mut self, began: u64, due: Option<u64>, done: u64) -> u64 {
        let Some(duration) = due else { return done };
        self.delays.happened(began, duration, self.writes);
        self.mechanism.hold_until(began + duration);
        done.max(began + duration)
    }

    /// Writes to a drive of which it is noted what a write may lose, or that lies.
    #[cold]
    fn write_noted(&mut self, at: u64, extent: Extent, due: Option<u64>) -> u64 {
        let (mut due, mut all_done) = (due, at);
        for piece in self.pieces(extent) {
            let began = self.mechanism.controller().begin(at);
            let span = UnitSpan::touched(piece);
            if let Some(flash) = self.mechanism.flash_mut() {
                flash.note_write(span, self.writes, self.now);
            }
            // Of a write that is a lie: what its units show until then.
            let lie = self.faults.due(self.writes).map(|kind| (kind, self.shown(span)));
            self.faults.renew(span);
            let done = self.mechanism.write(at, piece.start.get(), span, self.writes);
            let done = self.delayed(began, due.take(), done);
            if let Some(flash) = self.mechanism.flash_mut() {
                flash.note_answer(span.count, self.freezes.thawed(done));
            }
            if let Some((kind, before)) = lie {
                self.faults.tell(kind, self.writes, span, &before);
            }
            all_done = all_done.max(done);
        }
        all_done
    }

    fn read(&mut self, at: u64, request: &Request) -> u64 {
        let span = UnitSpan::touched(request.extent);
        if let Some(mut witness) = self.witness.take() {
            witness.read(request, &self.shown(span));
            self.witness = Some(witness);
        }
        if self.capacity.is_some() {
            return self.read_pieces(at, request.extent);
        }
        self.mechanism.read(at, request.extent.start.get(), span)
    }

    fn discard(&mut self, at: u64, request: &Request) -> u64 {
        self.discards += 1;
        if self.capacity.is_none() {
            return self.discard_piece(at, request.extent);
        }
        let pieces = self.pieces(request.extent);
        pieces.into_iter().map(|piece| self.discard_piece(at, piece)).max().unwrap_or(at)
    }

    fn discard_piece(&mut self, at: u64, extent: Extent) -> u64 {
        let (first, count) = match self.trim {
            TrimModel::Honoured => UnitSpan::covered(extent),
            TrimModel::Ignored | TrimModel::Absent => (0, 0),
        };
        self.faults.renew(UnitSpan { first, count, ..UnitSpan::touched(extent) });
        self.mechanism.discard(at, first, count)
    }

    /// Serves a request that the drive begins with at `at`, where the drive rests, fails, hangs or is not as large as it seems;
    /// returns when it is answered and how: at `u64::MAX` where it never is.
    fn serve_examined(&mut self, at: u64, request: &Request) -> (u64, Status) {
        if at == u64::MAX {
            self.writes += u64::from(request.op == Op::Write);
            return self.unless_cut_off(at, Status::OK);
        }
        if let Some(errno) = self.defects.as_mut().and_then(|defects| defects.refusal(at, request)) {
            // The number of a write is that of the host, which counts those that fail.
            self.writes += u64::from(request.op == Op::Write);
            return (self.freezes.thawed(at + ANSWER_NANOS), Status::errno(errno));
        }
        let (answered_at, status) =
            if self.resting.is_some() { self.serve_rested(at, request) } else { self.serve_at(at, request) };
        self.unless_cut_off(answered_at, status)
    }

    /// What a request gets that would be answered so, on a drive that may go away before that.
    fn unless_cut_off(&mut self, answered_at: u64, status: Status) -> (u64, Status) {
        let cut_off = self.defects.as_mut().and_then(|defects| defects.cut_off(answered_at));
        let errno = |(at, errno): (u64, i32)| (at.max(self.now + ANSWER_NANOS), Status::errno(errno));
        cut_off.map_or((answered_at, status), errno)
    }

    /// Where an extent really lies, in its order: itself, or pieces of a drive that is not as large as it seems.
    fn pieces(&self, extent: Extent) -> Vec<Extent> {
        self.capacity.map_or_else(|| vec![extent], |capacity| capacity.pieces(extent))
    }

    /// Reads an extent of a drive that is not as large as it seems.
    #[cold]
    fn read_pieces(&mut self, at: u64, extent: Extent) -> u64 {
        let mut done = at;
        for piece in self.pieces(extent) {
            done = done.max(self.mechanism.read(at, piece.start.get(), UnitSpan::touched(piece)));
        }
        done
    }

    /// Queues a completion in the order of time, behind those of the same time. Nearly always that is the end.
    ///
    /// The completion is made where it goes: one that is made first and copied then is read back from memory before its
    /// small fields have got there, which costs more than all the rest of this.
    #[inline]
    fn enqueue(&mut self, done: Instant, completion: impl FnOnce() -> Completion) {
        if self.in_flight.back().is_none_or(|last| last.completed_at <= done) {
            self.in_flight.push_back(completion());
        } else {
            let place = self.in_flight.partition_point(|other| other.completed_at <= done);
            self.in_flight.insert(place, completion());
        }
    }
}

/// The capacity that drives of a profile really have, if what is written behind it goes to the address modulo it; none if they
/// have what they announce.
pub fn wraps_at(profile: &Profile) -> Option<ByteCount> {
    let announced = units_of(profile);
    let units = FalseCapacity::new(&profile.parameters.faults, announced)?.units;
    (units < announced).then_some(ByteCount::new(u64::from(units) * UNIT_BYTES))
}

/// The mapping units of a drive's user capacity.
fn units_of(profile: &Profile) -> u32 {
    u32::try_from(profile.user_capacity().get() / UNIT_BYTES).unwrap_or(u32::MAX)
}
