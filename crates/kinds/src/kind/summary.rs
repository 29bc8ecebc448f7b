//! Figures of the rate of every second and of latencies.

use drivelab_stats::{Distribution, FEW_BEYOND, Mode, ROUNDS_NEEDED, RateDrift, is_lower_bound};
use drivelab_view::{Quantity, Value};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::MeasuredPhase;

/// The figures of a measured phase. The IOPS are those from `iops_from_s` to the end: the steady part where it was
/// reached, else the last 30 % (of a long run what follows second 1400); null where there is no whole second.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SummaryFindings {
    /// The second from which the IOPS are taken.
    pub iops_from_s: Option<u64>,
    /// What an open loop asked for; null in a closed loop.
    pub iops_asked: Option<f64>,
    /// Mean.
    pub iops_mean: Option<f64>,
    /// Sample standard deviation; null below two seconds.
    pub iops_standard_deviation: Option<f64>,
    /// The slowest second.
    pub iops_min: Option<f64>,
    /// The worst 1 % of the last 400 s, or of all seconds from `iops_from_s` on where those are fewer; null below two
    /// seconds.
    pub iops_p01: Option<f64>,
    /// How many seconds `iops_p01` is taken from.
    pub iops_p01_seconds: Option<u64>,
    /// The share of seconds below 10 % of the mean, 0 to 1.
    pub slow_seconds_share: Option<f64>,
    /// The median of the seconds.
    pub iops_median: Option<f64>,
    /// The share of seconds within 10 % of the median, 0 to 1.
    pub seconds_near_median_share: Option<f64>,
    /// The slower and the faster of two modes, where the seconds are of two kinds with hardly any between; null where they are
    /// not.
    pub modes: Option<[ModeFindings; 2]>,
    /// IOPS of the fresh drive; null where none were seen.
    pub iops_fresh: Option<f64>,
    /// When the fresh level ended, in seconds from the start of the phase; null where there was no cliff.
    pub cliff_at_s: Option<u64>,
    /// Bytes written until the cliff; null where there was none.
    pub cliff_bytes: Option<u64>,
    /// Whether and when steady state was found.
    pub steady_state: SteadyFindings,
    /// Service times of the whole phase, without those of flushes if there are others; null where no I/O succeeded.
    pub service_ns: Option<LatencyFindings>,
    /// Service times of the flushes among other I/Os; absent where there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flush_service_ns: Option<LatencyFindings>,
    /// Response times of the whole phase, from the schedule; null in a closed loop.
    pub response_ns: Option<LatencyFindings>,
    /// Whether figures of `response_ns` are lower bounds, those that its `at_least_from` tells: requests that were never sent,
    /// or not answered when they were given up, count with what they had waited.
    pub response_at_least: bool,
    /// The same of `service_ns`; absent where all of its figures are known.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub service_at_least: bool,
}

/// Seconds of one kind.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ModeFindings {
    /// The mean of their IOPS.
    pub iops_mean: f64,
    /// The median of their IOPS; absent in results of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub iops_median: Option<f64>,
    /// Their share of all seconds, 0 to 1.
    pub share: f64,
}

/// Whether and when steady state was found.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SteadyFindings {
    /// Whether it was.
    pub reached: bool,
    /// From which second; null where it was not.
    pub at_s: Option<u64>,
    /// Whole windows that were judged: with a cliff those that begin after it.
    pub windows: u64,
    /// Windows without which nothing can be said: with fewer, `reached` is false and means nothing.
    pub windows_needed: u64,
    /// The length of a window.
    pub window_s: u64,
    /// Whether the rate is the one that an open loop asked for: `reached` is false then and means nothing.
    pub as_asked: bool,
    /// How the rate drifts, where that is why steady state was not found: any five windows in a row are steady, and all of them
    /// together are not. Absent where it does not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drift: Option<RateDrift>,
}

/// A latency in nanoseconds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LatencyFindings {
    /// Mean, exact.
    pub mean: f64,
    /// Sample standard deviation, exact; 0 below two values.
    pub standard_deviation: f64,
    /// The median, within 0.4 %.
    pub p50: u64,
    /// The 99th percentile, within 0.4 %.
    pub p99: u64,
    /// The 99.9th percentile, within 0.4 %.
    pub p99_9: u64,
    /// The 99.99th percentile, within 0.4 %.
    pub p99_99: u64,
    /// The 99.999th percentile, within 0.4 %; absent where fewer than ten I/Os lie beyond it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p99_999: Option<u64>,
    /// The 99.9999th percentile, within 0.4 %; absent where fewer than ten I/Os lie beyond it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p99_9999: Option<u64>,
    /// The greatest value, exact.
    pub max: u64,
    /// The shortest value that is a lower bound, of an I/O that was given up or never sent, or in whose time the program stood
    /// still: so are the mean, the greatest value and each percentile that is not shorter. Absent where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_least_from: Option<u64>,
}

