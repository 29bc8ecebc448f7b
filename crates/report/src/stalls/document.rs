//! A stream as other programs read it: `drivelab.stalls/1`.

use drivelab_analysis::{Delay, Distribution, Moments};
use serde::{Deserialize, Serialize};

use super::{BufferDocument, HealthAfterDelay, StallsFindings, StallsReport};
use crate::documents::{DriveDocument, InjectedDelayDocument, NoticeDocument};
use crate::energy::EnergyDocument;

/// The schema name of [`StallsDocument`].
pub const STALLS_SCHEMA: &str = "drivelab.stalls/1";

/// A stream of writes: `drivelab.stalls/1`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StallsDocument {
    /// `drivelab.stalls/1`.
    pub schema: String,
    /// A name that tells the run from others of a comparison.
    pub label: String,
    /// What was written to, as the user named it.
    pub target: String,
    /// Which drive that is.
    pub drive: DriveDocument,
    /// Bytes of a logical block, which an LBA counts.
    pub logical_block_bytes: u32,
    /// The seed of the run.
    pub seed: u64,
    /// Bytes of a write.
    pub block_bytes: u64,
    /// The part of the drive that was written: first byte and one past the last.
    pub range_bytes: [u64; 2],
    /// Writes in flight.
    pub queue_depth: u32,
    /// The rate that was asked for; none for full speed.
    pub rate_asked_mb_s: Option<f64>,
    /// Bytes that were written.
    pub written_bytes: u64,
    /// From the start of the stream to its last completion.
    pub duration_s: f64,
    /// Bytes written over that time.
    pub mb_s: Option<f64>,
    /// The share of that time in which a write was in flight: in the rest of it the drive had rest.
    #[serde(default)]
    pub busy_share: Option<f64>,
    /// Completion times of the writes that do not stand out.
    pub write_ns: Option<WriteTimesDocument>,
    /// Completion times of all writes.
    pub all_writes_ns: Option<WriteTimesDocument>,
    /// What of the writes' times was the device's: from its first request's issue to its last one's completion; none where it
    /// was not recorded.
    #[serde(default)]
    pub device_ns: Option<WriteTimesDocument>,
    /// What that spans: `D2C` from the issue to the device, `Q2C` from the request; none where it was not recorded.
    #[serde(default)]
    pub device_measured: Option<String>,
    /// From when on a write stands out; none where none does.
    pub delay_threshold_ns: Option<u64>,
    /// The writes that stand out.
    pub delays: Vec<DelayDocument>,
    /// Their completion times.
    pub delay_ns: Option<SpreadDocument>,
    /// Bytes from one delay to the next.
    pub bytes_between: Option<SpreadDocument>,
    /// Delays that come less often than this, in bytes, may not have shown (95 % confidence).
    pub may_have_missed_bytes: u64,
    /// The buffer that streams of several rates need.
    pub buffer: Vec<BufferDocument>,
    /// What was found beside the times.
    #[serde(flatten)]
    pub findings: StallsFindings,
    /// Completions of all phases.
    pub completions: u64,
    /// Those that failed.
    pub failed: u64,
    /// Completions that were not kept.
    pub lost_records: u64,
    /// Bytes of the files that hold the records.
    pub records_bytes: u64,
    /// Hexadecimal hash over all completions; absent for real drives.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub completions_hash: Option<String>,
    /// `whole`, `interrupted` or `killed`.
    pub ended: String,
    /// What the reader has to know before believing the figures.
    pub notices: Vec<NoticeDocument>,
    /// What the writing took, by a meter; absent where none was read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub energy: Option<EnergyDocument>,
    /// What a simulated drive knows of itself; absent for a real one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub simulation: Option<StallsSimulationDocument>,
}

/// Several streams side by side: `drivelab.stalls-comparison/1`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StallsComparisonDocument {
    /// `drivelab.stalls-comparison/1`.
    pub schema: String,
    /// The streams in the order in which they were named.
    pub runs: Vec<StallsDocument>,
}

impl StallsComparisonDocument {
    /// The document of several streams.
    pub fn of(reports: &[StallsReport<'_>]) -> StallsComparisonDocument {
        StallsComparisonDocument {
            schema: "drivelab.stalls-comparison/1".to_owned(),
            runs: reports.iter().map(StallsDocument::of).collect(),
        }
    }
}

/// A distribution of completion times, in nanoseconds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WriteTimesDocument {
    /// How many.
    pub count: u64,
    /// Their mean.
    pub mean: f64,
    /// Their standard deviation.
    pub stddev: f64,
    /// The 99th percentile, within 1 %.
    pub p99: u64,
    /// The longest.
    pub max: u64,
}

/// A mean and its deviation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SpreadDocument {
    /// How many.
    pub count: u64,
    /// Their mean.
    pub mean: f64,
    /// Their standard deviation; 0 of a single one.
    pub stddev: f64,
}

