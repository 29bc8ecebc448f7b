//! Stalls: can this drive record a stream?
//!
//! Blocks of one size are written one after the other, round and round a range, at full speed or at a rate of their own, and
//! read back: some way behind the writing, or when it is over. What every place has to hold is known from the completions
//! ([`drivelab_workload::verify::Ledger`]).

mod findings;
mod plan;
mod recorder;
mod settings;
mod view;
mod work;
mod workload;

use drivelab_block::{ByteRange, Geometry, PhaseId};
use drivelab_documents::Manifest;
use drivelab_method::PhaseObserver;
use drivelab_view::{Better, FigureUse, KeyFigure, Quantity, Value, View};
use drivelab_workload::verify::Ledger;

pub use findings::{
    BacklogCourse, BufferNeed, CompletionTimes, DelayFound, DeviceTimesFindings, LongestWrites,
    OverflowShare, Spread, StallsFindings, StreamFindings, TimesSummary,
};
pub use plan::StallsPlan;
pub use recorder::view as view_of_recorder;
pub use recorder::{RecorderAnswer, RecorderDrive, RecorderPlan, RecorderRequest};
pub use settings::StallsSettings;
pub use workload::CyclicWrites;

use crate::kind::RecordsOfRun;
use crate::read_back::{ReadBackPlan, StreamOnDrive, VerificationFindings, VerifiedKind};
use crate::{Comparison, Hooks, PlanError, ResultKind, StoredResult};

/// What a delay is ([`drivelab_stats::DelayFigures`]), in the words of every page, of the help and of the README.
pub const DELAY_DEFINITION: &str = "A write is a delay where it lies above a gap of the completion times: the shortest write \
    above the gap took at least twice as long as the longest below it and at least three times the median, and at most 5 % of \
    the writes lie above it. Of several such gaps the lowest counts.";

/// The kind of result.
#[derive(Clone, Copy, Debug)]
pub struct Stalls;

impl ResultKind for Stalls {
    const NAME: &'static str = "stalls";
    const WORDS: &'static str = "recording of a stream";
    const VERSION: u32 = 3;
    const HOOKS: Hooks<Stalls> = Hooks {
        recovers_killed_runs: true,
        observer: |run, settings| Some(observer(run, settings)),
        take_records,
        not_as_written_later: |findings| findings.verification.as_ref()?.not_as_written_later(),
        passes_check: |findings| {
            let is_well = findings.verification.as_ref().is_none_or(VerificationFindings::is_well);
            is_well && findings.withheld.is_none()
        },
        ..Hooks::NONE
    };
    type Settings = StallsSettings;
    type Findings = StallsFindings;
    const VIEW: fn(&Comparison<'_, Stalls>) -> View = view::view;

    fn ranked_by(settings: &StallsSettings) -> StallsSettings {
        settings.ranked_by()
    }

    fn key_figures(kept: &StoredResult<Stalls>) -> Vec<KeyFigure> {
        let Some(stream) = &kept.findings.stream else { return Vec::new() };
        // The rate of a run on a schedule is the one that it was asked for.
        let rate = stream.mb_s.filter(|_| kept.settings.rate_bytes_s.is_none()).map(|rate| rate * 1e6);
        let longest = stream.all_writes_ns.as_ref().map(|times| {
            Value::new(Quantity::Nanoseconds, times.max as f64).at_least_where(stream.is_bound())
        });
        let verified = kept.findings.verification.as_ref();
        let faulty = verified.map_or(0, VerificationFindings::faulty);
        // The rate of a part of the drive may be that of its cache alone, and its delays may come later; what data were lost is
        // not fast.
        let is_whole = stream.written_bytes >= kept.run.drive.size_bytes;
        let if_whole = if is_whole && faulty == 0 { Better::High } else { Better::Neither };
        let is_known = is_whole && faulty == 0 && !stream.is_bound();
        let if_right = if is_known { Better::Low } else { Better::Neither };
        let rate = KeyFigure::new("Stream of writes", Quantity::BytesPerSecond, if_whole, rate);
        let longest =
            longest.map(|longest| KeyFigure::of_value("Longest write of a stream", longest, if_right));
        // Where nothing could be judged, nothing is known.
        let faults = verified.filter(|found| found.blocks > 0).map(|_| faulty as f64);
        let faults = KeyFigure::new("Blocks not as written", Quantity::Count, Better::Neither, faults);
        let of_writes = [rate, longest]
            .into_iter()
            .flatten()
            .map(|figure| figure.speaks_of(FigureUse::LongSequentialWrites));
        of_writes.chain(faults).collect()
    }
}

fn observer(run: &Manifest, settings: &StallsSettings) -> PhaseObserver {
    // Reads until the drive was warm are a phase before it.
    let writing = run.phases.iter().position(|phase| phase.name == plan::WRITING);
    settings.observer(PhaseId(writing.and_then(|number| u8::try_from(number).ok()).unwrap_or(0)))
}

/// A stream that ended by itself has its figures from its work.
fn take_records(findings: &mut StallsFindings, taken: &RecordsOfRun<'_, Stalls>) {
    if taken.run.outcome.is_some() {
        return;
    }
    findings.withheld.clone_from(&taken.records.withheld);
    findings.stream = match &taken.records.observer {
        Some(PhaseObserver::Stream(stream)) => Some(StreamFindings::from_stream(stream, taken.settings)),
        _ => None,
    };
}

impl VerifiedKind for Stalls {
    const COUNTED: &'static str = "Writes are numbered from 1 over the whole stream.";

    fn verification(findings: &StallsFindings) -> Option<&VerificationFindings> {
        findings.verification.as_ref()
    }

    fn keep_verification(findings: &mut StallsFindings, found: VerificationFindings) {
        findings.verification = Some(found);
    }

    fn on_drive(settings: &StallsSettings) -> Option<StreamOnDrive> {
        settings.on_drive
    }

    fn read_back(
        settings: &StallsSettings,
        range: ByteRange,
        geometry: Geometry,
    ) -> Result<ReadBackPlan, PlanError> {
        let plan = StallsPlan::over(settings, range, geometry)?;
        Ok(ReadBackPlan { run: plan.run(), ledger: Ledger::new(plan.span), reading: plan.reading() })
    }
}
