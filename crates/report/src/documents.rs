//! JSON documents with a versioned shape: what other programs read.
//!
//! Units last: `_s` seconds, `_ns` nanoseconds, `_bytes` bytes, `_mb_s` decimal megabytes a second. The
//! shapes are described by the JSON Schemas in `schemas/`.

use drivelab_analysis::ROUNDS_NEEDED;
use drivelab_settings::Settings;
use serde::{Deserialize, Serialize};

use crate::gauged::GaugeDocument;
use crate::names::loop_word;
use crate::ranking::{DifferenceDocument, Ranking};
use crate::run::{Comparison, Drive, InjectedDelay, Notice, PhaseLine, RunReport, Severity};
use crate::summary::{LatencyDocument, SteadyDocument, SummaryDocument};
use drivelab_record::EnergyDocument;

/// The schema name of [`ConsistencyDocument`].
pub const CONSISTENCY_SCHEMA: &str = "drivelab.consistency/1";

/// Consistency runs as other programs read them: `drivelab.consistency/1`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ConsistencyDocument {
    /// `drivelab.consistency/1`.
    pub schema: String,
    /// The runs in the order of the comparison.
    pub runs: Vec<ConsistencyRun>,
    /// In what the runs differ by what they were asked for.
    #[serde(default)]
    pub differences: Vec<DifferenceDocument>,
    /// Whether figures of one run may be called better than those of another: all that was asked for is known, and equal but for
    /// what is compared.
    #[serde(default)]
    pub ranked: bool,
}

/// One run of a [`ConsistencyDocument`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ConsistencyRun {
    /// What was tested, as the user named it.
    pub target: String,
    /// Which drive that is.
    pub drive: DriveDocument,
    /// What it was asked to do; `None` where an earlier version, which did not keep it, made the run.
    #[serde(default)]
    pub settings: Option<Settings>,
    /// Share of the range kept back, in per cent.
    pub reserve_percent: f64,
    /// The seed of every random draw.
    pub seed: u64,
    /// The run's folder.
    pub folder: Option<String>,
    /// Completions of all phases.
    pub completions: u64,
    /// Those that failed.
    pub failed: u64,
    /// Completions that were not kept.
    pub lost_records: u64,
    /// Bytes of the files that hold the records.
    pub records_bytes: u64,
    /// Hexadecimal hash over all completions; simulated drives only.
    pub completions_hash: Option<String>,
    /// The random writes of every whole second.
    pub per_second: PerSecondDocument,
    /// What the random writes come to.
    pub summary: SummaryDocument,
    /// How the run ended: `whole`, `interrupted`, or `killed` where it left no outcome (it may be under way).
    #[serde(default)]
    pub ended: String,
    /// The phase that the figures are taken from; empty where the run ended before it began.
    #[serde(default)]
    pub measured_phase: String,
    /// Every phase that began.
    #[serde(default)]
    pub phases: Vec<PhaseDocument>,
    /// What the reader has to know before believing the figures.
    #[serde(default)]
    pub notices: Vec<NoticeDocument>,
    /// Why figures are withheld; absent where all records are there. `per_second` is empty then, and `summary`
    /// without figures.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub withheld: Option<String>,
    /// Where figures are withheld: those that the run left when it ended, which nothing is left to check by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kept_summary: Option<SummaryDocument>,
    /// What was read beside the run; absent where nothing was.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gauges: Vec<GaugeDocument>,
    /// What the measured phase took, by a meter; absent where none was read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub energy: Option<EnergyDocument>,
    /// What a simulated drive knows of itself; absent for a real one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub simulation: Option<SimulationDocument>,
}

/// One phase of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PhaseDocument {
    /// Its name.
    pub name: String,
    /// `closed` or `open`.
    #[serde(rename = "loop")]
    pub loop_kind: String,
    /// How long it lasted, in seconds.
    pub lasted_s: f64,
    /// Well-ended I/Os; `None` where figures are withheld.
    pub completed: Option<u64>,
    /// Failed I/Os; `None` where figures are withheld.
    pub failed: Option<u64>,
    /// Bytes transferred or discarded; `None` where figures are withheld.
    pub moved_bytes: Option<u64>,
}

/// Something that the reader has to know.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NoticeDocument {
    /// `note`, `warning` or `severe`.
    pub severity: String,
    /// A sentence.
    pub text: String,
}

/// Which drive was tested.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DriveDocument {
    /// The model.
    pub model: String,
    /// The serial number, where known.
    pub serial: Option<String>,
    /// User-accessible bytes.
    pub size_bytes: u64,
}

/// Parallel columns, one entry a whole second.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PerSecondDocument {
    /// The second, counted from the start of the phase; the entry covers `t_s` to `t_s + 1`.
    pub t_s: Vec<u64>,
    /// Well-ended reads.
    pub read_iops: Vec<u32>,
    /// Well-ended writes.
    pub write_iops: Vec<u32>,
}

/// What a simulated drive knows of itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SimulationDocument {
    /// Media writes divided by host writes; `None` where no flash was written.
    pub write_amplification: Option<f64>,
    /// Blocks collected.
    pub collections: u64,
    /// Delays that the fault plan put in.
    pub injected_delays: Vec<InjectedDelayDocument>,
}

