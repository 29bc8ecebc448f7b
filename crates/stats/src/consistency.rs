//! The figures of a consistency run: how even the IOPS of every second are.

use drivelab_block::Nanos;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::steady::SteadyState;
use crate::{Bin, CLIFF_FALL, Evenness, Fresh, PhaseAnalysis, ROUNDS_NEEDED, steady_state, whole};

/// Where the steady part begins when steady state was not found: 1400 s into the classic 2000 s run.
const CUSTOMARY_START_S: usize = 1400;
/// The same for shorter runs, as a share of the run.
const CUSTOMARY_START_SHARE: f64 = 0.7;
/// The worst 1 % is taken over the last seconds, as the customary graph does.
const WORST_WINDOW_S: usize = 400;
/// A second below this share of the mean counts as slow.
const SLOW_SHARE: f64 = 0.1;
/// From so many I/Os a second on a schedule has some in each second, also where they come at random (all but one in 20,000).
const EACH_SECOND_MIN: f64 = 10.0;
/// An open loop that is short of what it asks for by no more than this share has kept up with its schedule ...
const SHORT_SHARE: f64 = 0.01;
/// ... as has one that is short by no more than one request, or by so many deviations of independent gaps.
const SHORT_DEVIATIONS: f64 = 3.0;

/// A rate that changes slowly. Rates are means of five windows in a row.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "DriftFindings")]
pub struct RateDrift {
    /// The second from which on it does.
    pub from_s: u64,
    /// The end of the last window.
    pub until_s: u64,
    /// IOPS in the first five.
    pub from_iops: f64,
    /// IOPS in the last five.
    pub to_iops: f64,
    /// The least of all.
    pub least_iops: f64,
    /// The greatest of all.
    pub most_iops: f64,
}

/// Which seconds the steady figures are taken from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SteadyPart {
    /// The first second of the steady part.
    pub from_s: usize,
    /// Whether steady state was found; where not, `from_s` is 1400 s, or 70 % of a shorter run, or the fall where that
    /// comes later. A rate that is the schedule's own is never said to be the drive's steady state.
    pub reached: bool,
    /// How the rate drifts, where that is why steady state was not found.
    pub drift: Option<RateDrift>,
    /// How many whole rounds there were to judge: with a cliff those that begin after it.
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
    /// Sample standard deviation; `None` below two seconds.
    pub stddev: Option<f64>,
    /// The slowest second.
    pub min: f64,
    /// The fastest second.
    pub max: f64,
    /// The worst 1 % (nearest-rank first percentile) of the last `p01_seconds`; `None` below two seconds.
    pub p01: Option<f64>,
    /// The last 400 s of the part, or all of a shorter one.
    pub p01_seconds: usize,
    /// The share of seconds below 10 % of the mean, 0 to 1.
    pub slow_share: f64,
    /// How even the seconds are.
    pub evenness: Evenness,
}

/// The rate of an open loop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AskedRate {
    /// I/Os a second.
    pub iops: f64,
    /// Whether gaps are independent (Poisson), so that a second has more or fewer requests by chance; else they are equal.
    pub is_random: bool,
}

impl AskedRate {
    /// Whether a loop that is short of its schedule by so many requests in so many seconds has kept up with it: but for 1 %,
    /// for the request that is due at either end, and for chance, it has all.
    fn allows(self, short: f64, seconds: f64) -> bool {
        let due = self.iops * seconds;
        let by_chance = if self.is_random { SHORT_DEVIATIONS * due.sqrt() } else { 1.0 };
        short <= by_chance.max(SHORT_SHARE * due)
    }
}

/// How a drive got on with the schedule of an open loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// It kept up: the rate is the one that was asked for, and says nothing of the drive.
    Kept,
    /// It has the rate that was asked for over the judged part, and yet did not keep up.
    FellBehind {
        /// The first second of the phase in which it answered nothing, where that is why; else requests were never sent, or
        /// failed.
        empty_second: Option<usize>,
    },
    /// It has less than the rate that was asked for.
    Below,
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
    /// I/Os a second that an open loop asked for; `None` in a closed loop.
    pub asked: Option<f64>,
    /// How the drive got on with that; `None` in a closed loop.
    pub pace: Option<Pace>,
}

