//! The workload of a replay: steps become asks when it is their time.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use drivelab_block::{Completion, Instant, Nanos};
use drivelab_workload::{Ask, Next, Workload};

use super::feed::{Fed, Feed};
use super::outstanding::{Outstanding, OutstandingRequest};
use super::planner::{ReplayStep, When};

/// When the first request is due, on a clock that waits: due at its very origin means no schedule at all.
pub const AT_ONCE: Nanos = Nanos::new(1);
/// When it is due on a clock that does not: the thread that asks has to be awake by then.
pub const AFTER_A_MOMENT: Nanos = Nanos::from_millis(50);

/// What a replay counts about itself.
#[derive(Debug, Default)]
pub struct ReplayCounts {
    late_steps: AtomicU64,
    held_back: AtomicU64,
}

impl ReplayCounts {
    /// How often the drive could have been asked and the trace's reader was late, however long each time.
    pub fn late_steps(&self) -> u64 {
        self.late_steps.load(Ordering::Relaxed)
    }

    /// Requests that waited for others in flight on the same sectors.
    pub fn held_back(&self) -> u64 {
        self.held_back.load(Ordering::Relaxed)
    }
}

/// What a step has to wait for besides its time.
#[derive(Clone, Debug)]
pub enum Rule {
    /// Nothing: the schedule is absolute.
    Schedule,
    /// The answer that it came after in the trace.
    Answers(Answers),
    /// Requests in flight on the same sectors.
    Overlaps(Outstanding),
}

/// When requests were answered, for those that come a while after.
#[derive(Clone, Debug)]
pub struct Answers {
    outstanding: Outstanding,
    /// The number of the request that a slot belongs to, and when it was answered.
    slots: Vec<(u64, Option<Nanos>)>,
    latest_due: Nanos,
}

impl Answers {
    /// For this many slots, with this many requests in flight.
    pub fn new(slots: u32, depth: u32) -> Answers {
        let slots = vec![(u64::MAX, None); slots as usize];
        Answers { outstanding: Outstanding::with_capacity(depth), slots, latest_due: Nanos::ZERO }
    }

    /// When a step is due, where the trace begins at `lead`; `None` before its answer is there. Never before the step
    /// before it: order is kept.
    fn due(&self, when: When, lead: Nanos) -> Option<Nanos> {
        let due = match when {
            When::Free => Nanos::ZERO,
            When::At(due) => due + lead,
            When::After(note, think) => match self.slots.get(note.slot as usize) {
                Some((number, answered)) if *number == note.number => (*answered)? + think,
                _ => Nanos::ZERO,
            },
        };
        Some(due.max(self.latest_due))
    }

    fn asked(&mut self, step: &ReplayStep, due: Nanos) {
        self.latest_due = due;
        if let Some(slot) = step.note.and_then(|note| self.slots.get_mut(note.slot as usize)) {
            *slot = (step.note.map_or(u64::MAX, |note| note.number), None);
        }
        let ReplayStep { op, extent, note, .. } = *step;
        self.outstanding.add(OutstandingRequest { op, extent, due: Some(due), note });
    }

    fn answered(&mut self, completion: &Completion, started_at: Instant) {
        let due = completion.intended_at.since(started_at);
        let asked = self.outstanding.take(completion.op, completion.extent, Some(due));
        let Some(note) = asked.and_then(|asked| asked.note) else { return };
        if let Some(slot) = self.slots.get_mut(note.slot as usize).filter(|slot| slot.0 == note.number) {
            slot.1 = Some(completion.completed_at.since(started_at));
        }
    }
}

/// A trace, asked again.
#[derive(Debug)]
pub struct Replay {
    feed: Feed,
    rule: Rule,
    /// A step whose time has not come.
    held: Option<ReplayStep>,
    /// When the trace begins, from the start of the phase on.
    lead: Nanos,
    counts: Arc<ReplayCounts>,
    /// Whether the reader was late when it was asked last.
    is_late: bool,
}

impl Replay {
    /// Asks what `feed` has by this rule, from `lead` after the start of the phase on.
    pub fn new(feed: Feed, rule: Rule, lead: Nanos) -> Replay {
        Replay { feed, rule, held: None, lead, counts: Arc::default(), is_late: false }
    }

    /// What it counts, to be looked at when it is done.
    pub fn counts(&self) -> Arc<ReplayCounts> {
        Arc::clone(&self.counts)
    }

    /// The due time of a step, none where it has no schedule; `Err` where it has to wait for an answer.
    fn settle(&mut self, step: &ReplayStep) -> Result<Option<Nanos>, ()> {
        match &mut self.rule {
            Rule::Schedule => match step.when {
                When::At(due) => Ok(Some(due + self.lead)),
                When::Free | When::After(..) => Ok(None),
            },
            Rule::Answers(answers) => {
                let due = answers.due(step.when, self.lead).ok_or(())?;
                answers.asked(step, due);
                Ok(Some(due))
            }
            Rule::Overlaps(outstanding) => {
                let ReplayStep { op, extent, .. } = *step;
                if outstanding.meets(op, extent) {
                    return Err(());
                }
                outstanding.add(OutstandingRequest { op, extent, due: None, note: None });
                Ok(None)
            }
        }
    }
}

impl Workload for Replay {
    #[inline]
    fn next_ask(&mut self) -> Next {
        let was_held = self.held.is_some();
        let step = match self.held.take() {
            Some(step) => step,
            None => match self.feed.next() {
                Fed::Step(step) => {
                    self.is_late = false;
                    step
                }
                Fed::Late => {
                    let begins = !std::mem::replace(&mut self.is_late, true);
                    self.counts.late_steps.fetch_add(u64::from(begins), Ordering::Relaxed);
                    return Next::Soon;
                }
                Fed::End => return Next::End,
            },
        };
        if let Ok(due) = self.settle(&step) {
            return Next::Ask(Ask { due, op: step.op, extent: step.extent });
        }
        let waits_for_others = matches!(self.rule, Rule::Overlaps(_)) && !was_held;
        self.counts.held_back.fetch_add(u64::from(waits_for_others), Ordering::Relaxed);
        self.held = Some(step);
        Next::AfterAnswer
    }

    #[inline]
    fn answered(&mut self, completions: &[Completion], started_at: Instant) {
        match &mut self.rule {
            Rule::Schedule => {}
            Rule::Answers(answers) => completions.iter().for_each(|done| answers.answered(done, started_at)),
            Rule::Overlaps(outstanding) => {
                for done in completions {
                    outstanding.take(done.op, done.extent, None);
                }
            }
        }
    }
}
