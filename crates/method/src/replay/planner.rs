//! From the I/Os of a trace to the steps of its replay.

use drivelab_block::{Extent, Nanos, Op, TracedIo};

use super::choice::{Chooser, Verdict};
use super::links::{Linked, Links, Note};
use super::mapping::Mapping;
use super::timetable::Timetable;

/// When a step may be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// As soon as there is room.
    Free,
    /// At this time from the start on.
    At(Nanos),
    /// This long after the answer that is noted there.
    After(Note, Nanos),
}

/// One request of a replay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    pub when: When,
    pub op: Op,
    pub extent: Extent,
    /// Where its answer is to be noted, where others wait for it.
    pub note: Option<Note>,
}

/// How steps are timed.
#[derive(Clone, Debug)]
pub enum Clocking {
    Scheduled(Timetable),
    Linked(Timetable, super::Speed, Links),
    Unpaced,
}

/// Makes steps.
#[derive(Clone, Debug)]
pub struct Planner {
    pub chooser: Chooser,
    pub mapping: Mapping,
    pub clocking: Clocking,
    /// Requests that were widened to whole blocks of the target.
    pub widened: u64,
}

impl Planner {
    /// The step of the next I/O; the verdict says why there is none.
    #[inline]
    pub fn step(&mut self, io: &TracedIo) -> Result<Step, Verdict> {
        match self.chooser.judge(io) {
            Verdict::Taken => {}
            other => return Err(other),
        }
        let (extent, is_wider) = self.mapping.place(io);
        self.widened += u64::from(is_wider);
        let (when, note) = match &mut self.clocking {
            Clocking::Scheduled(table) => (When::At(table.next(io).due), None),
            Clocking::Linked(table, speed, links) => {
                let (moment, Linked { after, note }) = (table.next(io), links.next(io));
                let think = |think: Nanos| Nanos::new(speed.scaled((think - moment.cut).get()));
                (after.map_or(When::At(moment.due), |(after, gap)| When::After(after, think(gap))), note)
            }
            Clocking::Unpaced => (When::Free, None),
        };
        Ok(Step { when, op: io.op, extent, note })
    }
}
