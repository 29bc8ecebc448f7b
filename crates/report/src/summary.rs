//! The figures of a run as a JSON document: also read back, where a run has lost some of its records since.

use drivelab_analysis::Distribution;
use serde::{Deserialize, Serialize};

/// The figures of a run. The IOPS are those from `iops_from_s` to the end: the steady part where it was
/// reached, else the last 30 % (of a long run what follows second 1400); `None` where there is no whole second.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SummaryDocument {
    /// The second from which the IOPS are taken.
    #[serde(default)]
    pub iops_from_s: Option<u64>,
    /// What an open loop asked for; `None` in a closed loop.
    #[serde(default)]
    pub iops_asked: Option<f64>,
    /// Mean.
    pub iops_mean: Option<f64>,
    /// Sample standard deviation; `None` below two seconds.
    pub iops_stddev: Option<f64>,
    /// The slowest second.
    pub iops_min: Option<f64>,
    /// The worst 1 % of the last 400 s, or of all seconds from `iops_from_s` on where those are fewer;
    /// `None` below two seconds.
    pub iops_p01: Option<f64>,
    /// Bytes written until the cliff; `None` where there was none.
    pub cliff_bytes: Option<u64>,
    /// Whether and when steady state was found.
    pub steady_state: SteadyDocument,
    /// Service times of the whole phase; `None` where no I/O ended well.
    pub service_ns: Option<LatencyDocument>,
}

/// Whether and when steady state was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SteadyDocument {
    /// Whether it was.
    pub reached: bool,
    /// From which second; `None` where it was not.
    pub at_s: Option<u64>,
    /// Whole rounds that were judged: with a cliff those that begin after it.
    #[serde(default)]
    pub rounds: u64,
    /// Rounds without which nothing can be said: with fewer, `reached` is false and means nothing.
    #[serde(default)]
    pub rounds_needed: u64,
    /// The length of a round.
    #[serde(default)]
    pub round_s: u64,
    /// Whether the rate is the one that an open loop asked for: `reached` is false then and means nothing.
    #[serde(default)]
    pub as_asked: bool,
}

/// A latency in nanoseconds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LatencyDocument {
    /// Mean, exact.
    pub mean: f64,
    /// Sample standard deviation, exact; 0 below two values.
    pub stddev: f64,
    /// The median, within 0.4 %.
    pub p50: u64,
    /// The 99th percentile, within 0.4 %.
    pub p99: u64,
    /// The 99.9th percentile, within 0.4 %.
    pub p99_9: u64,
    /// The 99.99th percentile, within 0.4 %.
    pub p99_99: u64,
    /// The greatest value, exact.
    pub max: u64,
}

impl LatencyDocument {
    /// The figures of a distribution; `None` where it is empty.
    pub fn of(distribution: &Distribution) -> Option<LatencyDocument> {
        let moments = distribution.moments();
        Some(LatencyDocument {
            mean: moments.mean()?,
            stddev: moments.stddev().unwrap_or(0.0),
            p50: distribution.quantile(0.5)?,
            p99: distribution.quantile(0.99)?,
            p99_9: distribution.quantile(0.999)?,
            p99_99: distribution.quantile(0.9999)?,
            max: moments.max()?,
        })
    }
}
