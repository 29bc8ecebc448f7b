//! From the I/Os of a trace to the steps of its replay.

use drivelab_block::{Extent, Nanos, Op, TracedIo};

use super::choice::{Chooser, RequestChoice};
use super::links::{AnswerNote, Linked, Links};
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
    After(AnswerNote, Nanos),
}

/// One request of a replay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReplayStep {
    pub when: When,
    pub op: Op,
    pub extent: Extent,
    /// Where its answer is to be noted, where others wait for it.
    pub note: Option<AnswerNote>,
}

/// How steps are timed.
#[derive(Clone, Debug)]
pub enum Clocking {
    Scheduled(Timetable),
    Linked(Timetable, super::Speed, Links),
    Unpaced,
}

impl Clocking {
    /// When the next request may be made, and where its answer is to be noted.
    #[inline]
    fn when(&mut self, io: &TracedIo) -> (When, Option<AnswerNote>) {
        match self {
            Clocking::Scheduled(table) => (When::At(table.next(io)), None),
            Clocking::Linked(table, speed, links) => {
                let cut_before = table.idle_cut();
                let due = table.next(io);
                let Linked { after, note } = links.next(io, table.idle_cut(), cut_before);
                let think = |think: Nanos| Nanos::new(speed.scaled(think.get()));
                (after.map_or(When::At(due), |(after, gap)| When::After(after, think(gap))), note)
            }
            Clocking::Unpaced => (When::Free, None),
        }
    }
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
    pub fn step(&mut self, io: &TracedIo) -> Result<ReplayStep, RequestChoice> {
        match self.chooser.judge(io) {
            RequestChoice::Taken => {}
            other => return Err(other),
        }
        let (extent, is_wider) = self.mapping.place(io);
        self.widened += u64::from(is_wider);
        let (when, note) = self.clocking.when(io);
        Ok(ReplayStep { when, op: io.op, extent, note })
    }
}

#[cfg(test)]
mod tests {
    use drivelab_block::{Instant, Sector, SectorCount};

    use super::super::Speed;
    use super::*;

    #[test]
    fn idle_time_that_is_cut_is_cut_for_all_that_wait_for_the_same_answer() {
        let io = |at_ms: u64| {
            let issued_at = Instant::from_nanos(at_ms * 1_000_000);
            let extent = Extent { start: Sector::new(0), length: SectorCount::new(8) };
            TracedIo { service: Some(Nanos::from_millis(5)), ..TracedIo::new(issued_at, Op::Read, extent) }
        };
        let table = Timetable::new(Speed::ONE, Some(Nanos::from_secs(1)));
        let mut clocking = Clocking::Linked(table, Speed::ONE, Links::default());
        let whens: Vec<When> = [0, 100_000, 100_001, 100_002].map(|at| clocking.when(&io(at)).0).to_vec();
        let thinks = whens.iter().filter_map(|when| match when {
            When::After(note, think) => Some((note.number, think.get() / 1_000_000)),
            _ => None,
        });
        assert_eq!(thinks.collect::<Vec<_>>(), [(0, 1_000), (0, 1_001), (0, 1_002)]);
    }
}
