//! What is asked of a replay, and what that means for a target.

use std::io;

use drivelab_block::{ByteCount, Geometry, Limits, Nanos, Op, OpSet, SECTOR_BYTES};
use drivelab_record::TracedReader;
use drivelab_stats::{LoopKind, Moments};
use drivelab_workload::PlanError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::asking::{AFTER_A_MOMENT, AT_ONCE, Answers, Replay, Rule};
use super::choice::{Choice, Chooser};
use super::feed::{TraceReading, feed};
use super::fill::{FillWhat, ReplayFill, WRITE};
use super::links::Links;
use super::mapping::{AddressMapping, Mapping};
use super::outstanding::Outstanding;
use super::planner::{Clocking, Planner};
use super::survey::{Survey, Surveyor};
use super::timetable::{Speed, Timetable};
use super::touched::Touched;
use crate::load::{BUFFER_BYTES_MAX, DEPTH_MAX};
use crate::{PhasePlan, StopRule};

/// In flight at most where requests have their times and nothing else was asked.
const DEPTH_TIMED: u64 = 1_024;
/// In flight where they have none.
const DEPTH_UNPACED: u32 = 32;
/// Memory for buffers that is taken without being asked for; less than this many requests would be no generous limit, and less
/// than the trace had in flight would hold requests back that it did not.
const BUFFERS_UNASKED: u64 = 256 << 20;
const DEPTH_LEAST: u64 = 64;
/// The longest read or write.
const TRANSFER_MAX: u64 = 1 << 30;
/// The least granule of a map, in sectors: what is aligned to a page stays so.
const GRANULE_LEAST: u64 = 8;
/// The phase of a run that is the replay itself.
pub const REPLAY_PHASE: &str = "replay";

// Dependent requests come as long after the answer of the request whose completion was the latest one there before they were
// issued; what the trace issued before its first completion keeps its time. Unpaced ones keep their order: a request that
// overlaps another in flight waits for it, and all behind it do, where one of the two is a write or a discard.
/// When the requests of a replay are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReplayTiming {
    /// At the trace's own times, whatever the drive does.
    Recorded,
    /// As long after an answer as in the trace.
    Dependent,
    /// With a fixed number in flight.
    Unpaced,
}

/// What is asked of a replay.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReplayPlan {
    /// Which requests.
    pub choice: Choice,
    /// When.
    pub timing: ReplayTiming,
    /// How much faster than the trace.
    pub speed: Speed,
    /// What longer idle spans of the trace are cut to, in the trace's own time.
    pub max_idle: Option<Nanos>,
    /// Where.
    pub map: AddressMapping,
    /// Requests in flight at most.
    pub depth_limit: Option<u32>,
    /// What is written before.
    pub fill: Option<FillWhat>,
}

/// A replay that suits its target.
#[derive(Clone, Debug)]
pub struct ReadyReplay {
    /// The replay itself.
    pub phase: PhasePlan,
    /// What is written before.
    pub fill: Option<(PhasePlan, ReplayFill)>,
    /// What is moved in one piece, for a compact map: bytes of a granule, and of everything touched.
    pub moved: Option<(u64, u64)>,
    planner: Planner,
    rule: Rule,
}

impl ReadyReplay {
    /// Starts to read the trace. A workload that `waits` makes the drive wait for its reader: a simulated one, whose
    /// time does not pass meanwhile.
    ///
    /// # Errors
    /// Where the thread that reads cannot be started.
    pub fn start(self, reader: impl Into<TracedReader>, waits: bool) -> io::Result<(Replay, TraceReading)> {
        let (feed, reading) = feed(reader.into(), self.planner, waits)?;
        let lead = if waits { AT_ONCE } else { AFTER_A_MOMENT };
        Ok((Replay::new(feed, self.rule, lead), reading))
    }
}

