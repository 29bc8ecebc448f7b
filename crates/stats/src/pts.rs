//! Rounds of cells, as performance test specifications lay them out: what each cell came to in each round, and which rounds
//! count.

use drivelab_block::Nanos;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{PhaseAnalysis, ROUNDS_NEEDED, SteadyState, steady_state};

/// The figures of a measurement, or of several.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PtsSample {
    /// Successful I/Os a second.
    pub iops: f64,
    /// Decimal megabytes a second.
    pub mb_s: f64,
    /// The mean service time.
    pub mean_ns: f64,
    /// The median, within 1 %, as all percentiles.
    pub p50_ns: u64,
    /// The 99th percentile.
    pub p99_ns: u64,
    /// The 99.9th percentile.
    pub p99_9_ns: u64,
    /// The 99.99th percentile.
    pub p99_99_ns: u64,
    /// The longest.
    pub max_ns: u64,
}

impl PtsSample {
    /// What a phase that lasted so long came to.
    pub fn from_phase(phase: &PhaseAnalysis, lasted: Nanos) -> PtsSample {
        let seconds = lasted.as_secs_f64().max(1e-9);
        let service = phase.service();
        PtsSample {
            iops: phase.completed() as f64 / seconds,
            mb_s: phase.bytes().get() as f64 / seconds / 1e6,
            mean_ns: service.moments().mean().unwrap_or(0.0),
            p50_ns: service.quantile(0.5).unwrap_or(0),
            p99_ns: service.quantile(0.99).unwrap_or(0),
            p99_9_ns: service.quantile(0.999).unwrap_or(0),
            p99_99_ns: service.quantile(0.9999).unwrap_or(0),
            max_ns: service.moments().max().unwrap_or(0),
        }
    }
}

/// Cells measured over and over.
#[derive(Clone, Debug, PartialEq)]
pub struct CellTable {
    /// The cell by whose rate the state is judged.
    pub tracked: Option<usize>,
    /// What each cell came to, in the order in which it was measured.
    pub samples: Vec<Vec<PtsSample>>,
}

impl CellTable {
    /// Nothing measured yet.
    pub fn new(cells: usize, tracked: Option<usize>) -> CellTable {
        CellTable { tracked, samples: vec![Vec::new(); cells] }
    }

    /// Adds what a cell came to.
    ///
    /// # Panics
    /// Where there is no such cell.
    pub fn add(&mut self, cell: usize, sample: PtsSample) {
        self.samples[cell].push(sample);
    }

    /// Whether the five last samples of the tracked cell are steady by the rule of SNIA's Performance Test Specification.
    pub fn is_steady(&self) -> bool {
        let Some(tracked) = self.tracked else { return false };
        let rates: Vec<f64> = last(&self.samples[tracked]).iter().map(|sample| sample.mb_s).collect();
        matches!(steady_state(&rates), SteadyState::Reached { .. })
    }

    /// A cell over the samples that count, the last five where the state is judged (steady or not), else all: means of rates
    /// and mean times, the median of medians, the worst of higher percentiles and longest times. `None` where it was not
    /// measured.
    pub fn result(&self, cell: usize) -> Option<PtsSample> {
        let all = self.samples.get(cell)?.as_slice();
        let samples = if self.tracked.is_some() { last(all) } else { all };
        let mean = |of: fn(&PtsSample) -> f64| samples.iter().map(of).sum::<f64>() / samples.len() as f64;
        let most = |of: fn(&PtsSample) -> u64| samples.iter().map(of).max().unwrap_or(0);
        (!samples.is_empty()).then(|| PtsSample {
            iops: mean(|sample| sample.iops),
            mb_s: mean(|sample| sample.mb_s),
            mean_ns: mean(|sample| sample.mean_ns),
            p50_ns: middle(samples.iter().map(|sample| sample.p50_ns).collect()),
            p99_ns: most(|sample| sample.p99_ns),
            p99_9_ns: most(|sample| sample.p99_9_ns),
            p99_99_ns: most(|sample| sample.p99_99_ns),
            max_ns: most(|sample| sample.max_ns),
        })
    }
}

