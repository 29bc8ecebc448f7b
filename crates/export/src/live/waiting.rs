//! The days of a recording that are not in the destination as they are, within a bound.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::rollup::{FileLife, PackedInterval};

use crate::layout::date;

/// A day that never reached the destination as a whole, since too much was waiting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DroppedDay {
    /// Its number since the beginning of 1970.
    pub day: u64,
    /// How many I/Os it counts; what was written of it before is in the destination.
    pub ios: u64,
}

impl DroppedDay {
    /// Its date in UTC, such as `2026-11-24`.
    pub fn date(&self) -> String {
        date(self.day)
    }
}

/// The last two days, and those before that were not written yet.
#[derive(Clone, Debug)]
pub struct WaitingDays {
    days: BTreeMap<u64, WaitingDay>,
    /// The most that all days but the last one take, in bytes.
    bound: usize,
    /// Days before this one are not held any more.
    first: u64,
}

#[derive(Clone, Debug, Default)]
struct WaitingDay {
    /// In the order in which they were closed.
    intervals: Vec<Arc<PackedInterval>>,
    bytes: usize,
    ios: u64,
    /// How many of the intervals were written, in the last file, and how.
    written: Option<(usize, FileLife)>,
    /// Whether it was over already when the bound was kept before, so that there was time to write its end.
    was_closed: bool,
}

/// A day as it is to be written.
#[derive(Clone, Debug)]
pub struct WaitingFile {
    pub day: u64,
    pub intervals: Vec<Arc<PackedInterval>>,
    pub ios: u64,
    pub life: FileLife,
}

impl WaitingDays {
    /// None yet; all but the last are to take at most `bound` bytes.
    pub fn new(bound: usize) -> WaitingDays {
        WaitingDays { days: BTreeMap::new(), bound, first: 0 }
    }

    /// Adds an interval. False where its day is not held any more.
    pub fn add(&mut self, day: u64, interval: PackedInterval) -> bool {
        if day < self.first {
            return false;
        }
        let waiting = self.days.entry(day).or_default();
        waiting.bytes += interval.bytes();
        waiting.ios = waiting.ios.saturating_add(interval.ios());
        waiting.intervals.push(Arc::new(interval));
        true
    }

    /// Forgets the days before the last two that were written, and drops the oldest of the others until the rest keeps the bound.
    /// A day that has just ended is held until the next call in any case, since its end has yet to be written.
    pub fn keep_bound(&mut self) -> Vec<DroppedDay> {
        let mut dropped = Vec::new();
        while self.days.len() > 1 {
            let held: usize = self.days.values().rev().skip(1).map(|day| day.bytes).sum();
            let Some((&day, oldest)) = self.days.first_key_value() else { break };
            let is_written = !oldest.is_behind(FileLife::Kept);
            let has_no_room = held > self.bound;
            let is_forgotten =
                (is_written && self.days.len() > 2) || (has_no_room && (is_written || oldest.was_closed));
            if !is_forgotten {
                break;
            }
            if !oldest.is_whole() {
                dropped.push(DroppedDay { day, ios: oldest.ios });
            }
            self.days.remove(&day);
            self.first = day + 1;
        }
        self.days.values_mut().rev().skip(1).for_each(|day| day.was_closed = true);
        dropped
    }

    /// The oldest day that is to be written. The last one is to be replaced, unless the recording has ended.
    pub fn next(&self, has_ended: bool) -> Option<WaitingFile> {
        let last = self.days.last_key_value().map(|(day, _)| *day);
        let life = |day: u64| {
            if Some(day) == last && !has_ended { FileLife::Replaced } else { FileLife::Kept }
        };
        let (day, waiting) = self.days.iter().find(|(day, waiting)| waiting.is_behind(life(**day)))?;
        Some(WaitingFile {
            day: *day,
            intervals: waiting.intervals.clone(),
            ios: waiting.ios,
            life: life(*day),
        })
    }

    pub fn written(&mut self, file: &WaitingFile) {
        if let Some(waiting) = self.days.get_mut(&file.day) {
            waiting.written = Some((file.intervals.len(), file.life));
        }
    }
}

impl WaitingDay {
    fn is_whole(&self) -> bool {
        self.written.is_some_and(|(intervals, _)| intervals == self.intervals.len())
    }

    /// Whether the destination lacks some of it, or has a file that was to be replaced where one is to be kept.
    fn is_behind(&self, life: FileLife) -> bool {
        let is_to_be_kept =
            self.written.is_some_and(|(_, written)| life == FileLife::Kept && written == FileLife::Replaced);
        !self.is_whole() || is_to_be_kept
    }
}