impl ReplayPlan {
    /// Reads the trace for the first time, in bounded memory. `geometry` is what is known of the target; what
    /// does not fit there ends the reading. `keep_going` is asked every few thousand I/Os, with what is known
    /// by then.
    ///
    /// # Errors
    /// The message names what mends it.
    pub fn survey(
        &self,
        reader: impl Into<TracedReader>,
        geometry: Option<&Geometry>,
        keep_going: &mut dyn FnMut(&Survey) -> bool,
    ) -> Result<Survey, PlanError> {
        self.depth(0, 0)?;
        let blocks = geometry.map_or(0, |geometry| geometry.logical_block.max(geometry.physical_block));
        let granule = (u64::from(blocks) / SECTOR_BYTES).max(GRANULE_LEAST).next_power_of_two();
        let surveyor = Surveyor {
            chooser: Chooser::new(self.choice),
            timetable: self.timetable(),
            links: (self.timing == ReplayTiming::Dependent).then(Links::default),
            touched: Touched::new(granule),
            looks_at_places: self.map == AddressMapping::Compact || self.fill == Some(FillWhat::Touched),
        };
        surveyor.read(reader.into(), &mut |survey| {
            check_longest(survey)?;
            if let (AddressMapping::Identity, Some(geometry)) = (self.map, geometry) {
                check_places(survey, geometry)?;
            }
            Ok(keep_going(survey))
        })
    }

    /// Whether the replay, or what comes before it, changes what the target holds.
    pub fn writes(&self, survey: &Survey) -> bool {
        self.fill.is_some() || survey.ops().is_destructive()
    }

    /// Checks the plan against a target.
    ///
    /// # Errors
    /// The message names what mends it.
    pub fn ready(&self, survey: &Survey, geometry: &Geometry) -> Result<ReadyReplay, PlanError> {
        self.check_trace(survey)?;
        let block = u64::from(geometry.logical_block) / SECTOR_BYTES;
        let mapping = self.mapping(survey, geometry, block)?;
        let max_transfer = transfer(survey, block);
        // 0 where the trace does not know nearly all durations.
        let in_flight = survey.asked.queue_depth().and_then(Moments::max).unwrap_or(0);
        let depth = self.depth(max_transfer, in_flight)?;
        let (clocking, rule) = match self.timing {
            ReplayTiming::Recorded => (Clocking::Scheduled(self.timetable()), Rule::Schedule),
            ReplayTiming::Dependent => (
                Clocking::Linked(self.timetable(), self.speed, Links::default()),
                Rule::Answers(Answers::new(survey.slots, depth)),
            ),
            ReplayTiming::Unpaced => (Clocking::Unpaced, Rule::Overlaps(Outstanding::with_capacity(depth))),
        };
        let granule = survey.touched.granule * SECTOR_BYTES;
        Ok(ReadyReplay {
            phase: PhasePlan {
                name: REPLAY_PHASE.to_owned(),
                // Whoever waits for answers asks nothing while the drive stalls.
                loop_kind: if self.timing == ReplayTiming::Recorded {
                    LoopKind::Open
                } else {
                    LoopKind::Closed
                },
                limits: Limits {
                    queue_depth: depth,
                    max_transfer: ByteCount::new(max_transfer),
                    ops: survey.ops(),
                },
                stop: StopRule::default(),
            },
            fill: self
                .fill
                .map(|what| fill_phase(ReplayFill::new(what, self.map, &survey.touched, geometry))),
            moved: (self.map == AddressMapping::Compact)
                .then(|| (granule, survey.touched.sectors() * SECTOR_BYTES)),
            planner: Planner { chooser: Chooser::new(self.choice), mapping, clocking, widened: 0 },
            rule,
        })
    }

    fn timetable(&self) -> Timetable {
        Timetable::new(self.speed, self.max_idle)
    }

    fn check_trace(&self, survey: &Survey) -> Result<(), PlanError> {
        if survey.asked.requests() == 0 {
            let left_out = survey.left_out.writes + survey.left_out.discards > 0;
            return refuse(match survey.faults.first() {
                Some(fault) => format!("the trace has no request to replay that can be read: {fault}"),
                None if left_out => {
                    "the trace has no request to replay but what --no-writes and --no-discards leave out: \
                                     leave those away"
                        .to_owned()
                }
                None if self.choice.device.is_some() => {
                    "the trace has no request to replay: name another device with --trace-device".to_owned()
                }
                None => "the trace has no request to replay".to_owned(),
            });
        }
        if self.timing == ReplayTiming::Dependent && survey.with_durations == 0 {
            return refuse(
                "--timing dependent waits as long after an answer as the trace did, and this trace does not say when \
                 requests were complete: use --timing recorded or unpaced",
            );
        }
        check_longest(survey)
    }

