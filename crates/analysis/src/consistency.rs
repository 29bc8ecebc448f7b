//! The figures of a consistency run: how even the IOPS of every second are.

use drivelab_block::Nanos;

use crate::{Fresh, PhaseAnalysis, ROUNDS_NEEDED, SteadyState, steady_state};

/// Where the steady part begins when steady state was not found: 1400 s into the classic 2000 s run.
const CUSTOMARY_START_S: usize = 1400;
/// The same for shorter runs, as a share of the run.
const CUSTOMARY_START_SHARE: f64 = 0.7;
/// The worst 1 % is taken over the last seconds, as the customary graph does.
const WORST_WINDOW_S: usize = 400;
/// A second below this share of the mean counts as slow.
const SLOW_SHARE: f64 = 0.1;

/// Which seconds the steady figures are taken from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SteadyPart {
    /// The first second of the steady part.
    pub from_s: usize,
    /// Whether steady state was found; where not, `from_s` is 1400 s, or 70 % of a shorter run.
    pub reached: bool,
    /// How many whole rounds there were.
    pub rounds: usize,
    /// How long each was, in seconds.
    pub round_s: usize,
}

impl SteadyPart {
    /// Whether there are too few rounds to say whether the run was steady.
    pub fn is_too_short(&self) -> bool {
        self.rounds < ROUNDS_NEEDED
    }
}

/// The IOPS of every second of some part of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RateFigures {
    /// Seconds looked at.
    pub seconds: usize,
    /// Mean.
    pub mean: f64,
    /// Sample standard deviation; 0 below two seconds.
    pub stddev: f64,
    /// The slowest second.
    pub min: f64,
    /// The fastest second.
    pub max: f64,
    /// The worst 1 % (nearest-rank first percentile) of the last `p01_seconds`.
    pub p01: f64,
    /// The last 400 s of the part, or all of a shorter one.
    pub p01_seconds: usize,
    /// The share of seconds below 10 % of the mean, 0 to 1.
    pub slow_share: f64,
}

/// What a consistency run comes to.
#[derive(Clone, Debug, PartialEq)]
pub struct ConsistencyFigures {
    /// The drive before its spare area is used up, and where that ended.
    pub fresh: Fresh,
    /// Which seconds `steady` is taken from.
    pub steady_part: SteadyPart,
    /// The rate in the steady part.
    pub steady: RateFigures,
}

impl ConsistencyFigures {
    /// The figures of a phase that lasted `lasted`, judged in rounds of `round_s` seconds (at least 1).
    ///
    /// Reads and writes count together; seconds in which the drive stood still count as zero.
    pub fn of(phase: &PhaseAnalysis, lasted: Nanos, round_s: usize) -> ConsistencyFigures {
        let bins = phase.series().whole_seconds(lasted);
        let iops: Vec<f64> = bins.iter().map(|bin| f64::from(bin.reads + bin.writes)).collect();
        let steady_part = steady_part(&iops, round_s.max(1));
        ConsistencyFigures {
            fresh: Fresh::of(&bins, &iops),
            steady_part,
            steady: rate_figures(&iops[steady_part.from_s.min(iops.len())..]),
        }
    }
}

fn steady_part(iops: &[f64], round_s: usize) -> SteadyPart {
    let rounds: Vec<f64> =
        iops.chunks_exact(round_s).map(|round| round.iter().sum::<f64>() / round_s as f64).collect();
    let (from_s, reached) = match steady_state(&rounds) {
        SteadyState::Reached { first_round } => (first_round * round_s, true),
        SteadyState::NotReached => (customary_start(iops.len()), false),
    };
    SteadyPart { from_s, reached, rounds: rounds.len(), round_s }
}

