//! What is found of the I/Os of a run.

use drivelab_block::Op;
use drivelab_documents::Manifest;
use drivelab_stats::{FailedPlace, Gauged, LoopKind, PhaseAnalysis};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::measured_phase::lasted;
use super::{MeasuredPhase, SummaryFindings};
use crate::{RecordsAnalysis, status_words};

/// What is found of the I/Os of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct IoFindings {
    /// Why figures are withheld; null where all records are there. `per_second` is empty then, and `summary` without figures.
    pub withheld: Option<String>,
    /// Where figures are withheld: those that the run left when it ended, which nothing is left to check by.
    pub earlier_summary: Option<SummaryFindings>,
    /// The phase that figures are taken from; null where the run ended before it began.
    pub measured_phase: Option<String>,
    /// How long it lasted, in seconds.
    pub duration_s: f64,
    /// Its figures.
    pub summary: SummaryFindings,
    /// The I/Os of every whole second of it.
    pub per_second: SecondsFindings,
    /// Every phase that began.
    pub phases: Vec<PhaseFindings>,
    /// What was kept of the I/Os.
    pub records: RecordsFindings,
    /// What a simulated drive reports of itself; null for a real one.
    pub simulation: Option<SimulationFindings>,
    /// What was read from the machine and the meter; empty where nothing was.
    pub gauges: Vec<GaugeFindings>,
}

/// What a gauge showed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GaugeFindings {
    /// Its name.
    pub name: String,
    /// Its unit.
    pub unit: String,
    /// Its mean in the seconds before the run's first phase; null where it was not read then.
    pub before: Option<f64>,
    /// Its mean over the measured phase.
    pub during: Option<f64>,
    /// Its mean in the seconds after the run's last phase.
    pub after: Option<f64>,
}

/// Parallel columns, an entry for each whole second from the start of the phase.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SecondsFindings {
    /// Reads that succeeded.
    pub read_iops: Vec<u32>,
    /// Writes that succeeded.
    pub write_iops: Vec<u32>,
    /// The seconds, from 0, that say nothing of the drive, since the program stood still; absent where there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_judged: Vec<u64>,
}

/// A phase of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PhaseFindings {
    /// Its name.
    pub name: String,
    /// How its requests were timed.
    #[serde(rename = "loop")]
    pub loop_label: LoopKind,
    /// How long it lasted, in seconds.
    pub duration_s: f64,
    /// I/Os that succeeded; null where figures are withheld.
    pub completed: Option<u64>,
    /// I/Os that failed; null where figures are withheld.
    pub failed: Option<u64>,
    /// Bytes transferred or discarded; null where figures are withheld.
    pub moved_bytes: Option<u64>,
    /// Where I/Os failed: the hundred places with the lowest addresses.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failed_at: Vec<FailedAt>,
}

/// What was kept of a run's I/Os, over all phases.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RecordsFindings {
    /// I/Os, whether they succeeded or not.
    pub completions: u64,
    /// Those that failed.
    pub failed: u64,
    /// Those that are not among the records; null of a run that was killed, and so counted none, unless files are missing.
    pub lost: Option<u64>,
    /// The size of the records.
    pub bytes: u64,
}

/// What a simulated drive reports of itself, from the start of the measured phase on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SimulationFindings {
    /// Flash writes / host writes, in bytes; null where no flash was written.
    pub write_amplification: Option<f64>,
    /// Blocks collected (erased and reused).
    pub collections: u64,
    /// Delays that were injected, in order.
    pub injected_delays: Vec<InjectedDelayFindings>,
}

/// A delay that was injected into a simulated drive.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct InjectedDelayFindings {
    /// Seconds from the start of the measured phase.
    pub at_s: f64,
    /// How long it lasted.
    pub duration_ns: u64,
    /// Bytes written since the one before; null for the first.
    pub bytes_since_previous: Option<u64>,
}

