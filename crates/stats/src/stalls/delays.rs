//! Which writes stand out.

use crate::{Distribution, Moments, StreamWrites, whole};

/// How many times as long as the next shorter write the shortest delay has to take.
const GAP: f64 = 2.0;
/// How many times the median it has to take.
const OVER_MEDIAN: f64 = 3.0;
/// The largest share of writes that can stand out from the rest.
const SHARE_MAX: f64 = 0.05;
/// Fewer writes say nothing about what is usual.
const WRITES_MIN: usize = 20;

/// A delay: a write that stands out, or several that waited at the same time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Delay {
    /// The place of its last write among those of the stream, from 0.
    pub write: usize,
    /// The place of its longest write.
    pub longest: usize,
    /// Writes that waited for it; with several in flight more than one.
    pub writes: u64,
    /// When it was submitted, in nanoseconds from the start of the stream.
    pub at: u64,
    /// How long its longest write took, in nanoseconds.
    pub duration: u64,
    /// The first sector of that write.
    pub sector: u64,
    /// Bytes written from the end of the delay before to the end of this one; the first has none.
    pub bytes_since_previous: Option<u64>,
}

/// The writes of a stream, those that stand out told apart from the rest.
///
/// A write stands out where it lies above a gap of the completion times: the shortest write above the gap took at least
/// twice as long as the longest below it ([`GAP`]) and at least three times the median ([`OVER_MEDIAN`]), and at most 5 %
/// of the writes lie above it ([`SHARE_MAX`]). Of several such gaps the lowest counts. Fewer than 20 writes
/// ([`WRITES_MIN`]), and a distribution with a long tail but without a gap, have no delays. Writes that stand out and were
/// in flight at the same time are one delay. Pages, help and guide say this in the words of
/// the definition that the test of a stream has. Writes that a standstill of the program delayed are left out.
#[derive(Clone, Debug, Default)]
pub struct DelayFigures {
    /// Completion times of all judged writes.
    pub all: Distribution,
    /// Completion times of the writes that do not stand out.
    pub rest: Distribution,
    /// From when on a write stands out, in nanoseconds: the geometric middle of the gap; none where there is no gap.
    pub threshold: Option<u64>,
    /// The writes that stand out, in the order of completion.
    pub delays: Vec<Delay>,
    /// Completion times of the delays, in nanoseconds.
    pub durations: Moments,
    /// Bytes from one delay to the next.
    pub between: Moments,
}

impl DelayFigures {
    /// Tells the delays of a stream from the rest.
    pub fn from_stream(stream: &StreamWrites) -> DelayFigures {
        let mut sorted: Vec<u64> = stream.judged().map(|(_, write)| write.duration()).collect();
        sorted.sort_unstable();
        let threshold = gap(&sorted);
        let mut figures = DelayFigures { threshold, ..DelayFigures::default() };
        for (index, write) in stream.judged() {
            figures.all.add(write.duration());
            if threshold.is_some_and(|threshold| write.duration() >= threshold) {
                figures.add(index, write, stream.block_bytes);
            } else {
                figures.rest.add(write.duration());
            }
        }
        figures.delays.iter().for_each(|delay| figures.durations.add(delay.duration));
        figures
    }

    /// Writes that waited at the same time waited for one delay: the longest of them tells how long it was.
    fn join(&mut self, index: usize, write: &super::StreamWrite) -> bool {
        let Some(last) = self.delays.last_mut() else { return false };
        if write.submitted_at >= last.at + last.duration {
            return false;
        }
        if write.duration() > last.duration {
            (last.at, last.duration, last.sector) = (write.submitted_at, write.duration(), write.sector);
            last.longest = index;
        }
        last.write = index;
        last.writes += 1;
        true
    }

    fn add(&mut self, index: usize, write: &super::StreamWrite, block_bytes: u64) {
        if self.join(index, write) {
            return;
        }
        let previous = self.delays.last().map(|delay| delay.write);
        let bytes_since_previous = previous.map(|previous| (index - previous) as u64 * block_bytes);
        bytes_since_previous.into_iter().for_each(|bytes| self.between.add(bytes));
        self.delays.push(Delay {
            write: index,
            longest: index,
            writes: 1,
            at: write.submitted_at,
            duration: write.duration(),
            sector: write.sector,
            bytes_since_previous,
        });
    }
}

/// The geometric middle of the lowest gap of sorted times, in nanoseconds.
fn gap(sorted: &[u64]) -> Option<u64> {
    if sorted.len() < WRITES_MIN {
        return None;
    }
    let median = sorted[sorted.len() / 2] as f64;
    let share = whole(sorted.len() as f64 * SHARE_MAX);
    let tail = &sorted[sorted.len() - 1 - share.max(1)..];
    let pair = tail.windows(2).find(|pair| {
        let (below, above) = (pair[0] as f64, pair[1] as f64);
        above >= below * GAP && above >= median * OVER_MEDIAN
    })?;
    Some(whole((pair[0] as f64 * pair[1] as f64).sqrt()) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lowest_gap_parts_delays_from_the_rest() {
        let mut times: Vec<u64> = (0..1_000).map(|number| 10_000 + number).collect();
        assert_eq!(gap(&times), None);
        times.extend([113_000, 118_000, 804_000]);
        times.sort_unstable();
        let threshold = gap(&times).expect("a gap");
        assert!((11_000..113_000).contains(&threshold), "{threshold}");
    }

    /// The definition that help and guide give, at its limits.
    #[test]
    fn a_gap_is_as_wide_as_its_definition_says() {
        let of = |parts: &[(u64, usize)]| {
            gap(&parts.iter().flat_map(|(time, count)| vec![*time; *count]).collect::<Vec<u64>>())
        };
        // The whole part of sqrt(10 times 30).
        assert_eq!((of(&[(10, 19), (30, 1)]), of(&[(10, 18), (30, 1)])), (Some(17), None), "20 writes");
        assert_eq!(of(&[(1, 1), (10, 98), (29, 1)]), None, "less than three times the median");
        assert_eq!(
            (of(&[(10, 98), (20, 1), (40, 1)]), of(&[(10, 98), (20, 1), (39, 1)])),
            (Some(28), None),
            "twice"
        );
        assert_eq!(
            (of(&[(10, 95), (100, 5)]), of(&[(10, 94), (100, 6)])),
            (Some(31), None),
            "5 % of the writes"
        );
        assert_eq!(of(&[(10, 18), (100, 2)]), None, "two of 20");
        assert_eq!(of(&[(10, 97), (40, 2), (400, 1)]), Some(20), "the lowest of two");
    }

    #[test]
    fn a_long_tail_has_no_gap() {
        // Quantiles of an exponential distribution: the last is 1.11 times the one before.
        let quantile = |k: u32| std::time::Duration::from_secs_f64((1_000.0 / f64::from(k)).ln()).as_nanos();
        let times: Vec<u64> =
            (1..=1_000).rev().map(|k| u64::try_from(quantile(k)).expect("seconds")).collect();
        assert_eq!(gap(&times), None);
        assert_eq!(gap(&[5; 10]), None, "ten writes say nothing");
    }
}
