//! Kinds of results, and results with everything that is known of them, whether they have just ended or were opened again.

use drivelab_block::{Nanos, PlacedDrive, number_drives};
use drivelab_fio::FioOutput;
use drivelab_method::PhaseObserver;
use drivelab_record::{
    Condition, EnergyDocument, HeatDocument, Manifest, NotAsWrittenDocument, Notice, Phase, PhaseMoment,
    Severity, SimulatedTarget,
};
use drivelab_stats::{DelayedIos, Gauged};
use drivelab_view::format::things;
use drivelab_view::{Better, Curve, KeyFigure, Quantity, View};

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::RecordsAnalysis;
use crate::asked::{self, AskedSetting};
use crate::estimate::estimate;
use crate::moment_words::moment;
use crate::stood_still::StandstillRule;

/// A kind of result: what was asked for, what was found, and what is shown of one result or of several that are compared.
pub trait ResultKind: Sized + 'static {
    /// The kind as it is spelled in commands and documents, such as `quick`.
    const NAME: &'static str;
    /// The kind in words, such as "quick test".
    const WORDS: &'static str;
    /// The version of its document: it grows whenever a field changes its name or its meaning.
    const VERSION: u32;
    /// What was asked for, as `run.json` keeps it.
    type Settings: Clone + std::fmt::Debug + PartialEq + Serialize + DeserializeOwned + JsonSchema;
    /// What was found, as `findings.json` keeps it; the default is what is known before the first I/O.
    type Findings: Clone + std::fmt::Debug + Default + PartialEq + Serialize + DeserializeOwned + JsonSchema;

    /// Whether figures come from the records of the run's I/Os. These are read again when the result is opened, and a run that
    /// was killed, and so left no findings, is shown with what its records give.
    const READS_RECORDS: bool = false;

    /// The command that goes on with a run of this kind that was killed, up to the name of its folder; none where there is none.
    const RESUMED_BY: Option<&'static str> = None;

    /// What becomes of the time in which the program itself stood still.
    const STANDSTILLS: StandstillRule = StandstillRule::LeaveOut;

    /// Whether the figures of a run that was killed come from its records; those of others are in its findings.
    const RECOVERS_KILLED_RUNS: bool = false;

    /// What the records are also analysed as, when they are read again; none where [`DriveUnderTest::add_observer`] was not asked
    /// either.
    ///
    /// [`DriveUnderTest::add_observer`]: crate::DriveUnderTest::add_observer
    fn observer(_run: &Manifest, _settings: &Self::Settings) -> Option<PhaseObserver> {
        None
    }

    /// Takes into the findings what the records give: when the run has ended, and again whenever it is opened.
    fn take_records(
        _findings: &mut Self::Findings,
        _run: &Manifest,
        _settings: &Self::Settings,
        _analysis: &RecordsAnalysis,
    ) {
    }

    /// From when on I/Os are slow, where that was asked for; none of a kind that judges no slow I/Os.
    fn slow_from(_settings: &Self::Settings) -> Option<Nanos> {
        None
    }

    /// Has slow I/Os judged from another time on; of a kind that judges none, this changes nothing.
    fn judge_slow_from(_settings: &mut Self::Settings, _slow: Option<Nanos>) {}

    /// Judges the slow I/Os of results that are shown together, which were counted at the same thresholds,
    /// all at one of these; of a kind that judges none, this changes nothing.
    fn judge_together(_results: &mut [StoredResult<Self>]) {}

    /// The settings by which figures are ranked: results that differ in them are shown without a best value. What changes
    /// nothing of the test, follows from the drive, or is what is compared, is the same for all.
    fn ranked_by(settings: &Self::Settings) -> Self::Settings {
        settings.clone()
    }

    /// How the drive was preconditioned, as it stands behind the label of a result; none of a kind that has one way only.
    fn preconditioned(_settings: &Self::Settings) -> Option<&'static str> {
        None
    }

    /// Whether a run of a task that was done several times, by its place, is in the means of its energy.
    fn is_counted(_findings: &Self::Findings, _run: usize) -> bool {
        true
    }

    /// Takes into the findings what each run of the task took, by a meter: when the result has ended, in the order of the runs.
    fn take_energies(_findings: &mut Self::Findings, _energies: &[EnergyDocument]) {}

    /// What is known of blocks that were read back after the run had ended, and are not as they were written; none of a kind that
    /// reads nothing back.
    fn not_as_written_later(_findings: &Self::Findings) -> Option<&NotAsWrittenDocument> {
        None
    }

    /// Whether the findings hold nothing that fails a check ([`StoredResult::passes`]).
    fn passes_check(_findings: &Self::Findings) -> bool {
        true
    }

    /// Why figures of a result are withheld, in a sentence without its final stop; none where they are not.
    fn withheld(kept: &StoredResult<Self>) -> Option<&str> {
        kept.analysis.as_ref()?.withheld.as_deref()
    }

    /// The figures of a result by which drives are compared across kinds; none where they are withheld.
    fn key_figures(_kept: &StoredResult<Self>) -> Vec<KeyFigure> {
        Vec::new()
    }

    /// What was measured, in words that go on after "energy of": the kind, and what a review may vary of it on one drive.
    fn measured_in_words(_settings: &Self::Settings) -> String {
        Self::WORDS.to_owned()
    }

    /// How the main figure of a result went on in time; none of a kind that has none.
    fn curve(_kept: &StoredResult<Self>) -> Option<Curve> {
        None
    }

    /// The result in the form of fio's output; none of a kind, or a result, that fio has no job for.
    fn fio_output(_kept: &StoredResult<Self>) -> Option<FioOutput> {
        None
    }

    /// What a kind shows of these results, of which there is at least one. [`StoredResult::view`] puts first what the drives
    /// did not do as they were asked, which is the same of all kinds.
    fn own_view(results: &[StoredResult<Self>]) -> View;
}