/// A write that stands out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DelayDocument {
    /// When it was submitted, from the start of the stream.
    pub at_s: f64,
    /// How long it took.
    pub duration_ns: u64,
    /// What of it was the device's time; none where that was not recorded.
    #[serde(default)]
    pub device_ns: Option<u64>,
    /// Writes that waited for it: more than one where several are in flight.
    #[serde(default)]
    pub writes: u64,
    /// Its first logical block.
    pub lba: u64,
    /// Bytes written from the end of the delay before to the end of this one; the first has none.
    pub bytes_since_previous: Option<u64>,
    /// What is known of the drive's health from here to the next delay.
    pub health: HealthAfterDelay,
}

/// What a simulated drive knows of itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StallsSimulationDocument {
    /// Media writes / host writes; none where no flash was written.
    pub write_amplification: Option<f64>,
    /// Every delay that was injected.
    pub injected_delays: Vec<InjectedDelayDocument>,
    /// Every lie that was injected.
    pub injected_faults: Vec<InjectedFaultDocument>,
}

/// A lie of a simulated drive.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InjectedFaultDocument {
    /// `dropped`, `reverted`, `torn`, `misdirected` or `flipped`.
    pub kind: String,
    /// The number of the write, from 0.
    pub write: u64,
    /// The first logical block that does not hold what was written.
    pub lba: u64,
    /// The first logical block that a misdirected write was stored in.
    pub landed_lba: Option<u64>,
}

impl StallsDocument {
    /// The document of a stream.
    pub fn of(report: &StallsReport<'_>) -> StallsDocument {
        let (stream, figures) = (report.stream, &report.figures);
        StallsDocument {
            schema: STALLS_SCHEMA.to_owned(),
            label: report.label.clone(),
            target: report.target.clone(),
            drive: DriveDocument::of(&report.drive),
            logical_block_bytes: report.logical_block,
            seed: report.seed,
            block_bytes: stream.block_bytes(),
            range_bytes: [report.range.0, report.range.1],
            queue_depth: report.queue_depth,
            rate_asked_mb_s: report.rate_asked.map(|rate| rate / 1e6),
            written_bytes: stream.bytes(),
            duration_s: stream.span() as f64 / 1e9,
            mb_s: stream.rate().map(|rate| rate / 1e6),
            busy_share: stream.busy_share(),
            write_ns: WriteTimesDocument::of(&figures.rest),
            all_writes_ns: WriteTimesDocument::of(&figures.all),
            device_ns: report
                .device
                .as_ref()
                .and_then(|(times, _)| WriteTimesDocument::of(&times.distribution())),
            device_measured: report.device.as_ref().map(|(_, measured)| measured.clone()),
            delay_threshold_ns: figures.threshold,
            delays: delays(report),
            delay_ns: SpreadDocument::of(&figures.durations),
            bytes_between: SpreadDocument::of(&figures.between),
            may_have_missed_bytes: report.may_have_missed(),
            buffer: report.backlogs().iter().map(|backlog| BufferDocument::of(backlog, report)).collect(),
            findings: report.findings.clone(),
            completions: report.records.completions,
            failed: report.records.failed,
            lost_records: report.records.lost,
            records_bytes: report.records.bytes,
            completions_hash: report.records.completions_hash.clone(),
            ended: report.ended.word().to_owned(),
            notices: report.notices.iter().map(NoticeDocument::of).collect(),
            energy: report.energy.clone(),
            simulation: report.simulation.as_ref().map(|(truth, faults)| StallsSimulationDocument {
                write_amplification: truth.write_amplification,
                injected_delays: truth.injected_delays.iter().map(InjectedDelayDocument::of).collect(),
                injected_faults: faults.clone(),
            }),
        }
    }
}

/// The delays with what is known of the drive's health until the next one.
fn delays(report: &StallsReport<'_>) -> Vec<DelayDocument> {
    let delays = &report.figures.delays;
    let at_s = |delay: &Delay| delay.at as f64 / 1e9;
    let nexts = delays.iter().skip(1).map(at_s).chain([f64::INFINITY]);
    let documents = delays.iter().zip(nexts).map(|(delay, next)| DelayDocument {
        at_s: at_s(delay),
        duration_ns: delay.duration,
        writes: delay.writes,
        device_ns: report.device.as_ref().and_then(|(times, _)| times.of_write(delay.longest)),
        lba: delay.sector / u64::from(report.logical_block / 512).max(1),
        bytes_since_previous: delay.bytes_since_previous,
        health: report.findings.health.after_delay(at_s(delay), next),
    });
    documents.collect()
}

impl WriteTimesDocument {
    fn of(times: &Distribution) -> Option<WriteTimesDocument> {
        let moments = times.moments();
        Some(WriteTimesDocument {
            count: moments.count(),
            mean: moments.mean()?,
            stddev: moments.stddev().unwrap_or(0.0),
            p99: times.quantile(0.99)?,
            max: moments.max()?,
        })
    }
}

impl SpreadDocument {
    fn of(moments: &Moments) -> Option<SpreadDocument> {
        Some(SpreadDocument {
            count: moments.count(),
            mean: moments.mean()?,
            stddev: moments.stddev().unwrap_or(0.0),
        })
    }
}