    fn mapping(&self, survey: &Survey, geometry: &Geometry, block: u64) -> Result<Mapping, PlanError> {
        match self.map {
            AddressMapping::Identity => check_places(survey, geometry).map(|()| Mapping::identity(block)),
            AddressMapping::Compact if !survey.touched.granule.is_multiple_of(block.max(1)) => {
                refuse(format!(
                    "the target's blocks of {} bytes are larger than this map can place: use --map identity",
                    geometry.logical_block
                ))
            }
            AddressMapping::Compact => {
                let capacity = geometry.capacity;
                let touched = ByteCount::new(survey.touched.sectors().saturating_mul(SECTOR_BYTES));
                if touched > capacity {
                    let more = ByteCount::new(touched.get() - capacity.get());
                    return refuse(format!(
                        "the trace touches {touched}, {more} more than the target of {capacity} has: name a larger target, \
                         or replay less of it (--duration, --trace-device)"
                    ));
                }
                Ok(Mapping::compact(block, &survey.touched))
            }
        }
    }

    /// In flight at most, for requests of up to `max_transfer` bytes; the trace had `in_flight` at most.
    fn depth(&self, max_transfer: u64, in_flight: u64) -> Result<u32, PlanError> {
        let longest = max_transfer.max(4096);
        let unasked = match self.timing {
            ReplayTiming::Unpaced => DEPTH_UNPACED,
            ReplayTiming::Recorded | ReplayTiming::Dependent => {
                let fits = (BUFFERS_UNASKED / longest).clamp(DEPTH_LEAST, DEPTH_TIMED);
                let fits = fits.max(in_flight).min(u64::from(DEPTH_MAX));
                u32::try_from(fits.min(BUFFER_BYTES_MAX / longest)).unwrap_or(DEPTH_UNPACED)
            }
        };
        let depth = self.depth_limit.unwrap_or(unasked);
        if !(1..=DEPTH_MAX).contains(&depth) {
            return refuse(format!("--queue-depth {depth} is not between 1 and {DEPTH_MAX}"));
        }
        let buffers = u64::from(depth).saturating_mul(longest);
        if buffers > BUFFER_BYTES_MAX {
            let buffers = ByteCount::new(buffers);
            return refuse(format!(
                "--queue-depth x the longest request of the trace is {buffers}, over 16 GiB of buffers: use a lower limit"
            ));
        }
        Ok(depth)
    }
}

/// Refuses what cannot keep its own addresses on a target.
fn check_places(survey: &Survey, geometry: &Geometry) -> Result<(), PlanError> {
    let devices = survey.devices.len();
    if devices > 1 {
        return refuse(format!(
            "the trace has requests to {devices} devices, which would lie on top of each other: choose one with \
             --trace-device, or lay them one after the other with --map compact"
        ));
    }
    let (capacity, block) = (geometry.capacity, u64::from(geometry.logical_block) / SECTOR_BYTES);
    let end = survey.end.get().next_multiple_of(block.max(1)).saturating_mul(SECTOR_BYTES);
    let beyond = ByteCount::new(end.saturating_sub(capacity.get()));
    if beyond > ByteCount::new(0) {
        return refuse(format!(
            "the trace has a request that ends {beyond} beyond the end of the target of {capacity}: move together what it \
             touches with --map compact, or name a larger target"
        ));
    }
    Ok(())
}

fn check_longest(survey: &Survey) -> Result<(), PlanError> {
    let longest = survey.longest.bytes();
    if longest.get() > TRANSFER_MAX {
        return refuse(format!(
            "the trace has a request of {longest}, over the 1 GiB that one can hold: leave its part out (--duration, \
             --trace-device, --no-writes)"
        ));
    }
    Ok(())
}

fn refuse<T>(because: impl Into<String>) -> Result<T, PlanError> {
    Err(PlanError(because.into()))
}

/// Bytes of the longest read or write, widened to whole blocks.
fn transfer(survey: &Survey, block: u64) -> u64 {
    let longest = u64::from(survey.longest.get());
    let widened = if block > 1 && longest > 0 { longest.next_multiple_of(block) + block } else { longest };
    (widened * SECTOR_BYTES).min(TRANSFER_MAX)
}

fn fill_phase(fill: ReplayFill) -> (PhasePlan, ReplayFill) {
    let ops = OpSet::EMPTY.with(Op::Write);
    (PhasePlan::closed("fill", DEPTH_UNPACED, ByteCount::new(WRITE * SECTOR_BYTES), ops), fill)
}