/// A result of one kind.
pub struct StoredResult<K: ResultKind> {
    /// What tells its run from every other: [`Manifest::id`].
    pub id: String,
    /// The name of its folder, where it was kept.
    pub folder: Option<String>,
    /// What was run, on which drive, in which environment, and how it ended.
    pub run: Manifest,
    /// What was asked for.
    pub settings: K::Settings,
    /// What was found.
    pub findings: K::Findings,
    /// What the records of its I/Os give; none of a kind that does not read them.
    pub analysis: Option<RecordsAnalysis>,
    /// What is wrong with the records of a kind whose figures do not come from them, in a sentence without its final stop.
    pub damage: Option<String>,
    /// What was read from the machine and the meter while it ran.
    pub gauges: Vec<Gauged>,
    /// The energy of what was measured, where a meter was read.
    pub energy: Option<EnergyDocument>,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// By itself.
    Whole,
    /// By its user, or by the drive's temperature.
    Interrupted,
    /// It left no outcome: it was killed, or is still under way.
    Killed,
}

impl<K: ResultKind> StoredResult<K> {
    /// How warm the drive was; none of a run that was killed, or whose drive showed nothing of it.
    pub(crate) fn heat(&self) -> Option<&HeatDocument> {
        self.run.outcome.as_ref()?.heat.as_ref()
    }

    /// The same without the drive's serial number, where that is not to be shown.
    #[must_use]
    pub fn with_hidden_serial(self) -> StoredResult<K> {
        let hidden = self.run.hidden_serials();
        let name = |text: String| hidden.in_text(&text);
        StoredResult {
            folder: self.folder.map(name),
            run: hidden.apply(self.run),
            settings: hidden.apply(self.settings),
            findings: hidden.apply(self.findings),
            damage: self.damage.map(name),
            ..self
        }
    }

    /// The figures by which drives are compared across kinds, the energy and the power of the test among them where a meter was
    /// read.
    pub fn key_figures(&self) -> Vec<KeyFigure> {
        let known = self.energy.as_ref().filter(|energy| energy.withheld.is_none());
        let work = K::measured_in_words(&self.settings);
        let per_gb = known.and_then(|energy| energy.joules_per_gb).map(|per_gb| {
            let value = estimate(Quantity::JoulesPerGigabyte, per_gb);
            KeyFigure::of_value(format!("Energy of {work}"), value, Better::Low)
        });
        // A slow drive may draw less only because it does less.
        let watts = known.and_then(|energy| energy.watts).map(|watts| {
            let value = estimate(Quantity::Watts, watts);
            KeyFigure::of_value(format!("Mean power of {work}"), value, Better::Neither)
        });
        let all = K::key_figures(self).into_iter().chain(per_gb).chain(watts);
        if !self.is_faulty() {
            return all.collect();
        }
        // Whatever a drive that fails or forgets is fast at: it is better than no other.
        all.map(|figure| KeyFigure { better: Better::Neither, ..figure }).collect()
    }

    /// What was asked for, as far as results are ranked by it.
    pub fn asked(&self) -> Vec<AskedSetting> {
        asked::in_words_of(&K::ranked_by(&self.settings))
    }

    /// How the run ended.
    pub fn ended(&self) -> Ended {
        match &self.run.outcome {
            None => Ended::Killed,
            Some(outcome) if outcome.interrupted => Ended::Interrupted,
            Some(_) => Ended::Whole,
        }
    }

    /// The conditions of the run, with when and where it began, and what a simulated drive overrides of its profile.
    pub fn conditions(&self) -> Vec<Condition> {
        let overrides = SimulatedTarget::from_run(&self.run).and_then(|target| target.overrides_in_words());
        let overrides = overrides.map(|overrides| Condition::new("Drive", "Overrides", overrides));
        let line = |name: &str, value: String| Condition::new("System", name, value);
        let started = self.run.started.iter();
        let started = started.flat_map(|started| {
            let date = Condition { changes_by_itself: true, ..line("Date", started.at.in_words()) };
            [date, line("Machine", started.machine.clone())]
        });
        self.run.conditions.iter().cloned().chain(overrides).chain(started).collect()
    }

