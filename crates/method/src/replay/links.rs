//! Which answer a request waited for, as far as a trace can tell.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use drivelab_block::{Nanos, TracedIo};

/// Where the answer to a request is noted: slots are used again, numbers are not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct AnswerNote {
    pub number: u64,
    pub slot: u32,
}

/// What a request has to do with others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Linked {
    /// The answer that it came after, and how long after, without idle time that is cut; none before the first answer.
    pub after: Option<(AnswerNote, Nanos)>,
    /// Where its own answer is noted, where that can be waited for.
    pub note: Option<AnswerNote>,
}

/// Finds, for each request, the latest completion of the trace that is not behind its issue.
///
/// What is kept is what the trace itself had in flight, and one completion more: a request has a slot from its issue
/// until a later completion takes its place as the latest one.
#[derive(Clone, Debug, Default)]
pub struct Links {
    in_flight: BinaryHeap<Reverse<(u64, AnswerNote)>>,
    /// When the latest completion was, and the idle time that was cut before it.
    latest: Option<(u64, AnswerNote, Nanos)>,
    free: Vec<u32>,
    /// How many slots were needed at most.
    pub slots: u32,
    count: u64,
}

impl Links {
    /// Takes the next request; `cut` is all idle time that was cut before it, `cut_earlier` that before the request before it.
    #[inline]
    pub fn next(&mut self, io: &TracedIo, cut: Nanos, cut_earlier: Nanos) -> Linked {
        let at = io.issued_at.as_nanos();
        while let Some(Reverse(done)) =
            self.in_flight.peek().copied().filter(|Reverse((done, _))| *done <= at)
        {
            self.in_flight.pop();
            // It lies between the two requests: what is cut right before this one comes after it.
            let before = self.latest.replace((done.0, done.1, cut_earlier));
            self.free.extend(before.map(|(_, note, _)| note.slot));
        }
        let after = self.latest.map(|(done, note, before)| (note, Nanos::new(at - done) - (cut - before)));
        let number = self.count;
        self.count += 1;
        let note = io.completed_at().map(|done| {
            let note = AnswerNote { number, slot: self.slot() };
            self.in_flight.push(Reverse((done.as_nanos(), note)));
            note
        });
        Linked { after, note }
    }

    fn slot(&mut self) -> u32 {
        self.free.pop().unwrap_or_else(|| {
            self.slots += 1;
            self.slots - 1
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use drivelab_block::{Extent, Instant, Op};
    use proptest::prelude::*;

    fn io(at: u64, service: u64) -> TracedIo {
        let io = TracedIo::new(Instant::from_nanos(at), Op::Read, Extent::default());
        TracedIo { service: Some(Nanos::new(service)), ..io }
    }

    proptest! {
        #[test]
        fn each_request_comes_after_the_latest_completion_before_it(
            steps in proptest::collection::vec((0u64..50, 0u64..200), 1..200),
        ) {
            let mut at = 0;
            let ios: Vec<TracedIo> = steps.iter().map(|(gap, service)| { at += gap; io(at, *service) }).collect();
            let mut links = Links::default();
            let mut holders = Vec::new();
            for (place, one) in ios.iter().enumerate() {
                let linked = links.next(one, Nanos::ZERO, Nanos::ZERO);
                let issued = one.issued_at.as_nanos();
                let done = |io: &TracedIo| io.completed_at().map_or(0, Instant::as_nanos);
                let latest = ios[..place].iter().map(done).filter(|done| *done <= issued).max();
                prop_assert_eq!(linked.after.map(|(_, think)| issued - think.get()), latest);
                if let Some((note, _)) = linked.after {
                    // The slot still belongs to the request that is meant.
                    prop_assert_eq!(holders[note.slot as usize], note.number);
                    let number = usize::try_from(note.number).expect("a place");
                    prop_assert_eq!(Some(done(&ios[number])), latest);
                }
                let note = linked.note.expect("durations are known");
                holders.resize(holders.len().max(note.slot as usize + 1), 0);
                holders[note.slot as usize] = note.number;
            }
            prop_assert!(links.slots as usize <= ios.len());
        }
    }
}
