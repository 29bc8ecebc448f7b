//! From a run's manifest and analysis to what a report shows: the same for a run that has just ended and
//! for one that is read back.

use std::path::{Path, PathBuf};

use drivelab_analysis::{
    ConsistencyFigures, Gauged, LoopKind, PhaseAnalysis, ReplayAnalysis, RunAnalysis, SlowThreshold,
    Thresholds, TraceAnalysis,
};
use drivelab_block::{Instant, Nanos};
use drivelab_inspect::slow::SlowReport;
use drivelab_record::{
    Digest, EnergyDocument, LoopLabel, Manifest, MeasuredPhases, Outcome, Phase, RunFolder, RunReader,
    Severity,
};
use drivelab_report::{
    Condition, Drive, Ended, InjectedDelay, Notice, PhaseLine, REPLAY_SCHEMA, Records, ReplayDocument,
    RunReport, RunSlow, Severity as Shown, SimulationTruth, Withheld,
};
use drivelab_runner::{Failure, add_unsent, gauges, missing};
use drivelab_settings::{AskedSettings, ShareOf};
use drivelab_tests::SimulationAccount;

use crate::kept_replay::replay_analysis;

/// The document that a replay leaves beside its records.
pub const REPLAY_DOCUMENT: &str = "replay.json";
/// The windows by which steady state is judged where none were asked for, in seconds.
const WINDOW_S: usize = 60;

/// A run with everything that is known of it.
pub struct KeptRun {
    /// Its manifest.
    pub manifest: Manifest,
    /// Where it is kept, as a reader of the report would name it.
    pub folder: Option<String>,
    /// The path to it, as it was typed; none for a run that has just ended.
    path: Option<PathBuf>,
    /// What was read beside it.
    gauges: Vec<Gauged>,
    /// What a replay left beside its records.
    replay: Option<ReplayDocument>,
    /// The trace that a replay made; none of another run, nor of one that has just ended.
    replayed: Option<ReplayAnalysis>,
    /// One pass over its completions; over none of them where some are missing.
    analysis: RunAnalysis,
    /// The size of its segments as they are found, in bytes; none for a run that has just ended.
    found_bytes: Option<u64>,
    /// Completions that the run counted and that the analysis has not seen.
    missing: u64,
    /// Why its figures are withheld.
    withheld: Option<Withheld>,
    /// What was measured where the phase that was to be measured never began.
    nothing: PhaseAnalysis,
}

impl KeptRun {
    fn of(manifest: Manifest, analysis: RunAnalysis, folder: Option<String>, faults: &[String]) -> KeptRun {
        let withheld = missing::withheld(&manifest, &analysis, faults);
        let withheld = withheld.map(|reason| Withheld { reason, kept: None });
        let missing = missing::missing(&manifest, &analysis).unwrap_or(0);
        let analysis = if withheld.is_some() { missing::emptied(&analysis) } else { analysis };
        KeptRun {
            manifest,
            folder,
            path: None,
            gauges: Vec::new(),
            replay: None,
            replayed: None,
            analysis,
            found_bytes: None,
            missing,
            withheld,
            nothing: PhaseAnalysis::new(Instant::ORIGIN, LoopKind::Closed),
        }
    }

