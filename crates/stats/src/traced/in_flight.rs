//! How many I/Os are in flight.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::Moments;

/// As many I/Os in flight as no system has: a trace with more has times that say nothing of the order, such as one second for
/// millions of its rows.
const MOST: usize = 1 << 20;

/// The I/Os in flight at each issue, in the order of their issue.
#[derive(Clone, Debug, Default)]
pub struct InFlightCounts {
    /// When each completes, the next one first.
    completions: BinaryHeap<Reverse<u64>>,
    depth: Moments,
    /// How many I/Os were taken.
    pub known: u64,
    gave_up: bool,
}

impl InFlightCounts {
    /// Takes an I/O by its issue and its completion, in nanoseconds.
    pub fn add(&mut self, issued: u64, completed: u64) {
        self.known += 1;
        if self.gave_up {
            return;
        }
        while self.completions.peek().is_some_and(|Reverse(next)| *next <= issued) {
            self.completions.pop();
        }
        if self.completions.len() == MOST {
            (self.gave_up, self.completions) = (true, BinaryHeap::new());
            return;
        }
        self.completions.push(Reverse(completed));
        self.depth.add(self.completions.len() as u64);
    }

    /// How many are in flight since the last issue, that one included; none once that was above 2^20.
    pub fn now(&self) -> Option<u64> {
        (!self.gave_up).then_some(self.completions.len() as u64)
    }

    /// How many were in flight when one was issued, that one included; none where that was ever above 2^20.
    pub fn depth(&self) -> Option<&Moments> {
        (!self.gave_up).then_some(&self.depth)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_than_any_system_has_in_flight_is_not_known() {
        let mut in_flight = InFlightCounts::default();
        for number in 0..MOST as u64 {
            in_flight.add(7, 8 + number);
        }
        assert_eq!(in_flight.now(), Some(MOST as u64));
        assert_eq!(in_flight.depth().and_then(Moments::max), Some(MOST as u64));
        in_flight.add(7, 9);
        assert_eq!((in_flight.now(), in_flight.depth().is_none()), (None, true));
        in_flight.add(1 << 40, 1 << 41);
        assert_eq!((in_flight.now(), in_flight.known), (None, MOST as u64 + 2));
    }
}