fn customary_start(seconds: usize) -> usize {
    if seconds > CUSTOMARY_START_S + WORST_WINDOW_S / 2 {
        return CUSTOMARY_START_S;
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of a count")]
    let start = (seconds as f64 * CUSTOMARY_START_SHARE) as usize;
    start
}

fn rate_figures(iops: &[f64]) -> RateFigures {
    if iops.is_empty() {
        return RateFigures::default();
    }
    let n = iops.len() as f64;
    let mean = iops.iter().sum::<f64>() / n;
    let squares = iops.iter().map(|rate| (rate - mean).powi(2)).sum::<f64>();
    let p01_seconds = iops.len().min(WORST_WINDOW_S);
    let slow = iops.iter().filter(|rate| **rate < mean * SLOW_SHARE).count();
    RateFigures {
        seconds: iops.len(),
        mean,
        stddev: if iops.len() < 2 { 0.0 } else { (squares / (n - 1.0)).sqrt() },
        min: iops.iter().copied().fold(f64::INFINITY, f64::min),
        max: iops.iter().copied().fold(0.0, f64::max),
        p01: first_percentile(&iops[iops.len() - p01_seconds..]),
        p01_seconds,
        slow_share: slow as f64 / n,
    }
}

fn first_percentile(iops: &[f64]) -> f64 {
    let mut sorted = iops.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    sorted[sorted.len().div_ceil(100) - 1]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Cliff, LoopKind};
    use drivelab_block::{Completion, Extent, Instant, Op, PhaseId, QueueId, Sector, SectorCount, Status};

    fn write_at(at: Instant) -> Completion {
        Completion {
            intended_at: at,
            submitted_at: at,
            issued_at: None,
            completed_at: at,
            extent: Extent { start: Sector::new(0), length: SectorCount::new(8) },
            status: Status::OK,
            queue: QueueId(0),
            op: Op::Write,
            phase: PhaseId(0),
        }
    }

    fn phase_with(rates: &[u64]) -> PhaseAnalysis {
        let mut phase = PhaseAnalysis::new(Instant::ORIGIN, LoopKind::Closed);
        for (second, rate) in (0u64..).zip(rates) {
            for step in 0..*rate {
                phase.add(&write_at(Instant::from_nanos(second * 1_000_000_000 + step * 1_000)));
            }
        }
        phase
    }

    #[test]
    fn a_cliff_is_found_with_the_bytes_written_before_it() {
        let mut rates = vec![1_000u64; 100];
        rates.extend(vec![100; 400]);
        let figures = ConsistencyFigures::of(&phase_with(&rates), Nanos::from_secs(500), 20);
        assert_eq!(figures.fresh.cliff, Some(Cliff { at_s: 100, written_bytes: 100 * 1_000 * 4_096 }));
        assert_eq!(figures.steady_part, SteadyPart { from_s: 100, reached: true, rounds: 25, round_s: 20 });
        assert!((figures.steady.mean - 100.0).abs() < 1e-9);
    }

    #[test]
    fn one_slow_second_is_no_cliff() {
        let mut rates = vec![1_000u64; 100];
        rates[50] = 0;
        let figures = ConsistencyFigures::of(&phase_with(&rates), Nanos::from_secs(100), 10);
        assert_eq!(figures.fresh.cliff, None);
        assert!((figures.steady.min - 0.0).abs() < 1e-9);
    }

    #[test]
    fn a_drive_that_stops_answering_has_seconds_of_zero() {
        let figures = ConsistencyFigures::of(&phase_with(&[10, 10]), Nanos::from_secs(10), 1);
        assert_eq!(figures.steady_part, SteadyPart { from_s: 7, reached: false, rounds: 10, round_s: 1 });
        assert!(figures.steady.mean.abs() < 1e-9);
    }

    #[test]
    fn four_rounds_are_too_few_to_judge_and_five_are_enough() {
        let part = |seconds: u64| {
            let phase = phase_with(&vec![10; usize::try_from(seconds).expect("a few")]);
            ConsistencyFigures::of(&phase, Nanos::from_secs(seconds), 10).steady_part
        };
        assert!(part(49).is_too_short() && !part(49).reached);
        assert!(!part(50).is_too_short() && part(50).reached);
    }

    #[test]
    fn a_run_of_less_than_a_second_has_no_figures_and_no_panic() {
        let figures = ConsistencyFigures::of(&phase_with(&[3]), Nanos::from_millis(300), 60);
        assert_eq!(figures.steady.seconds, 0);
    }
}