    /// What takes from the figures of this result: what the run noted itself, and what its records say.
    pub fn notices(&self) -> Vec<Notice> {
        let of_records =
            self.analysis.iter().flat_map(|records| crate::run_notices::notices(&self.run, records));
        let damage = self.damage.iter().map(|damage| Notice::failure(format!("{damage}.")));
        let still = crate::stood_still::notice(&self.run, K::STANDSTILLS, || self.delayed());
        let of_machine = crate::machine_limit::notices(&self.run);
        self.run
            .notices
            .iter()
            .cloned()
            .chain(still)
            .chain(of_machine)
            .chain(of_records)
            .chain(damage)
            .collect()
    }

    /// I/Os that a standstill of the program delayed; of a killed run as far as its records were read.
    fn delayed(&self) -> DelayedIos {
        let of_records = || self.analysis.as_ref().map(|records| records.run.delayed()).unwrap_or_default();
        self.run.outcome.as_ref().map_or_else(of_records, |outcome| DelayedIos {
            at_least: outcome.at_least,
            left_out: outcome.left_out,
            longest_left_out: Nanos::new(outcome.longest_left_out_ns),
        })
    }

    /// Whether I/Os failed, or blocks are not as they were written: figures of such a drive are compared with no other's.
    pub(crate) fn is_faulty(&self) -> bool {
        if K::not_as_written_later(&self.findings).is_some() {
            return true;
        }
        let Some(outcome) = &self.run.outcome else { return false };
        let lapses = outcome.lapses.as_ref();
        outcome.failed > 0
            || lapses.is_some_and(|lapses| {
                lapses.unanswered.is_some() || !lapses.failed.is_empty() || lapses.not_as_written.is_some()
            })
    }

    /// Whether nothing stands against the result: it ended as planned, everything that was asked for was found, and no check
    /// failed. Where it does not pass, the test ends with exit code 1, and so does a report of it.
    pub fn passes(&self) -> bool {
        let lacks_energy = self.energy.as_ref().is_some_and(|energy| energy.withheld.is_some());
        let has_failed = self.notices().iter().any(|notice| notice.severity == Severity::Failure);
        let is_whole = self.ended() == Ended::Whole && K::withheld(self).is_none();
        is_whole && !has_failed && !lacks_energy && !self.is_faulty() && K::passes_check(&self.findings)
    }

    /// What takes from the figures of this result and not from those of the others.
    pub fn own_notices(&self, shared: &[Notice]) -> Vec<Notice> {
        self.notices().into_iter().filter(|notice| !shared.contains(notice)).chain(self.killed()).collect()
    }

    /// What a run without an outcome has to say.
    fn killed(&self) -> Option<Notice> {
        let text =
            "The run did not end by itself: it was killed, or is still under way. What it left is shown.";
        let silent = self.run.phases.iter().find(|phase| !phase.silences.is_empty());
        let text = match silent {
            Some(phase) => format!("{text} {}", silent_at_last(phase)),
            None => text.to_owned(),
        };
        (self.ended() == Ended::Killed).then(|| Notice::failure(text))
    }
}

/// That the drive answered nothing in this phase when the run was killed, of which the records know nothing: such as "The drive
/// had not answered 4 I/Os since second 4.00 of the phase load."
fn silent_at_last(phase: &Phase) -> String {
    let from_ns = phase.silences.iter().map(|silence| silence.from_ns).min().unwrap_or(phase.started_at_ns);
    let outstanding = phase.silences.iter().map(|silence| u64::from(silence.outstanding)).sum();
    let at_s = Nanos::new(from_ns.saturating_sub(phase.started_at_ns)).as_secs_f64();
    let since = moment(&PhaseMoment { phase: phase.name.clone(), at_s });
    format!("The drive had not answered {} since {since}.", things(outstanding, "I/O"))
}

/// What every one of several results has to say, which is said once for all of them; nothing of a single result.
pub(crate) fn shared_notices<K: ResultKind>(results: &[StoredResult<K>]) -> Vec<Notice> {
    let Some((first, others)) = results.split_first().filter(|(_, others)| !others.is_empty()) else {
        return Vec::new();
    };
    let others: Vec<Vec<Notice>> = others.iter().map(StoredResult::notices).collect();
    let in_all = |notice: &Notice| others.iter().all(|other| other.contains(notice));
    first.notices().into_iter().filter(in_all).collect()
}

/// How many drives the results are of.
pub(crate) fn drives<K: ResultKind>(results: &[StoredResult<K>]) -> usize {
    numbers_of_drives(results).into_iter().max().map_or(0, |last| last + 1)
}

/// A number for the drive of each result, equal for those of one drive.
pub(crate) fn numbers_of_drives<K: ResultKind>(results: &[StoredResult<K>]) -> Vec<usize> {
    let placed: Vec<PlacedDrive> = results.iter().map(|kept| kept.run.placed_drive()).collect();
    number_drives(&placed)
}
