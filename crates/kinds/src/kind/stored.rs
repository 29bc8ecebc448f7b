//! Results with everything that is known of them, whether they have just ended or were opened again.

use drivelab_block::Nanos;
use drivelab_documents::{
    Condition, HeatDocument, Manifest, Notice, Phase, PhaseMoment, Severity, SimulatedTarget,
    overrides_in_words,
};
use drivelab_stats::DelayedIos;
use drivelab_view::format::things;
use drivelab_view::{Better, KeyFigure, Quantity};

use super::{ResultKind, StoredResult};
use crate::asked::{self, AskedSetting};
use crate::estimate::estimate;
use crate::machine_limit;
use crate::words::moment;

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// By itself.
    Whole,
    /// By its user, or by the drive's temperature.
    Interrupted,
    /// By the drive or the machine, before everything was measured.
    BrokeOff,
    /// It left no outcome: it was killed, or is still under way.
    Killed,
}

impl Ended {
    /// How a run ended, by its manifest. One that the drive or the machine ended may have been interrupted for that.
    pub fn from_run(run: &Manifest) -> Ended {
        match &run.outcome {
            None => Ended::Killed,
            Some(outcome) if outcome.broke_off => Ended::BrokeOff,
            Some(outcome) if outcome.interrupted => Ended::Interrupted,
            Some(_) => Ended::Whole,
        }
    }
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
        let work = (K::HOOKS.measured_in_words)(&self.settings);
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
        Ended::from_run(&self.run)
    }

    /// The conditions of the run, with when and where it began, and what a simulated drive overrides of its profile.
    pub fn conditions(&self) -> Vec<Condition> {
        let simulated = SimulatedTarget::from_run(&self.run);
        let overrides = simulated.and_then(|target| overrides_in_words(&target.overrides));
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
        let records = self.analysis.iter();
        let of_records = records.flat_map(|records| machine_limit::notices_of_records(&self.run, records));
        let damage = self.damage.iter().map(|damage| Notice::failure(format!("{damage}.")));
        let still = crate::stood_still::notice(&self.run, K::STANDSTILLS, || self.delayed());
        let of_machine = machine_limit::notices(&self.run);
        let own = self.run.notices.iter().cloned();
        own.chain(still).chain(of_machine).chain(of_records).chain(damage).collect()
    }

    /// Why its figures are withheld, in a sentence without its final stop; none where they are not.
    pub fn withheld(&self) -> Option<&str> {
        self.analysis.as_ref()?.withheld.as_deref()
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

    /// Whether it ended as planned on a drive that did all that it was asked.
    pub(crate) fn did_all_it_was_asked(&self) -> bool {
        self.ended() == Ended::Whole && !self.is_faulty() && (K::HOOKS.is_complete)(self)
    }

    /// Whether I/Os failed, or blocks are not as they were written: figures of such a drive are compared with no other's.
    pub(crate) fn is_faulty(&self) -> bool {
        if (K::HOOKS.not_as_written_later)(&self.findings).is_some() {
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
        let is_whole = self.ended() == Ended::Whole && self.withheld().is_none();
        is_whole
            && !has_failed
            && !lacks_energy
            && !self.is_faulty()
            && (K::HOOKS.passes_check)(&self.findings)
    }

    /// What takes from the figures of this result and not from those of the others.
    pub(super) fn own_notices(&self, shared: &[Notice]) -> Vec<Notice> {
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
