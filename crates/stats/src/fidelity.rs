//! How well a replay kept its schedule.

use drivelab_block::Completion;

use crate::Distribution;

/// One pass over the completions of a replay, in the order of their submission.
#[derive(Clone, Debug, Default)]
pub struct Fidelity {
    /// Submission minus due time, in nanoseconds.
    pub lateness: Distribution,
    line: RunningLine,
    /// The first and the last due time, and the first and the last submission.
    due: Option<(u64, u64)>,
    submitted: Option<(u64, u64)>,
    /// Requests that were submitted after one that was due later.
    pub inversions: u64,
}

impl Fidelity {
    /// Takes the next completion.
    pub fn add(&mut self, completion: &Completion) {
        let (due, submitted) = (completion.intended_at.as_nanos(), completion.submitted_at.as_nanos());
        let (first, latest) = *self.due.get_or_insert((due, due));
        self.inversions += u64::from(due < latest);
        self.due = Some((first.min(due), latest.max(due)));
        let (first, latest) = *self.submitted.get_or_insert((submitted, submitted));
        self.submitted = Some((first.min(submitted), latest.max(submitted)));
        let late = submitted.saturating_sub(due);
        self.lateness.add(late);
        self.line.add((due.saturating_sub(self.due.map_or(0, |(first, _)| first))) as f64, late as f64);
    }

    /// How much longer the replay's submissions take than was asked, in millionths: the slope of the line of least
    /// squares through lateness over due time. A single request that is late at the end does not move it, as it would
    /// the last submission. `None` where all requests were due at once.
    pub fn drift_ppm(&self) -> Option<f64> {
        self.line.slope().map(|slope| slope * 1e6)
    }

    /// From the first submission to the last, in nanoseconds.
    pub fn span(&self) -> u64 {
        self.submitted.map_or(0, |(first, last)| last - first)
    }
}

/// The line of least squares, by running means (Welford 1962): sums of squares of weeks in nanoseconds would lose what
/// is looked for.
#[derive(Clone, Copy, Debug, Default)]
struct RunningLine {
    count: f64,
    mean_x: f64,
    mean_y: f64,
    squares: f64,
    products: f64,
}

impl RunningLine {
    fn add(&mut self, x: f64, y: f64) {
        self.count += 1.0;
        let from_mean = x - self.mean_x;
        self.mean_x += from_mean / self.count;
        self.mean_y += (y - self.mean_y) / self.count;
        self.squares += from_mean * (x - self.mean_x);
        self.products += from_mean * (y - self.mean_y);
    }

    fn slope(&self) -> Option<f64> {
        (self.squares > 0.0).then(|| self.products / self.squares)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use drivelab_block::{Extent, Instant, Op, PhaseId, QueueId, Status};

    fn sent(due: u64, at: u64) -> Completion {
        Completion {
            intended_at: Instant::from_nanos(due),
            submitted_at: Instant::from_nanos(at),
            issued_at: None,
            completed_at: Instant::from_nanos(at + 1_000),
            extent: Extent::default(),
            status: Status::OK,
            queue: QueueId(0),
            op: Op::Read,
            phase: PhaseId(0),
        }
    }

    #[test]
    fn a_clock_that_runs_slow_is_told_from_one_late_request() {
        let start = 1_000_000_000_000;
        let mut slow = Fidelity::default();
        let mut late = Fidelity::default();
        for number in 0..1_000u64 {
            let due = number * 1_000_000;
            slow.add(&sent(start + due, start + due + due / 10_000));
            late.add(&sent(start + due, start + due + if number == 999 { 40_000 } else { 2_000 }));
        }
        assert!(slow.drift_ppm().is_some_and(|ppm| (ppm - 100.0).abs() < 1e-6), "{:?}", slow.drift_ppm());
        assert!(late.drift_ppm().is_some_and(|ppm| ppm < 0.5), "{:?}", late.drift_ppm());
        assert!(late.lateness.quantile(0.5).is_some_and(|late| late.abs_diff(2_000) <= 20), "within 1 %");
        assert_eq!(slow.span(), 999_099_900);
        assert_eq!(slow.inversions, 0);
    }

    #[test]
    fn a_request_behind_one_that_was_due_later_is_an_inversion() {
        let mut fidelity = Fidelity::default();
        for (due, at) in [(10, 10), (30, 31), (20, 32), (30, 33)] {
            fidelity.add(&sent(due, at));
        }
        assert_eq!(fidelity.inversions, 1);
        assert_eq!(Fidelity::default().drift_ppm(), None);
    }
}