impl SummaryFindings {
    /// The figures of a measured phase; all of them null where figures are withheld.
    pub(super) fn from_measured(measured: &MeasuredPhase<'_>) -> SummaryFindings {
        let (steady, part) = (&measured.figures.steady, measured.figures.steady_part);
        let whole = |value: f64| (!measured.is_withheld && steady.seconds > 0).then_some(value);
        let if_rate = |value: f64| measured.has_rate().then_some(value);
        let of_mode = |mode: Mode| ModeFindings {
            iops_mean: mode.mean,
            iops_median: Some(mode.median),
            share: mode.share,
        };
        SummaryFindings {
            iops_from_s: measured.has_rate().then_some(part.from_s as u64),
            iops_asked: measured.figures.asked,
            iops_mean: whole(steady.mean),
            iops_standard_deviation: steady.stddev.and_then(whole),
            iops_min: whole(steady.min),
            iops_p01: steady.p01.and_then(whole),
            iops_p01_seconds: steady.p01.and_then(whole).map(|_| steady.p01_seconds as u64),
            slow_seconds_share: if_rate(steady.slow_share),
            iops_median: if_rate(steady.evenness.median),
            seconds_near_median_share: if_rate(steady.evenness.near_median_share),
            modes: steady.evenness.modes.filter(|_| measured.has_rate()).map(|modes| modes.map(of_mode)),
            iops_fresh: if_rate(measured.figures.fresh.iops).filter(|fresh| *fresh > 0.0),
            cliff_at_s: measured.cliff().map(|cliff| cliff.at_s as u64),
            cliff_bytes: measured.cliff().map(|cliff| cliff.written_bytes),
            steady_state: SteadyFindings {
                reached: part.reached,
                at_s: part.reached.then_some(part.from_s as u64),
                windows: part.rounds as u64,
                windows_needed: ROUNDS_NEEDED as u64,
                window_s: part.round_s as u64,
                as_asked: measured.kept_up(),
                drift: part.drift,
            },
            service_ns: LatencyFindings::from_distribution(&measured.service()),
            flush_service_ns: measured.flush_service().and_then(LatencyFindings::from_distribution),
            response_ns: measured.response().as_ref().and_then(LatencyFindings::from_distribution),
            response_at_least: measured.response().is_some_and(|times| times.shortest_bound.is_some()),
            service_at_least: measured.service().shortest_bound.is_some(),
        }
    }
}

impl LatencyFindings {
    /// The figures of a distribution; none where it is empty.
    pub fn from_distribution(distribution: &Distribution) -> Option<LatencyFindings> {
        let moments = distribution.moments();
        let rare = |q| distribution.quantile(q).filter(|_| distribution.tail_count(q) >= FEW_BEYOND);
        Some(LatencyFindings {
            mean: moments.mean()?,
            standard_deviation: moments.stddev().unwrap_or(0.0),
            p50: distribution.quantile(0.5)?,
            p99: distribution.quantile(0.99)?,
            p99_9: distribution.quantile(0.999)?,
            p99_99: distribution.quantile(0.9999)?,
            p99_999: rare(0.999_99),
            p99_9999: rare(0.999_999),
            max: moments.max()?,
            at_least_from: distribution.shortest_bound,
        })
    }

    /// Whether the mean and the greatest value are lower bounds.
    pub fn is_bound(&self) -> bool {
        self.at_least_from.is_some()
    }

    /// Whether one of these percentiles is a lower bound.
    pub fn is_percentile_bound(&self, nanos: u64) -> bool {
        self.at_least_from.is_some_and(|shortest| is_lower_bound(nanos, shortest))
    }

    /// The mean as it is shown.
    pub(crate) fn mean_value(&self) -> Value {
        Value::new(Quantity::Nanoseconds, self.mean).at_least_where(self.is_bound())
    }

    /// The greatest value as it is shown.
    pub(crate) fn max_value(&self) -> Value {
        Value::new(Quantity::Nanoseconds, self.max as f64).at_least_where(self.is_bound())
    }

    /// One of these percentiles as it is shown.
    pub(crate) fn percentile_value(&self, nanos: u64) -> Value {
        Value::new(Quantity::Nanoseconds, nanos as f64).at_least_where(self.is_percentile_bound(nanos))
    }
}

/// A figure of latencies, as it is shown.
pub(crate) type LatencyValue = fn(&LatencyFindings) -> Value;
