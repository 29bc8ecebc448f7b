//! A stream of writes and its long delays: whether a drive can record a stream, and with what buffer.

mod buffers;
mod document;
mod findings;
mod health;
mod terminal;

use drivelab_analysis::{Backlog, DelayFigures, DeviceTimes, StreamWrites};

pub use buffers::{BufferDocument, OverflowDocument};
pub(crate) use buffers::{Need, SIZES};
pub use document::{
    DelayDocument, InjectedFaultDocument, STALLS_SCHEMA, SpreadDocument, StallsComparisonDocument,
    StallsDocument, StallsSimulationDocument, WriteTimesDocument,
};
pub use findings::{
    DeviceRecordingDocument, FaultDocument, KernelLine, StallsFindings, VerificationDocument,
};
pub use health::{
    HealthAfterDelay, HealthFindings, HealthNotAsked, HealthOutcome, HealthReading, HealthSource,
    MovedCounters,
};
pub(crate) use terminal::{no_delay, precise_bytes, rest, verified};
pub use terminal::{stalls_terminal, verification_terminal};

use crate::energy::EnergyDocument;
use crate::records::Records;
use crate::run::{Drive, Ended, Notice, SimulationTruth};

/// What a delay is ([`DelayFigures`]), in the words of every page, of the help and of the guide to recorders.
pub const DELAY_DEFINITION: &str = "A write is a delay where it lies above a gap of the completion times: the shortest write \
    above the gap took at least twice as long as the longest below it and at least three times the median, and at most 5 % of \
    the writes lie above it. Of several such gaps the lowest counts.";

/// Shares of what a drive takes for which a buffer is computed.
const SHARES: [f64; 4] = [0.25, 0.5, 0.75, 0.9];

/// One stream, as reports show it.
#[derive(Clone, Debug)]
pub struct StallsReport<'a> {
    /// A short name that tells this run from others.
    pub label: String,
    /// What was written to, as the user named it.
    pub target: String,
    /// Which drive that is.
    pub drive: Drive,
    /// Bytes of a logical block: what an LBA counts.
    pub logical_block: u32,
    /// The seed of the run.
    pub seed: u64,
    /// The part of the drive that was written, in bytes: first and one past the last.
    pub range: (u64, u64),
    /// Writes in flight.
    pub queue_depth: u32,
    /// The rate that was asked for in bytes a second; none for full speed.
    pub rate_asked: Option<f64>,
    /// Rates of streams to compute the buffer for, in bytes a second, that were asked for.
    pub stream_rates: Vec<f64>,
    /// The rate of the slowest run of a comparison, in bytes a second: all are asked for shares of it.
    pub compared_by: Option<f64>,
    /// Every write.
    pub stream: &'a StreamWrites,
    /// Which of them stand out.
    pub figures: DelayFigures,
    /// What of each write's time was the device's, and what that spans (`D2C`, `Q2C`).
    pub device: Option<(DeviceTimes, String)>,
    /// What was found beside the writes' times.
    pub findings: StallsFindings,
    /// Under what conditions it ran.
    pub conditions: Vec<crate::condition::Condition>,
    /// What the reader has to know before believing the figures.
    pub notices: Vec<Notice>,
    /// What the writing took, by a meter.
    pub energy: Option<EnergyDocument>,
    /// What was kept of the completions.
    pub records: Records,
    /// How the run ended.
    pub ended: Ended,
    /// What a simulated drive knows of itself.
    pub simulation: Option<(SimulationTruth, Vec<InjectedFaultDocument>)>,
}

impl StallsReport<'_> {
    /// The rates of streams that a buffer is computed for, in bytes a second: those that were asked for; the run's own where
    /// it was paced; else shares of that, rounded to two digits.
    pub fn rates(&self) -> Vec<f64> {
        let own = self.compared_by.or(self.stream.rate()).unwrap_or(0.0);
        let mut rates: Vec<f64> = match self.rate_asked.filter(|_| self.compared_by.is_none()) {
            Some(rate) => vec![rate],
            None => SHARES.iter().map(|share| two_digits(own * share)).collect(),
        };
        rates.extend(&self.stream_rates);
        rates.retain(|rate| *rate > 0.0);
        rates.sort_by(f64::total_cmp);
        rates.dedup();
        rates
    }

    /// The backlogs of streams of these rates.
    pub fn backlogs(&self) -> Vec<Backlog> {
        self.rates().into_iter().map(|rate| Backlog::of(self.stream, rate)).collect()
    }

    /// Whether the run wrote as fast as a stream of this rate, in bytes a second: between its writes a slower one gave the drive
    /// rest, and nobody knows what it does without. A hundredth less is the last write's.
    pub fn reached(&self, rate: f64) -> bool {
        self.stream.rate().is_some_and(|own| own >= rate * 0.99)
    }

    /// Delays that come less often than every so many bytes may not have shown: with 95 % confidence their mean distance
    /// is over a third of what was written (the rule of three: of a Poisson process that was not seen, `exp(-3)` = 5 %).
    pub fn may_have_missed(&self) -> u64 {
        self.stream.bytes() / 3
    }
}

fn two_digits(value: f64) -> f64 {
    if value <= 0.0 {
        return 0.0;
    }
    let unit = 10f64.powf(value.log10().floor() - 1.0);
    (value / unit).round() * unit
}