impl IoFindings {
    /// What is found of a run. Of figures that are withheld, `before` has those that the run left when it ended.
    pub(super) fn from_records(
        run: &Manifest,
        records: &RecordsAnalysis,
        measured: &MeasuredPhase<'_>,
        before: IoFindings,
    ) -> IoFindings {
        let left = [Some(before.summary), before.earlier_summary];
        let left = left.into_iter().flatten().find(|summary| summary.iops_mean.is_some());
        IoFindings {
            withheld: records.withheld.clone(),
            earlier_summary: left.filter(|_| measured.is_withheld),
            measured_phase: measured.name().map(str::to_owned),
            duration_s: measured.duration.as_secs_f64(),
            summary: SummaryFindings::from_measured(measured),
            per_second: per_second(measured),
            phases: phases(run, records),
            records: kept_records(run, records),
            simulation: measured.phase.and_then(|phase| simulation(run, phase.started_at_ns)),
            gauges: gauges(&records.gauges),
        }
    }
}

/// What each gauge showed that showed anything.
fn gauges(gauges: &[Gauged]) -> Vec<GaugeFindings> {
    let found = |gauge: &Gauged| GaugeFindings {
        name: gauge.name.clone(),
        unit: gauge.unit.clone(),
        before: gauge.course.before.get(),
        during: gauge.course.during.get(),
        after: gauge.course.after.get(),
    };
    gauges.iter().filter(|gauge| gauge.is_known()).map(found).collect()
}

fn per_second(measured: &MeasuredPhase<'_>) -> SecondsFindings {
    let (seconds, judged) = measured.seconds();
    let not_judged = (0..).zip(judged).filter(|(_, is_judged)| !is_judged);
    SecondsFindings {
        read_iops: seconds.iter().map(|second| second.reads).collect(),
        write_iops: seconds.iter().map(|second| second.writes).collect(),
        not_judged: not_judged.map(|(second, _)| second).collect(),
    }
}

fn phases(run: &Manifest, records: &RecordsAnalysis) -> Vec<PhaseFindings> {
    let known = |count: u64| records.withheld.is_none().then_some(count);
    let phases = run.phases.iter().zip(records.run.phases());
    phases
        .map(|(phase, analysis)| PhaseFindings {
            name: phase.name.clone(),
            loop_label: phase.loop_label,
            duration_s: lasted(phase, analysis).as_secs_f64(),
            completed: known(analysis.completed()),
            failed: known(analysis.failed()),
            moved_bytes: known(analysis.bytes().get()),
            failed_at: failed_at(analysis),
        })
        .collect()
}

fn kept_records(run: &Manifest, records: &RecordsAnalysis) -> RecordsFindings {
    if let Some(outcome) = &run.outcome {
        return RecordsFindings {
            completions: outcome.completions,
            failed: outcome.failed,
            lost: Some(outcome.lost_records.max(records.missing)),
            bytes: outcome.records_bytes,
        };
    }
    let phases = records.run.phases();
    let failed = phases.iter().map(PhaseAnalysis::failed).sum();
    let completed: u64 = phases.iter().map(PhaseAnalysis::completed).sum();
    RecordsFindings {
        completions: completed + failed,
        failed,
        lost: (records.missing > 0).then_some(records.missing),
        bytes: records.found_bytes.unwrap_or(0),
    }
}

/// The account of a simulated drive, whose measured phase began at `start`, in nanoseconds of the run's clock.
fn simulation(run: &Manifest, start: u64) -> Option<SimulationFindings> {
    let account = run.outcome.as_ref()?.simulation.as_ref()?;
    let delays = account.injected_delays.iter().map(|delay| InjectedDelayFindings {
        at_s: delay.at_ns.saturating_sub(start) as f64 / 1e9,
        duration_ns: delay.duration_ns,
        bytes_since_previous: delay.bytes_since_previous,
    });
    Some(SimulationFindings {
        write_amplification: account.write_amplification,
        collections: account.collections,
        injected_delays: delays.collect(),
    })
}

/// I/Os of one kind that failed at one place in the same way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FailedAt {
    /// What was asked for.
    pub operation: Op,
    /// The first sector, in units of 512 bytes.
    pub sector: u64,
    /// How many sectors of 512 bytes.
    pub sectors: u32,
    /// Why, in words.
    pub error: String,
    /// How often.
    pub count: u64,
}

/// The places of a phase at which I/Os failed, in the order of their addresses.
fn failed_at(phase: &PhaseAnalysis) -> Vec<FailedAt> {
    let found = |place: FailedPlace| FailedAt {
        operation: place.op,
        sector: place.extent.start.get(),
        sectors: place.extent.length.get(),
        error: status_words(place.status),
        count: place.count,
    };
    phase.unserved.places.places().map(found).collect()
}