/// A delay that the fault plan put in.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct InjectedDelayDocument {
    /// Seconds from the start of the measured phase.
    pub at_s: f64,
    /// How long it lasted.
    pub duration_ns: u64,
    /// Bytes written since the one before; `None` for the first.
    pub bytes_since_previous: Option<u64>,
}

impl ConsistencyDocument {
    /// The document of a comparison.
    pub fn of(comparison: &Comparison) -> ConsistencyDocument {
        let runs = comparison.runs.iter().map(ConsistencyRun::of).collect();
        let ranking = Ranking::of(comparison);
        ConsistencyDocument {
            schema: CONSISTENCY_SCHEMA.to_owned(),
            runs,
            differences: ranking.documents(),
            ranked: ranking.is_allowed(),
        }
    }
}

impl ConsistencyRun {
    fn of(run: &RunReport) -> ConsistencyRun {
        ConsistencyRun {
            target: run.target.clone(),
            drive: DriveDocument::of(&run.drive),
            settings: run.settings.clone(),
            reserve_percent: run.reserve_percent,
            seed: run.seed,
            folder: run.folder.clone(),
            completions: run.records.completions,
            failed: run.records.failed,
            lost_records: run.records.lost,
            records_bytes: run.records.bytes,
            completions_hash: run.records.completions_hash.clone(),
            per_second: PerSecondDocument::of(run),
            summary: summary(run),
            ended: run.ended.word().to_owned(),
            measured_phase: run.measured_phase().unwrap_or_default().to_owned(),
            phases: run.phases.iter().map(|phase| PhaseDocument::of(phase, run)).collect(),
            notices: run.notices.iter().map(NoticeDocument::of).collect(),
            withheld: run.withheld.as_ref().map(|withheld| withheld.reason.clone()),
            kept_summary: run.withheld.as_ref().and_then(|withheld| withheld.kept.clone()),
            gauges: GaugeDocument::all(&run.gauges),
            energy: run.energy.clone(),
            simulation: run.simulation.as_ref().map(SimulationDocument::of),
        }
    }
}

impl PhaseDocument {
    fn of(phase: &PhaseLine, run: &RunReport) -> PhaseDocument {
        PhaseDocument {
            name: phase.name.clone(),
            loop_kind: loop_word(phase.loop_kind).to_owned(),
            lasted_s: phase.lasted.as_secs_f64(),
            completed: run.unless_withheld(phase.completed),
            failed: run.unless_withheld(phase.failed),
            moved_bytes: run.unless_withheld(phase.bytes.get()),
        }
    }
}

impl DriveDocument {
    pub(crate) fn of(drive: &Drive) -> DriveDocument {
        DriveDocument {
            model: drive.model.clone(),
            serial: drive.serial.clone(),
            size_bytes: drive.size_bytes,
        }
    }
}

impl InjectedDelayDocument {
    pub(crate) fn of(delay: &InjectedDelay) -> InjectedDelayDocument {
        InjectedDelayDocument {
            at_s: delay.at_s,
            duration_ns: delay.duration_ns,
            bytes_since_previous: delay.bytes_since_previous,
        }
    }
}

impl NoticeDocument {
    pub(crate) fn of(notice: &Notice) -> NoticeDocument {
        let severity = match notice.severity {
            Severity::Note => "note",
            Severity::Warning => "warning",
            Severity::Severe => "severe",
        };
        NoticeDocument { severity: severity.to_owned(), text: notice.text.clone() }
    }
}

impl PerSecondDocument {
    fn of(run: &RunReport) -> PerSecondDocument {
        let bins = run.seconds();
        PerSecondDocument {
            t_s: (0..bins.len() as u64).collect(),
            read_iops: bins.iter().map(|bin| bin.reads).collect(),
            write_iops: bins.iter().map(|bin| bin.writes).collect(),
        }
    }
}

/// The figures of a run that has all its records.
fn summary(run: &RunReport) -> SummaryDocument {
    let steady = &run.figures.steady;
    let whole = |value: f64| (run.withheld.is_none() && steady.seconds > 0).then_some(value);
    let part = run.figures.steady_part;
    SummaryDocument {
        iops_from_s: run.has_figures().then_some(part.from_s as u64),
        iops_asked: run.figures.asked,
        iops_mean: whole(steady.mean),
        iops_stddev: steady.stddev.and_then(whole),
        iops_min: whole(steady.min),
        iops_p01: steady.p01.and_then(whole),
        cliff_bytes: run.cliff().map(|cliff| cliff.written_bytes),
        steady_state: SteadyDocument {
            reached: part.reached,
            at_s: part.reached.then_some(part.from_s as u64),
            rounds: part.rounds as u64,
            rounds_needed: ROUNDS_NEEDED as u64,
            round_s: part.round_s as u64,
            as_asked: run.kept_up(),
        },
        service_ns: LatencyDocument::of(&run.measured.service()),
    }
}

impl SimulationDocument {
    fn of(truth: &crate::SimulationTruth) -> SimulationDocument {
        SimulationDocument {
            write_amplification: truth.write_amplification,
            collections: truth.collections,
            injected_delays: truth.injected_delays.iter().map(InjectedDelayDocument::of).collect(),
        }
    }
}