impl ConsistencyFigures {
    /// The figures of a phase that lasted `lasted`, judged in rounds of `round_s` seconds (at least 1).
    ///
    /// I/Os of every kind count together; seconds in which the drive stood still count as zero, and those in which the program
    /// did not run do not count: where levels and rounds are looked for, such a second is like the one before it.
    pub fn from_phase(phase: &PhaseAnalysis, lasted: Nanos, round_s: usize) -> ConsistencyFigures {
        let (bins, judged) = phase.whole_seconds(lasted);
        let iops = filled(&bins, &judged);
        let fresh = Fresh::find(&bins, &iops, &served(&bins, &judged, &phase.answered_seconds(lasted)));
        let fallen_s = fresh.cliff.map_or(0, |cliff| cliff.end_s);
        let steady_part = steady_part(&iops, round_s.max(1), fallen_s);
        ConsistencyFigures {
            fresh,
            steady_part,
            steady: rate_figures(&rates(&bins, &judged, steady_part.from_s)),
            asked: None,
            pace: None,
        }
    }

    /// The figures of a replay over all of its seconds: its rate is its trace's, in which nothing is steady and nothing
    /// falls.
    pub fn of_replay(phase: &PhaseAnalysis, lasted: Nanos) -> ConsistencyFigures {
        let (bins, judged) = phase.whole_seconds(lasted);
        ConsistencyFigures {
            fresh: Fresh { iops: 0.0, cliff: None },
            steady_part: SteadyPart { from_s: 0, reached: false, drift: None, rounds: 0, round_s: 1 },
            steady: rate_figures(&rates(&bins, &judged, 0)),
            asked: None,
            pace: None,
        }
    }

    /// The same figures for an open loop; `phase` and `lasted` as before.
    ///
    /// It kept up where the judged part is short of the rate that was asked for by no more than 1 %, one request or
    /// chance, as few requests of the whole phase were never sent or failed, and no second passed without an answer: a drive
    /// that freezes and then catches up has the mean that was asked for. The rate is that of the schedule then: an even one
    /// is no steady state of the drive, and none is said to be reached.
    #[must_use]
    pub fn on_schedule(
        mut self,
        asked: AskedRate,
        phase: &PhaseAnalysis,
        lasted: Nanos,
    ) -> ConsistencyFigures {
        let seconds = self.steady.seconds as f64;
        // What is in flight at the end of a part is made up for by what was at its start, unless nothing was.
        let service = phase.service().moments().mean().filter(|_| self.steady_part.from_s == 0);
        let in_flight = asked.iops * service.unwrap_or(0.0) / 1e9;
        let short = (asked.iops - self.steady.mean) * seconds - in_flight;
        self.asked = Some(asked.iops);
        let has_all = |lacking: u64| asked.allows(lacking as f64, lasted.as_secs_f64());
        self.pace = Some(if seconds <= 0.0 || !asked.allows(short, seconds) {
            Pace::Below
        } else {
            let empty_second = empty_second(phase, lasted, service).filter(|_| asked.iops >= EACH_SECOND_MIN);
            let has_kept = empty_second.is_none() && has_all(phase.unsent()) && has_all(phase.failed());
            if has_kept { Pace::Kept } else { Pace::FellBehind { empty_second } }
        });
        self.steady_part.reached &= !self.kept_up();
        self.steady_part.drift = self.steady_part.drift.filter(|_| !self.kept_up());
        self
    }

    /// Whether the rate is the one that an open loop asked for: it says nothing of the drive then.
    pub fn kept_up(&self) -> bool {
        self.pace == Some(Pace::Kept)
    }
}

/// The first second of the drive in which nothing was completed. At the start nothing is for as long as an I/O takes, `service`
/// nanoseconds on average.
fn empty_second(phase: &PhaseAnalysis, lasted: Nanos, service: Option<f64>) -> Option<usize> {
    let (_, judged) = phase.whole_seconds(lasted);
    let until_first = whole((service.unwrap_or(0.0) / 1e9).ceil());
    let answered = phase.answered_seconds(lasted);
    let mut seconds = answered.iter().zip(judged).enumerate().skip(until_first);
    seconds.find(|(_, (is_answered, is_judged))| *is_judged && !**is_answered).map(|(second, _)| second)
}