#[cfg(test)]
mod tests {
    use crate::rollup::{IoOutcome, RecentSums, RollupInterval};
    use drivelab_block::{ByteCount, Op};

    use super::*;

    fn interval() -> PackedInterval {
        let mut sums = RecentSums::default();
        let (first, bytes) = (RollupInterval::of_unix_nanos(0), ByteCount::new(4_096));
        sums.add(first, 0, Op::Read, bytes, IoOutcome::ServedWithoutTime);
        sums.close_all().remove(0)
    }

    fn numbers(days: &WaitingDays) -> Vec<u64> {
        days.days.keys().copied().collect()
    }

    fn write_all(days: &mut WaitingDays) {
        while let Some(file) = days.next(false) {
            days.written(&file);
        }
    }

    #[test]
    fn written_days_are_forgotten_but_the_last_two() {
        let mut days = WaitingDays::new(usize::MAX);
        for day in 10..14 {
            assert!(days.add(day, interval()));
            write_all(&mut days);
            assert_eq!(days.keep_bound(), []);
        }
        assert_eq!(numbers(&days), [12, 13]);
        assert!(!days.add(11, interval()), "its file would lack what was forgotten");
        assert!(days.add(12, interval()) && days.next(false).is_some_and(|file| file.day == 12));
    }

    #[test]
    fn the_oldest_days_go_that_were_never_written_and_never_the_last() {
        let bytes = interval().bytes();
        let mut days = WaitingDays::new(3 * bytes);
        for day in 0..3 {
            days.add(day, interval());
            days.add(day, interval());
        }
        assert_eq!(days.keep_bound(), [], "these days have just ended");
        assert_eq!(days.keep_bound(), [DroppedDay { day: 0, ios: 2 }]);
        assert_eq!(numbers(&days), [1, 2]);
        assert!(!days.add(0, interval()), "a part of a day would take the place of all of it");
        assert!((0..9).all(|_| days.add(2, interval())));
        assert_eq!(days.keep_bound(), [], "the last day is not bounded by this");
        days.add(3, interval());
        assert_eq!(days.keep_bound(), [DroppedDay { day: 1, ios: 2 }], "the second has just ended");
        assert_eq!(days.keep_bound(), [DroppedDay { day: 2, ios: 11 }]);
        assert_eq!(numbers(&days), [3]);
    }

    /// A day that takes more than the bound and was written so far.
    fn large_day() -> WaitingDays {
        let mut days = WaitingDays::new(interval().bytes());
        (0..4).for_each(|_| assert!(days.add(0, interval())));
        write_all(&mut days);
        days
    }

    #[test]
    fn a_day_larger_than_the_bound_is_kept_until_its_end_is_written() {
        let mut days = large_day();
        // A late part of it comes with the first interval of the next day.
        days.add(0, interval());
        days.add(1, interval());
        assert_eq!(days.keep_bound(), []);
        let file = days.next(false).expect("the first day, for good");
        assert_eq!((file.day, file.ios, file.life), (0, 5, FileLife::Kept));
        days.written(&file);
        assert_eq!(days.keep_bound(), []);
        assert_eq!(numbers(&days), [1], "what was written for good takes no room");
    }

    #[test]
    fn a_day_that_is_there_as_a_whole_is_forgotten_and_not_called_dropped() {
        let mut days = large_day();
        days.add(1, interval());
        assert_eq!(days.keep_bound(), [], "its last file is to be written");
        // The destination is away from here on.
        days.add(1, interval());
        assert_eq!(days.keep_bound(), []);
        assert_eq!(numbers(&days), [1]);
    }

    #[test]
    fn a_day_is_written_again_when_it_has_more_and_for_good_when_it_is_over() {
        let mut days = WaitingDays::new(usize::MAX);
        days.add(5, interval());
        let file = days.next(false).expect("a day");
        assert_eq!((file.intervals.len(), file.life), (1, FileLife::Replaced));
        days.add(5, interval());
        days.written(&file);
        let file = days.next(false).expect("what came while it was written");
        assert_eq!((file.intervals.len(), file.ios), (2, 2));
        days.written(&file);
        assert!(days.next(false).is_none());
        assert!(days.next(true).is_some_and(|file| file.life == FileLife::Kept));
        days.add(6, interval());
        let order = [days.next(false).expect("a day"), days.next(false).expect("a day")];
        assert_eq!(order.map(|file| (file.day, file.life)), [(5, FileLife::Kept); 2]);
    }
}