    /// Reads a run back from its folder, in bounded memory. Slow I/Os of a replay are counted at these thresholds.
    pub fn read(path: &Path, thresholds: Thresholds) -> Result<KeptRun, Failure> {
        let (folder, manifest) = RunFolder::open(path)?;
        let mut analysis = RunAnalysis::default();
        for phase in &manifest.phases {
            analysis.begin_phase(Instant::from_nanos(phase.started_at_ns), loop_kind(phase.loop_label));
        }
        let mut reader = RunReader::open(&folder.segments())?;
        // Where the run noted its hash, it is taken again: a segment of another run would fit in everywhere else.
        let has_hash = manifest.outcome.as_ref().is_some_and(|outcome| outcome.completions_hash.is_some());
        let mut digest = has_hash.then(Digest::default);
        let mut replay = replay_analysis(&manifest, thresholds);
        while let Some(completions) = reader.next_batch() {
            analysis.accept(completions);
            replay.iter_mut().for_each(|replay| replay.accept(completions));
            if let Some(digest) = &mut digest {
                digest.accept(completions);
            }
        }
        replay.iter_mut().for_each(ReplayAnalysis::finish);
        add_unsent(&mut analysis, &manifest.phases);
        let hash = digest.map(|digest| digest.hex());
        let foreign = missing::foreign(&manifest, &analysis, hash.as_deref());
        let faults: Vec<String> = reader.faults().iter().cloned().chain(foreign).collect();
        let name =
            path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into());
        let mut run = KeptRun::of(manifest, analysis, Some(name), &faults);
        run.path = Some(path.to_owned());
        run.gauges = gauges(path, &run.manifest);
        run.replayed = replay;
        run.replay = replayed(path).filter(|replay| is_of(replay, &run.manifest));
        run.found_bytes = Some(folder.records_bytes());
        run.measured()?;
        asked_of(&run.manifest)?;
        Ok(run)
    }

    /// What a reader calls the run where several are beside each other.
    pub fn name(&self) -> &str {
        self.folder.as_deref().unwrap_or(&self.manifest.label)
    }

    /// The path to the run as it was typed, which tells it from every other.
    pub fn place(&self) -> String {
        self.path.as_ref().map_or_else(|| self.name().to_owned(), |path| path.display().to_string())
    }

    /// What is missing of the run, in a sentence; `None` where nothing is.
    pub fn gap(&self) -> Option<&str> {
        self.withheld.as_ref().map(|withheld| withheld.reason.as_str())
    }

    /// The trace that a replay made; none of another run, of a replay that did not come to its end, and where records are
    /// missing.
    pub fn made(&self) -> Option<&TraceAnalysis> {
        let is_whole = self.replay.is_some() && self.withheld.is_none();
        self.replayed.as_ref().filter(|_| is_whole).map(ReplayAnalysis::made)
    }

    /// The run as the report takes it, on a page with this threshold of slow I/Os.
    pub fn report(&self, threshold: SlowThreshold) -> Result<RunReport<'_>, Failure> {
        let made = self.made();
        let slow = made.map(|made| RunSlow { made, report: SlowReport::of(made, threshold) });
        let manifest = &self.manifest;
        let measured = self.measured()?;
        let phase = &manifest.phases[measured];
        let was_measured = self.is_planned(phase);
        let analysis = if was_measured { &self.analysis.phases()[measured] } else { &self.nothing };
        let duration = if was_measured { lasted(phase, analysis) } else { Nanos::ZERO };
        let judged = if self.withheld.is_none() { duration } else { Nanos::ZERO };
        let asked = asked_of(manifest)?;
        let (reserve_percent, share_of) = asked.over_provisioning();
        Ok(RunReport {
            label: manifest.label.clone(),
            target: manifest.target.clone(),
            drive: shown_drive(manifest),
            settings: asked.known().cloned(),
            reserve_percent,
            reserve_is_of_range: share_of == ShareOf::Range,
            seed: manifest.seed,
            folder: self.folder.clone(),
            method: manifest.method.clone(),
            conditions: manifest.conditions.iter().map(shown_condition).collect(),
            notices: self.notices(phase, slow.as_ref()),
            phases: self.phase_lines(),
            measured: analysis,
            was_measured,
            duration,
            figures: self.figures(&asked, analysis, judged),
            records: self.records(),
            gauges: self.gauges.clone(),
            energy: energy_of(&self.manifest),
            replay: self.replay.clone().filter(|_| self.withheld.is_none()),
            slow,
            simulation: self.simulation(phase).filter(|_| was_measured),
            ended: ending_of(&self.manifest),
            withheld: self.withheld.clone(),
        })
    }

    /// The phase that the figures are taken from: the last one that began.
    fn measured(&self) -> Result<usize, Failure> {
        let begun = self.manifest.phases.len().min(self.analysis.phases().len());
        begun.checked_sub(1).ok_or_else(|| {
            let name = self.name();
            Failure::Environment(format!(
                "{name}: the run ended before its first I/O, there is nothing to report"
            ))
        })
    }

    fn figures(&self, asked: &AskedSettings, analysis: &PhaseAnalysis, judged: Nanos) -> ConsistencyFigures {
        if self.manifest.method == "replay" {
            return ConsistencyFigures::of_replay(analysis, judged);
        }
        let figures = ConsistencyFigures::of(analysis, judged, window_s(asked));
        match asked.rate() {
            Some(rate) => figures.on_schedule(rate),
            None => figures,
        }
    }

    /// Whether this is a phase that was to be measured; of a folder that does not say, the last one is taken.
    fn is_planned(&self, phase: &Phase) -> bool {
        match &self.manifest.measured {
            Some(MeasuredPhases::Phase(planned)) => *planned == phase.name,
            Some(MeasuredPhases::Phases(planned)) => planned.contains(&phase.name),
            Some(MeasuredPhases::Every) | None => true,
        }
    }

    fn notices(&self, measured: &Phase, slow: Option<&RunSlow<'_>>) -> Vec<Notice> {
        let mut notices: Vec<Notice> = self.manifest.notices.iter().map(shown_notice).collect();
        if self.manifest.outcome.is_none() {
            let text =
                "The run did not end by itself: it was killed, or is still under way. What it left is shown.";
            notices.push(Notice { severity: Shown::Severe, text: text.to_owned() });
        }
        if self.manifest.measured.is_none() {
            let text = format!(
                "An older version made the run and did not note which phase it measured: the figures are those of its \
                 last one, \"{}\".",
                measured.name
            );
            notices.push(Notice { severity: Shown::Warning, text });
        }
        if !self.is_planned(measured) {
            let text = format!(
                "The run ended in its phase \"{}\" and was never measured: there are no figures of it.",
                measured.name
            );
            notices.push(Notice { severity: Shown::Severe, text });
        }
        let slow = slow.into_iter().flat_map(RunSlow::sentences);
        notices.extend(slow.map(|text| Notice { severity: Shown::Note, text }));
        if self.analysis.orphans() > 0 {
            let text = format!("{} records belong to no phase of this run.", self.analysis.orphans());
            notices.push(Notice { severity: Shown::Severe, text });
        }
        notices
    }

    fn phase_lines(&self) -> Vec<PhaseLine> {
        let phases = self.manifest.phases.iter().zip(self.analysis.phases());
        phases
            .map(|(phase, analysis)| PhaseLine {
                name: phase.name.clone(),
                lasted: lasted(phase, analysis),
                bytes: analysis.bytes(),
                completed: analysis.completed(),
                failed: analysis.failed(),
                loop_kind: analysis.loop_kind(),
            })
            .collect()
    }

    fn records(&self) -> Records {
        if let Some(outcome) = &self.manifest.outcome {
            return Records {
                completions: outcome.completions,
                failed: outcome.failed,
                lost: outcome.lost_records.max(self.missing),
                bytes: outcome.records_bytes,
                completions_hash: outcome.completions_hash.clone(),
            };
        }
        let phases = self.analysis.phases();
        let failed = phases.iter().map(PhaseAnalysis::failed).sum();
        let completed: u64 = phases.iter().map(PhaseAnalysis::completed).sum();
        let bytes = self.found_bytes.unwrap_or(0);
        Records { completions: completed + failed, failed, bytes, ..Records::default() }
    }

    fn simulation(&self, measured: &Phase) -> Option<SimulationTruth> {
        Some(truth(&account_of(&self.manifest)?, measured))
    }
}

