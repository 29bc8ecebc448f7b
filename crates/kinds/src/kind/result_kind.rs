//! What a kind of result is, and what results of it consist of. What is done with them is in the files next to this one.

use drivelab_block::Nanos;
use drivelab_documents::{EnergyDocument, Manifest, NotAsWrittenDocument, Notice};
use drivelab_fio::FioOutput;
use drivelab_method::PhaseObserver;
use drivelab_stats::Gauged;
use drivelab_view::{Curve, KeyFigure, Ranking, Subject, View};
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{IoFindings, Judging, MeasuredPhase};
use crate::RecordsAnalysis;
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
    type Settings: Clone + std::fmt::Debug + PartialEq + Serialize + DeserializeOwned;
    /// What was found, as `findings.json` keeps it; the default is what is known before the first I/O.
    type Findings: Clone + std::fmt::Debug + Default + PartialEq + Serialize + DeserializeOwned + JsonSchema;
    /// What a kind shows of these results, of which there is at least one. [`Comparison::page_view`] puts first what the drives
    /// did not do as they were asked, which is the same of all kinds.
    const VIEW: fn(&Comparison<'_, Self>) -> View;

    /// What becomes of the time in which the program itself stood still.
    const STANDSTILLS: StandstillRule = StandstillRule::LeaveOut;
    /// What few kinds have.
    const HOOKS: Hooks<Self> = Hooks::NONE;

    /// The settings by which figures are ranked: results that differ in them are shown without a best value. What changes
    /// nothing of the test, follows from the drive, or is what is compared, is the same for all.
    fn ranked_by(settings: &Self::Settings) -> Self::Settings {
        settings.clone()
    }

    /// The figures of a result by which drives are compared across kinds; none where they are withheld.
    fn key_figures(_kept: &StoredResult<Self>) -> Vec<KeyFigure> {
        Vec::new()
    }
}