/// The I/Os of every second; where the program did not run, those of the second before.
fn filled(bins: &[Bin], judged: &[bool]) -> Vec<f64> {
    let rate = |(bin, is_judged): (&Bin, &bool)| is_judged.then(|| f64::from(bin.ios()));
    let known: Vec<Option<f64>> = bins.iter().zip(judged).map(rate).collect();
    let mut last = known.iter().flatten().next().copied().unwrap_or(0.0);
    let mut fill = |rate: Option<f64>| {
        last = rate.unwrap_or(last);
        last
    };
    known.into_iter().map(&mut fill).collect()
}

/// Whether the drive did in each second what was asked: it answered something, and so few of it with an error that its rate has
/// not fallen by them as far as a cliff has. What is not known of the drive is not held against it.
fn served(bins: &[Bin], judged: &[bool], answered: &[bool]) -> Vec<bool> {
    let is_served = |((bin, is_judged), is_answered): ((&Bin, &bool), &bool)| {
        let all = f64::from(bin.ios()) + f64::from(bin.failed);
        !is_judged || (*is_answered && (all <= 0.0 || f64::from(bin.failed) < CLIFF_FALL * all))
    };
    bins.iter().zip(judged).zip(answered).map(is_served).collect()
}

/// The I/Os of the seconds from one on in which the program ran.
fn rates(bins: &[Bin], judged: &[bool], from_s: usize) -> Vec<f64> {
    let seconds = bins.iter().zip(judged).skip(from_s);
    seconds.filter(|(_, is_judged)| **is_judged).map(|(bin, _)| f64::from(bin.ios())).collect()
}

/// Judges the rounds that begin at `fallen_s` or later: a round in which the rate fell holds seconds of two
/// states, and its mean can be that of neither.
fn steady_part(iops: &[f64], round_s: usize, fallen_s: usize) -> SteadyPart {
    let left_out = fallen_s.div_ceil(round_s);
    // Steady is steady by shares of the mean, so sums do as well as means.
    let rounds: Vec<f64> =
        iops.chunks_exact(round_s).skip(left_out).map(|round| round.iter().sum()).collect();
    // What comes before the fall is no part of it, if there is anything behind.
    let behind = if fallen_s < iops.len() { fallen_s } else { 0 };
    let not_reached = SteadyPart {
        from_s: customary_start(iops.len()).max(behind),
        reached: false,
        drift: None,
        rounds: rounds.len(),
        round_s,
    };
    match steady_state(&rounds) {
        SteadyState::NotReached => not_reached,
        SteadyState::Reached { first_round } => {
            SteadyPart { from_s: (left_out + first_round) * round_s, reached: true, ..not_reached }
        }
        SteadyState::Drifting(drift) => {
            let iops = |round: f64| round / round_s as f64;
            let drift = RateDrift {
                from_s: ((left_out + drift.first_round) * round_s) as u64,
                until_s: ((left_out + rounds.len()) * round_s) as u64,
                from_iops: iops(drift.from),
                to_iops: iops(drift.to),
                least_iops: iops(drift.least),
                most_iops: iops(drift.most),
            };
            SteadyPart { drift: Some(drift), ..not_reached }
        }
    }
}

fn customary_start(seconds: usize) -> usize {
    if seconds > CUSTOMARY_START_S + WORST_WINDOW_S / 2 {
        return CUSTOMARY_START_S;
    }
    whole(seconds as f64 * CUSTOMARY_START_SHARE)
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
        stddev: (iops.len() > 1).then(|| (squares / (n - 1.0)).sqrt()),
        min: iops.iter().copied().fold(f64::INFINITY, f64::min),
        max: iops.iter().copied().fold(0.0, f64::max),
        p01: (iops.len() > 1).then(|| first_percentile(&iops[iops.len() - p01_seconds..])),
        p01_seconds,
        slow_share: slow as f64 / n,
        evenness: Evenness::from_rates(iops),
    }
}

fn first_percentile(iops: &[f64]) -> f64 {
    let mut sorted = iops.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    sorted[sorted.len().div_ceil(100) - 1]
}

#[cfg(test)]
mod tests;
