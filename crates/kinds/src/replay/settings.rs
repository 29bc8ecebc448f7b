//! What a replay is asked, and its trace, read once before anything is asked of the drive.

use drivelab_block::{DeviceId, Geometry, Nanos, PhaseId};
use drivelab_documents::{Manifest, Notice, PhaseRequest};
use drivelab_inspect::trace::{TracePhases, TraceSpan};
use drivelab_method::PhaseObserver;
use drivelab_method::replay::{AddressMapping, Choice, FillWhat, ReplayPlan, ReplayTiming, Speed, Survey};
use drivelab_stats::{ReplayAnalysis, Thresholds};
use drivelab_trace::{Measured, TraceManifest, TraceSource};
use drivelab_view::format::{by_number, things};
use serde::{Deserialize, Serialize};

use crate::{DriveError, PlanError, PurgeOption};

/// What a replay is asked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReplaySettings {
    /// The folder of the trace, or of the run that is read as one, as it was typed.
    pub trace: String,
    /// A digest of the I/Os of the trace, by which replays are known that replayed the same one: XXH3-64, in
    /// 16 hexadecimal digits, of all that were read (with a duration, those up to its end).
    pub trace_digest: String,
    /// Which phases of that run are replayed; of a trace, which has no phases, always those that were measured.
    pub phases: PhaseRequest,
    /// When requests are made.
    pub timing: ReplayTiming,
    /// How much faster than the trace.
    pub speed: f64,
    /// What spans are cut to in which nothing was in flight, in the trace's own time; null where they are kept.
    pub max_idle_ns: Option<u64>,
    /// Where requests go.
    pub map: AddressMapping,
    /// The only device of the trace that is replayed; null where all are.
    pub trace_device: Option<String>,
    /// How much of the trace, in its own time; null where all of it.
    pub duration_ns: Option<u64>,
    /// Requests in flight at most; null where the replay chooses.
    pub queue_depth: Option<u32>,
    /// Whether the trace's writes are made.
    pub writes: bool,
    /// Whether its discards are made.
    pub discards: bool,
    /// How the target is purged before.
    #[serde(default = "no_purge")]
    pub purge: PurgeOption,
    /// What is written before.
    pub precondition: ReplayPrecondition,
    /// How far the data can be compressed, in per cent.
    pub compressibility_percent: u8,
    /// From when on an I/O is slow; null where that is chosen by how many are.
    pub slow_ns: Option<u64>,
}

/// Earlier results had no choice.
fn no_purge() -> PurgeOption {
    PurgeOption::None
}

/// What is written before a replay.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ReplayPrecondition {
    /// Nothing.
    None,
    /// What the replay will touch.
    Fill,
    /// The whole drive.
    FillAll,
}

/// The most names that are listed.
const NAMES: usize = 8;

impl ReplaySettings {
    /// The replay of a trace, as far as it can be judged without reading the trace.
    pub(super) fn plan(&self, trace: &TraceManifest) -> Result<ReplayPlan, PlanError> {
        let speed = Speed::new(self.speed);
        Ok(ReplayPlan {
            choice: Choice {
                device: self.trace_device.as_deref().map(|name| device(name, trace)).transpose()?,
                writes: self.writes,
                discards: self.discards,
                duration: self.duration_ns.map(Nanos::new),
            },
            timing: self.timing,
            speed: speed.ok_or_else(|| PlanError(format!("--speed {}: not a speed", self.speed)))?,
            max_idle: self.max_idle_ns.map(Nanos::new),
            map: self.map,
            depth_limit: self.queue_depth,
            fill: match self.precondition {
                ReplayPrecondition::None => None,
                ReplayPrecondition::Fill => Some(FillWhat::Touched),
                ReplayPrecondition::FillAll => Some(FillWhat::Target),
            },
        })
    }

    /// What the phase of the replay is also analysed as.
    pub(super) fn observer(&self, phase: PhaseId) -> PhaseObserver {
        let thresholds = self.slow_ns.map_or_else(Thresholds::default, Thresholds::with);
        PhaseObserver::Replay(Box::new(ReplayAnalysis::new(phase, thresholds)))
    }

    /// From when on an I/O is slow, where that was asked for.
    pub(super) fn slow(&self) -> Option<Nanos> {
        self.slow_ns.map(Nanos::new)
    }
}