/// The account of a simulated drive as reports show it.
fn truth(account: &SimulationAccount, measured: &Phase) -> SimulationTruth {
    let injected_delays = account.injected_delays.iter().map(|delay| InjectedDelay {
        at_s: delay.at_ns.saturating_sub(measured.started_at_ns) as f64 / 1e9,
        duration_ns: delay.duration_ns,
        bytes_since_previous: delay.bytes_since_previous,
    });
    SimulationTruth {
        write_amplification: account.write_amplification,
        collections: account.collections,
        injected_delays: injected_delays.collect(),
    }
}

/// What the measured phase of a run took, where a meter was read beside it.
pub fn energy_of(manifest: &Manifest) -> Option<EnergyDocument> {
    manifest.outcome.as_ref()?.energy.clone()
}

/// The document of a replay, where the run was one that came to its end.
fn replayed(folder: &Path) -> Option<ReplayDocument> {
    let text = std::fs::read(folder.join(REPLAY_DOCUMENT)).ok()?;
    serde_json::from_slice(&text).ok()
}

/// Whether the document of a replay is that of this run: one from another run would fit in everywhere.
fn is_of(replay: &ReplayDocument, manifest: &Manifest) -> bool {
    let counted = |outcome: &Outcome| (outcome.completions, outcome.failed, outcome.completions_hash.clone());
    let told = (replay.completions, replay.failed, replay.completions_hash.clone());
    let is_replay = manifest.method == "replay" && replay.schema == REPLAY_SCHEMA;
    is_replay && manifest.outcome.as_ref().map(counted) == Some(told)
}