/// The median; the lower of the two in the middle.
fn middle(mut times: Vec<u64>) -> u64 {
    times.sort_unstable();
    times.get(times.len().saturating_sub(1) / 2).copied().unwrap_or(0)
}

/// The samples of the last five rounds, or all where there are fewer.
fn last(samples: &[PtsSample]) -> &[PtsSample] {
    &samples[samples.len().saturating_sub(ROUNDS_NEEDED)..]
}

#[cfg(test)]
mod tests {
    use drivelab_block::{Completion, Extent, Instant, Op, PhaseId, QueueId, Sector, SectorCount, Status};

    use super::*;
    use crate::LoopKind;

    fn sample(rate: f64, max_ns: u64) -> PtsSample {
        PtsSample { iops: rate, mb_s: rate, mean_ns: 1.0, max_ns, ..PtsSample::default() }
    }

    #[test]
    fn the_last_five_rounds_count_and_are_judged_by_the_tracked_cell() {
        let mut table = CellTable::new(2, Some(1));
        for (round, rate) in [9.0, 5.0, 1.0, 1.0, 1.0, 1.0].into_iter().enumerate() {
            assert!(!table.is_steady());
            table.add(0, sample(round as f64, 7));
            table.add(1, sample(rate, round as u64));
        }
        table.add(1, sample(1.1, 3));
        assert!(table.is_steady());
        let result = table.result(1).expect("measured");
        assert!((result.mb_s - 1.02).abs() < 1e-12);
        assert_eq!(result.max_ns, 5, "the worst of the rounds that count");
        assert!((table.result(0).expect("measured").iops - 3.0).abs() < 1e-12);
    }

    #[test]
    fn a_cell_has_the_rates_and_times_of_its_phase() {
        let mut phase = PhaseAnalysis::new(Instant::ORIGIN, LoopKind::Closed);
        for number in 1..=200u64 {
            let submitted_at = Instant::from_nanos(number * 1_000_000);
            phase.add(&Completion {
                intended_at: submitted_at,
                submitted_at,
                issued_at: None,
                completed_at: submitted_at + Nanos::new(number),
                extent: Extent { start: Sector::new(0), length: SectorCount::new(8) },
                status: Status::OK,
                queue: QueueId(0),
                op: Op::Read,
                phase: PhaseId(0),
            });
        }
        // Below 256 ns percentiles are exact: the ranks 100, 198, 200 and 200.
        let expected = PtsSample {
            iops: 100.0,
            mb_s: 0.4096,
            mean_ns: 100.5,
            p50_ns: 100,
            p99_ns: 198,
            p99_9_ns: 200,
            p99_99_ns: 200,
            max_ns: 200,
        };
        assert_eq!(PtsSample::from_phase(&phase, Nanos::from_secs(2)), expected);
    }

    #[test]
    fn medians_of_rounds_have_a_median_and_higher_percentiles_a_worst() {
        let mut table = CellTable::new(2, Some(1));
        for nanos in [50, 10, 40, 20] {
            let sample =
                PtsSample { p50_ns: nanos, p99_ns: nanos + 1, p99_9_ns: nanos + 2, ..sample(1.0, 9) };
            table.add(1, PtsSample { p99_99_ns: nanos + 3, ..sample });
        }
        let found = table.result(1).expect("measured");
        let worst = (found.p99_ns, found.p99_9_ns, found.p99_99_ns);
        assert_eq!((found.p50_ns, worst), (20, (51, 52, 53)), "the lower one of the middle two");
        let counts: Vec<usize> = table.samples.iter().map(Vec::len).collect();
        assert_eq!((table.tracked, counts), (Some(1), vec![0, 4]));
        table.add(1, sample(1.0, 9));
        assert_eq!(table.result(1).map(|found| found.p50_ns), Some(20));
    }

    #[test]
    fn without_a_tracked_cell_all_samples_count() {
        let mut table = CellTable::new(2, None);
        (0..8).for_each(|round| table.add(0, sample(f64::from(round), 1)));
        assert!(!table.is_steady() && table.tracked.is_none());
        assert_eq!(table.result(0).map(|result| result.mb_s), Some(3.5));
        assert_eq!(table.result(1), None);
    }
}