/// What few kinds of results have, each with a default that changes nothing.
pub struct Hooks<K: ResultKind> {
    /// Whether the figures of a run that was killed come from its records; those of others are in its findings.
    pub recovers_killed_runs: bool,
    /// The I/Os of a kind whose figures come from their records. These are read again when the result is opened, and a run that
    /// was killed, and so left no findings, is shown with what its records give.
    pub(crate) ios: Option<IoHooks<K>>,
    /// What the records are also analysed as, when they are read again; none where [`DriveUnderTest::add_observer`] was not asked
    /// either.
    ///
    /// [`DriveUnderTest::add_observer`]: crate::DriveUnderTest::add_observer
    pub observer: fn(&Manifest, &K::Settings) -> Option<PhaseObserver>,
    /// Takes into the findings what the records give besides: when the run has ended, and again whenever it is opened.
    pub(crate) take_records: fn(&mut K::Findings, &RecordsOfRun<'_, K>),
    /// Slow I/Os; none of a kind that judges none.
    pub slow_ios: Option<SlowIoHooks<K>>,
    /// How the drive was preconditioned, as it stands behind the label of a result; none of a kind that has one way only.
    pub preconditioned: fn(&K::Settings) -> Option<&'static str>,
    /// What a result is called that is shown with these.
    pub label: for<'r> fn(&'r [StoredResult<K>], &'r StoredResult<K>) -> &'r str,
    /// Whether a run that ended by itself did all that it was asked for: others are not ranked.
    pub is_complete: fn(&StoredResult<K>) -> bool,
    /// Why results that were asked for alike are not ranked all the same, in a sentence; none where they are.
    pub unlike: fn(&[StoredResult<K>]) -> Option<&'static str>,
    /// Whether a run of a task that was done several times, by its place, is in the means of its energy.
    pub is_counted: fn(&K::Findings, usize) -> bool,
    /// Takes into the findings what each run of the task took, by a meter: when the result has ended, in the order of the runs.
    pub take_energies: fn(&mut K::Findings, &[EnergyDocument]),
    /// What is known of blocks that were read back after the run had ended, and are not as they were written; none of a kind
    /// that reads nothing back.
    pub not_as_written_later: fn(&K::Findings) -> Option<&NotAsWrittenDocument>,
    /// Whether the findings hold nothing that fails a check ([`StoredResult::passes`]).
    pub passes_check: fn(&K::Findings) -> bool,
    /// What was measured, in words that go on after "energy of": the kind, and what a review may vary of it on one drive.
    pub measured_in_words: fn(&K::Settings) -> String,
    /// How the main figure of a result went on in time; none of a kind that has none.
    pub curve: fn(&StoredResult<K>) -> Option<Curve>,
    /// The result in the form of fio's output; none of a kind, or a result, that fio has no job for.
    pub fio_output: fn(&ComparedResult<'_, K>) -> Option<FioOutput>,
}

/// A kind whose figures come from the records of I/Os.
pub(crate) struct IoHooks<K: ResultKind> {
    /// What is found of the I/Os.
    pub found: fn(&K::Findings) -> &IoFindings,
    /// The same, to be changed.
    pub found_mut: fn(&mut K::Findings) -> &mut IoFindings,
    /// By what the rate is judged.
    pub judging: fn(&K::Settings) -> Judging,
}

/// A kind of which slow I/Os are judged.
pub struct SlowIoHooks<K: ResultKind> {
    /// From when on they are slow, where that was asked for.
    pub from: fn(&K::Settings) -> Option<Nanos>,
    /// Has them judged from another time on.
    pub judge_from: fn(&mut K::Settings, Option<Nanos>),
    /// Judges those of results that are shown together, which were counted at the same thresholds, all at one of these.
    pub judge_together: fn(&mut [StoredResult<K>]),
}

/// What the records of a run give, with what was asked for.
pub(crate) struct RecordsOfRun<'a, K: ResultKind> {
    /// What was run.
    pub run: &'a Manifest,
    /// What was asked for.
    pub settings: &'a K::Settings,
    /// What its records give.
    pub records: &'a RecordsAnalysis,
    /// The phase that figures are taken from; none of a kind that takes none from records.
    pub measured: Option<&'a MeasuredPhase<'a>>,
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

/// Results of one kind that are shown together, or a single one, with what several blocks of their page need: labels, what may be
/// ranked, and the phases that figures are taken from. Each is found once, when this is made. It stands for the list of results.
pub struct Comparison<'a, K: ResultKind> {
    pub(super) results: Vec<ComparedResult<'a, K>>,
    /// Whether figures are ranked: only where everything that was asked for is equal, and every run did all of it by itself, on
    /// a drive that did what was asked.
    pub(crate) ranking: Ranking,
    /// What every one of several results has to say, which is said once for all of them; nothing of a single result.
    pub(crate) shared_notices: Vec<Notice>,
}

/// One of the results that are shown together. It stands for the result.
pub struct ComparedResult<'a, K: ResultKind> {
    pub(super) kept: &'a StoredResult<K>,
    /// Its place among the results, which is that of its subject in the view.
    pub(crate) place: usize,
    /// Whether it is the only one.
    pub(crate) is_alone: bool,
    /// A number that is equal for those of one drive.
    pub(crate) drive: usize,
    /// Its subject, whose label no other one has.
    pub(crate) subject: Subject,
    /// What takes from the figures of this result and not from those of the others.
    pub(crate) own_notices: Vec<Notice>,
    /// Its I/Os and the phase that figures are taken from; none of a kind that does not read records.
    pub(crate) recorded: Option<RecordedIos<'a>>,
}

/// The I/Os of a result whose figures come from their records.
pub(crate) struct RecordedIos<'a> {
    /// The phase that figures are taken from.
    pub measured: MeasuredPhase<'a>,
    /// What was found of all phases.
    pub found: &'a IoFindings,
}

impl<K: ResultKind> Hooks<K> {
    /// Those of a kind that has none of its own.
    pub const NONE: Hooks<K> = Hooks {
        recovers_killed_runs: false,
        ios: None,
        observer: |_, _| None,
        take_records: |_, _| {},
        slow_ios: None,
        preconditioned: |_| None,
        label: |_, kept| &kept.run.label,
        is_complete: |_| true,
        unlike: |_| None,
        is_counted: |_, _| true,
        take_energies: |_, _| {},
        not_as_written_later: |_| None,
        passes_check: |_| true,
        measured_in_words: |_| K::WORDS.to_owned(),
        curve: |_| None,
        fio_output: |_| None,
    };

    /// Whether figures come from the records of the run's I/Os.
    pub fn reads_records(&self) -> bool {
        self.ios.is_some()
    }
}

/// Takes into the findings what the records give: when the run has ended, and again whenever it is opened.
pub fn take_records<K: ResultKind>(
    findings: &mut K::Findings,
    run: &Manifest,
    settings: &K::Settings,
    records: &RecordsAnalysis,
) {
    let measured = K::HOOKS.ios.map(|ios| {
        let measured = MeasuredPhase::new(run, records, (ios.judging)(settings));
        let found = (ios.found_mut)(findings);
        *found = IoFindings::from_records(run, records, &measured, std::mem::take(found));
        measured
    });
    (K::HOOKS.take_records)(findings, &RecordsOfRun { run, settings, records, measured: measured.as_ref() });
}
