//! What a format has to know of a trace before its first line.

use std::collections::HashSet;

use drivelab_block::{DeviceId, Nanos, TracedIo};
use drivelab_record::TracedReader;

/// I/Os between two notes of how far back later ones were asked for.
const STRETCH: u64 = 4096;

/// The first reading of a trace. Its size does not depend on what is in flight, only on the count of I/Os: 8 bytes
/// for each 4,096.
#[derive(Debug, Default)]
pub struct TraceSurvey {
    /// The devices that I/Os went to, in the order in which they first did.
    pub used: Vec<DeviceId>,
    /// The devices of which some wait before an issue is known.
    pub waiting: HashSet<DeviceId>,
    /// The issue of the first I/O.
    pub first: u64,
    /// How much earlier than the clock's start an I/O was asked for.
    pub headroom: u64,
    /// For each stretch, the earliest ask in it and, in the end, in all that follow.
    asks: Vec<u64>,
}

impl TraceSurvey {
    /// Reads all I/Os, or those up to where it is not to go on.
    pub fn read(mut reader: TracedReader, keep_going: &mut dyn FnMut() -> bool) -> TraceSurvey {
        let mut survey = TraceSurvey::default();
        let mut known = HashSet::new();
        let mut count = 0;
        while let Some(batch) = reader.next_batch().filter(|_| keep_going()) {
            for io in &batch {
                if count == 0 {
                    survey.first = io.issued_at.as_nanos();
                }
                if known.insert(io.device) {
                    survey.used.push(io.device);
                }
                survey.add(io, count);
                count += 1;
            }
        }
        let mut earliest = u64::MAX;
        for ask in survey.asks.iter_mut().rev() {
            earliest = earliest.min(*ask);
            *ask = earliest;
        }
        survey
    }

    #[inline]
    fn add(&mut self, io: &TracedIo, number: u64) {
        if let Some(wait) = io.queued_for {
            self.waiting.insert(io.device);
            self.headroom = self.headroom.max(wait.get().saturating_sub(io.issued_at.as_nanos()));
        }
        // Asks before the clock's start are at its start here: nothing is earlier than they are.
        let asked = io.asked_at().as_nanos();
        match self.asks.last_mut().filter(|_| !number.is_multiple_of(STRETCH)) {
            Some(earliest) => *earliest = asked.min(*earliest),
            None => self.asks.push(asked),
        }
    }

    /// The time before which none is asked for after the first `count` I/Os, where a stretch ends with them.
    #[inline]
    pub fn settled_after(&self, count: u64) -> Option<u64> {
        if !count.is_multiple_of(STRETCH) {
            return None;
        }
        self.asks.get(usize::try_from(count / STRETCH).ok()?).copied()
    }

    /// When an I/O was issued on a clock that no ask comes before.
    #[inline]
    pub fn issued(&self, io: &TracedIo) -> u64 {
        io.issued_at.as_nanos().saturating_add(self.headroom)
    }

    /// When it was asked for on that clock.
    #[inline]
    pub fn asked(&self, io: &TracedIo) -> u64 {
        self.issued(io).saturating_sub(io.queued_for.map_or(0, Nanos::get))
    }
}