fn account_of(manifest: &Manifest) -> Option<SimulationAccount> {
    let value = manifest.outcome.as_ref()?.simulation.clone()?;
    serde_json::from_value(value).ok()
}

/// How a run ended.
pub fn ending_of(manifest: &Manifest) -> Ended {
    match &manifest.outcome {
        None => Ended::Killed,
        Some(outcome) if outcome.interrupted => Ended::Interrupted,
        Some(_) => Ended::Whole,
    }
}

/// What a run was asked to do.
///
/// # Errors
/// Where the settings in its manifest are damaged.
pub fn asked_of(manifest: &Manifest) -> Result<AskedSettings, Failure> {
    AskedSettings::try_from(manifest.settings.clone()).map_err(|error| {
        Failure::Environment(format!("the settings in run.json are damaged ({error}): put back a whole copy"))
    })
}

/// The windows by which steady state is judged, in seconds.
fn window_s(asked: &AskedSettings) -> usize {
    asked.window_s().and_then(|window| usize::try_from(window).ok()).unwrap_or(WINDOW_S)
}

/// The drive as reports show it.
pub fn shown_drive(manifest: &Manifest) -> Drive {
    Drive {
        model: manifest.drive.model.clone(),
        serial: manifest.drive.serial.clone(),
        size_bytes: manifest.drive.size_bytes,
    }
}

/// The loop of a phase as the analysis has it.
pub fn loop_kind(label: LoopLabel) -> LoopKind {
    match label {
        LoopLabel::Closed => LoopKind::Closed,
        LoopLabel::Open => LoopKind::Open,
    }
}

/// How long a phase lasted; of one that never ended, until its last completion.
fn lasted(phase: &Phase, analysis: &PhaseAnalysis) -> Nanos {
    match phase.ended_at_ns {
        Some(end) => Nanos::new(end.saturating_sub(phase.started_at_ns)),
        None => analysis.span(),
    }
}

/// A condition as reports show it.
pub fn shown_condition(condition: &drivelab_record::Condition) -> Condition {
    Condition { group: condition.group.clone(), name: condition.name.clone(), value: condition.value.clone() }
}

/// A notice as reports show it.
pub fn shown_notice(notice: &drivelab_record::Notice) -> Notice {
    let severity = match notice.severity {
        Severity::Note => Shown::Note,
        Severity::Warning => Shown::Warning,
        Severity::Failure => Shown::Severe,
    };
    Notice { severity, text: notice.text.clone() }
}
