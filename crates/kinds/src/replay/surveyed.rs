//! The trace of a replay, read once before anything is asked of the drive.

use drivelab_block::{Geometry, Op};
use drivelab_inspect::trace::{TracePhases, TraceSpan};
use drivelab_method::replay::{ReadyReplay, ReplayPlan, Survey};
use drivelab_record::{Manifest, Notice, Severity};
use drivelab_trace::{Measured, TraceSource};
use drivelab_view::format::{by_number, things};

use super::{ReplaySettings, ReplayTiming};
use crate::{DriveError, PlanError};

/// A trace that is to be replayed, and what its first reading gave.
#[derive(Clone, Debug)]
pub struct SurveyedTrace {
    pub(super) source: TraceSource,
    pub(super) plan: ReplayPlan,
    pub(super) survey: Survey,
}

impl SurveyedTrace {
    /// Reads the trace for the first time, in bounded memory, as long as it is to go on, which is asked every
    /// few thousand I/Os. `geometry` is what is known of the drive.
    ///
    /// # Errors
    /// Where the settings do not suit the trace; the message says what to type instead.
    pub fn read(
        source: TraceSource,
        settings: &ReplaySettings,
        geometry: Option<&Geometry>,
        keep_going: &mut dyn FnMut(&Survey) -> bool,
    ) -> Result<SurveyedTrace, SurveyError> {
        let plan = settings.plan(source.manifest())?;
        let reader = source.reader().map_err(|error| DriveError(error.to_string()))?;
        let survey = plan.survey(reader, geometry, keep_going);
        let survey = survey.map_err(PlanError::new)?;
        Ok(SurveyedTrace { source, plan, survey })
    }

    /// Whether it was read to its end.
    pub fn is_whole(&self) -> bool {
        self.survey.is_whole
    }

    /// A digest of what was read: 16 hexadecimal digits.
    pub fn digest(&self) -> &str {
        &self.survey.digest
    }

    /// Whether the replay, or what comes before it, changes what the drive holds.
    pub(super) fn writes(&self) -> bool {
        self.plan.writes(&self.survey)
    }

    /// How many discards would be made.
    pub(super) fn discards(&self) -> u64 {
        self.survey.asked.op(Op::Discard).requests
    }

    /// The replay on a drive.
    pub(super) fn ready(&self, geometry: &Geometry) -> Result<ReadyReplay, PlanError> {
        self.plan.ready(&self.survey, geometry).map_err(PlanError::new)
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
        let mut add = |severity, text: String| notices.push(Notice { severity, text });
        for fault in &self.survey.faults {
            add(Severity::Failure, format!("The replay lacks a part of the trace: {fault}."));
        }
        if let Some(phases) = self.phases() {
            add(Severity::Note, format!("The trace is a run. {}", phases.sentence("replayed")));
        }
        let trace = self.source.manifest();
        let account = trace.account.iter().chain(&trace.so_far).next();
        if let Some(losses) = account.and_then(drivelab_trace::Account::losses) {
            add(Severity::Warning, format!("The trace is not whole. {losses}"));
        }
        // How many there should be of a part of a trace is not known.
        for gap in account.iter().flat_map(|account| account.gaps(u64::MAX)) {
            add(Severity::Warning, format!("The trace is not whole. {gap}"));
        }
        if trace.account.is_none() {
            let text = "The trace was not ended: what there is of it is replayed.";
            add(Severity::Warning, text.to_owned());
        }
        if self.survey.durable > 0 {
            let text = format!(
                "{} marked FUA or flush-first in the trace {} replayed without.",
                things(self.survey.durable, "request"),
                by_number(self.survey.durable, "is", "are")
            );
            add(Severity::Note, text);
        }
        let unknown = self.survey.asked.requests() - self.survey.with_durations;
        if timing == ReplayTiming::Dependent && unknown > 0 {
            let text = format!(
                "Of {} the trace does not say the completion: nothing waits for {}.",
                things(unknown, "request"),
                by_number(unknown, "it", "them")
            );
            add(Severity::Note, text);
        }
        notices
    }
}

/// Why a trace could not be read for a replay.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SurveyError {
    /// The settings do not suit the trace.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// Its records cannot be read.
    #[error(transparent)]
    Records(#[from] DriveError),
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