fn device(name: &str, trace: &TraceManifest) -> Result<DeviceId, PlanError> {
    let place = trace.devices.iter().position(|device| device.name == name);
    place.and_then(|place| u16::try_from(place).ok()).map(DeviceId).ok_or_else(|| {
        let mut names: Vec<&str> =
            trace.devices.iter().take(NAMES).map(|device| device.name.as_str()).collect();
        if trace.devices.len() > NAMES {
            names.push("...");
        }
        PlanError(format!("--trace-device {name}: the trace has {}", names.join(", ")))
    })
}

/// A trace that is to be replayed, and what its first reading gave.
#[derive(Clone, Debug)]
pub struct SurveyedTrace {
    pub(super) source: TraceSource,
    pub(super) plan: ReplayPlan,
    /// What the first reading gave.
    pub survey: Survey,
}

impl SurveyedTrace {
    /// Reads the trace for the first time, in bounded memory, as long as it is to go on, which is asked every
    /// few thousand I/Os. `geometry` is what is known of the drive.
    ///
    /// # Errors
    /// Where the settings do not suit the trace, and the message says what to type instead, or its records cannot be read.
    pub fn read<E: From<PlanError> + From<DriveError>>(
        source: TraceSource,
        settings: &ReplaySettings,
        geometry: Option<&Geometry>,
        keep_going: &mut dyn FnMut(&Survey) -> bool,
    ) -> Result<SurveyedTrace, E> {
        let plan = settings.plan(source.manifest())?;
        let reader = source.reader().map_err(|error| DriveError(error.to_string()))?;
        let survey = plan.survey(reader, geometry, keep_going);
        let survey = survey?;
        Ok(SurveyedTrace { source, plan, survey })
    }

    /// Which phases are replayed, where the trace is a run.
    pub(super) fn phases(&self) -> Option<TracePhases> {
        Some(TracePhases::from_chosen(&self.source.run()?.chosen, self.survey.other_phases))
    }

    /// What the durations of the devices span that are replayed.
    pub(super) fn measured(&self) -> TraceSpan {
        let devices = &self.source.manifest().devices;
        let chosen = self.survey.devices.iter().filter_map(|device| devices.get(usize::from(device.0)));
        let mut spans = chosen.filter_map(|device| span(device.measured));
        let Some(first) = spans.next() else { return TraceSpan::Nothing };
        if spans.all(|span| span == first) { first } else { TraceSpan::Mixed }
    }

    /// What the reader has to know of the trace.
    pub(super) fn notices(&self, timing: ReplayTiming) -> Vec<Notice> {
        let mut notices = Vec::new();
        for fault in &self.survey.faults {
            notices.push(Notice::failure(format!("The replay lacks a part of the trace: {fault}.")));
        }
        if let Some(phases) = self.phases() {
            notices.push(Notice::note(format!("The trace is a run. {}", phases.sentence("replayed"))));
        }
        let trace = self.source.manifest();
        let account = trace.account.iter().chain(&trace.so_far).next();
        if let Some(losses) = account.and_then(drivelab_trace::Account::losses) {
            notices.push(Notice::warning(format!("The trace is not whole. {losses}")));
        }
        // How many there should be of a part of a trace is not known.
        for gap in account.iter().flat_map(|account| account.gaps(u64::MAX)) {
            notices.push(Notice::warning(format!("The trace is not whole. {gap}")));
        }
        if trace.account.is_none() {
            notices.push(Notice::warning("The trace was not ended: what there is of it is replayed."));
        }
        if self.survey.durable > 0 {
            notices.push(Notice::note(format!(
                "{} marked FUA or flush-first in the trace {} replayed without.",
                things(self.survey.durable, "request"),
                by_number(self.survey.durable, "is", "are")
            )));
        }
        let unknown = self.survey.asked.requests() - self.survey.with_durations;
        if timing == ReplayTiming::Dependent && unknown > 0 {
            notices.push(Notice::note(format!(
                "Of {} the trace does not say the completion: nothing waits for {}.",
                things(unknown, "request"),
                by_number(unknown, "it", "them")
            )));
        }
        notices
    }
}

/// What the service times of a run span.
pub(super) fn span_of_run(run: &Manifest) -> TraceSpan {
    span(Measured::by(run)).unwrap_or(TraceSpan::Nothing)
}

fn span(measured: Measured) -> Option<TraceSpan> {
    match measured {
        Measured::IssueToComplete => Some(TraceSpan::IssueToComplete),
        Measured::QueueToComplete => Some(TraceSpan::QueueToComplete),
        Measured::Nothing => None,
    }
}
