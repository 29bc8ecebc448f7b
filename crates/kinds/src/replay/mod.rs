//! A replay: the requests of a trace, made again on a drive.

mod findings;
mod plan;
mod settings;
mod view;
mod work;

use drivelab_block::{Nanos, PhaseId};
use drivelab_documents::{Manifest, PhaseRequest};
use drivelab_inspect::trace::LatencyFindings;
use drivelab_method::PhaseObserver;
use drivelab_stats::ReplayAnalysis;
use drivelab_view::{Better, FigureUse, KeyFigure, Quantity, View};

pub use drivelab_method::replay::{AddressMapping, LeftOutRequests, ReplayTiming};
pub use findings::{
    AgainstTrace, LatencyDistances, Lateness, MovedAddresses, ReplayFidelity, ReplayFindings, ReplayHandling,
    Replayed, TraceAsked,
};
pub use plan::{DISCARDS, NAME_OF_READING, PlannedReplay};
pub use settings::{ReplayPrecondition, ReplaySettings, SurveyError, SurveyedTrace};

use crate::kind::{IoHooks, Judging, RecordsOfRun};
use crate::{Comparison, Hooks, RecordsAnalysis, ResultKind, SlowIoHooks, StoredResult};

/// The kind of result.
#[derive(Clone, Copy, Debug)]
pub struct Replay;

impl ResultKind for Replay {
    const NAME: &'static str = "replay";
    const WORDS: &'static str = "replay";
    const VERSION: u32 = 3;
    const HOOKS: Hooks<Replay> = Hooks {
        ios: Some(IoHooks {
            found: |findings| &findings.ios,
            found_mut: |findings| &mut findings.ios,
            judging: |_| Judging { window_s: 1, asked: None, is_replay: true },
        }),
        observer,
        take_records,
        slow_ios: Some(SlowIoHooks {
            from: ReplaySettings::slow,
            judge_from: |settings, slow| settings.slow_ns = slow.map(Nanos::get),
            judge_together: findings::judge_together,
        }),
        label: view::name_of,
        is_complete: view::is_complete,
        unlike: view::unlike,
        measured_in_words: |settings| format!("{} of {}", Replay::WORDS, name_of_trace(settings)),
        ..Hooks::NONE
    };
    type Settings = ReplaySettings;
    type Findings = ReplayFindings;
    const VIEW: fn(&Comparison<'_, Replay>) -> View = view::view;

    fn ranked_by(settings: &ReplaySettings) -> ReplaySettings {
        // The same trace may have two names, and another trace the same one.
        let (trace, trace_digest) = (settings.trace_digest.clone(), String::new());
        ReplaySettings { trace, trace_digest, slow_ns: None, queue_depth: None, ..settings.clone() }
    }

    fn key_figures(kept: &StoredResult<Replay>) -> Vec<KeyFigure> {
        let Some(replayed) = &kept.findings.replayed else { return Vec::new() };
        let trace = name_of_trace(&kept.settings);
        let service = [("reads", &replayed.service_ns.read), ("writes", &replayed.service_ns.write)];
        let figure = |(name, times): (&str, &Option<LatencyFindings>)| {
            let mean = times.as_ref().map(|times| times.mean);
            KeyFigure::new(format!("Replay of {trace}, {name}"), Quantity::Nanoseconds, Better::Low, mean)
                .map(|figure| figure.speaks_of(FigureUse::ReadsAndShortWrites))
        };
        service.into_iter().filter_map(figure).collect()
    }
}

fn observer(run: &Manifest, settings: &ReplaySettings) -> Option<PhaseObserver> {
    let chosen = run.choose_phases(&PhaseRequest::Measured).ok()?;
    let place = (0..chosen.names.len()).find(|place| chosen.takes(*place))?;
    let phase = PhaseId(u8::try_from(place).ok()?);
    Some(PhaseObserver::Replay(Box::new(ReplayAnalysis::new(phase, settings.thresholds()))))
}

fn take_records(findings: &mut ReplayFindings, taken: &RecordsOfRun<'_, Replay>) {
    let trace = findings.trace.as_ref();
    findings.replayed =
        replay_of(taken.records).map(|replay| Replayed::from_replay(replay, taken.settings, trace));
    let spans = trace.map(|trace| (trace.measured, settings::span_of_run(taken.run)));
    findings.against_trace = std::mem::take(&mut findings.against_trace)
        .zip(spans)
        .map(|(against, (trace, replay))| against.of_same_spans(trace, replay));
}

/// The name of the trace without its folder.
fn name_of_trace(settings: &ReplaySettings) -> &str {
    let trace = settings.trace.trim_end_matches('/');
    trace.rsplit('/').next().unwrap_or(trace)
}

/// The trace that a replay made; none where it never began, and where figures are withheld.
fn replay_of(records: &RecordsAnalysis) -> Option<&ReplayAnalysis> {
    match &records.observer {
        Some(PhaseObserver::Replay(replay)) if replay.made.requests() > 0 => Some(replay),
        _ => None,
    }
}
