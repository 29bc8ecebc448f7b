//! Results of one kind that are shown together, and whether their figures are ranked.

use std::ops::Deref;

use drivelab_block::{PlacedDrive, number_drives};
use drivelab_documents::{Manifest, Notice, SimulatedTarget, one_name};
use drivelab_view::format::{bytes, each_once};
use drivelab_view::{Columns, Ranking, Row, Subject, Table};

use super::{ComparedResult, Comparison, Ended, MeasuredPhase, RecordedIos, ResultKind, StoredResult};
use crate::asked;

impl<'a, K: ResultKind> Comparison<'a, K> {
    /// These results, of which there is at least one.
    pub fn new(results: &'a [StoredResult<K>]) -> Comparison<'a, K> {
        let placed: Vec<PlacedDrive> = results.iter().map(|kept| kept.run.placed_drive()).collect();
        let shared_notices = shared_notices(results);
        let subjects = subjects(results);
        let ranking = ranking(results, &subjects);
        let compared = results.iter().zip(subjects).zip(number_drives(&placed)).enumerate();
        let compared = compared.map(|(place, ((kept, subject), drive))| ComparedResult {
            kept,
            place,
            is_alone: results.len() == 1,
            drive,
            subject,
            own_notices: kept.own_notices(&shared_notices),
            recorded: recorded(kept),
        });
        Comparison { results: compared.collect(), ranking, shared_notices }
    }

    /// How many drives the results are of.
    pub(crate) fn drives(&self) -> usize {
        self.iter().map(|one| one.drive + 1).max().unwrap_or(0)
    }

    /// What the drives of the results are called: as the user calls them, or else by these names. Drives of one name are told
    /// apart by their targets.
    pub(crate) fn drives_called(&self, names: Vec<String>) -> Vec<String> {
        let given = |one: &ComparedResult<'_, K>| {
            let own = self.iter().filter(|other| other.drive == one.drive);
            one_name(own.map(|other| other.run.given_name.as_deref())).map(str::to_owned)
        };
        let named: Vec<String> =
            self.iter().zip(names).map(|(one, name)| given(one).unwrap_or(name)).collect();
        let shown = |(one, name): (&ComparedResult<'_, K>, &String)| {
            let mut others = named.iter().zip(self.iter());
            let is_shared = others.any(|(other, result)| other == name && result.drive != one.drive);
            let target = &one.run.target;
            if is_shared && name != target { format!("{name}, {target}") } else { name.clone() }
        };
        self.iter().zip(&named).map(shown).collect()
    }

    /// The drives of the results as they were named, several of one drive with the same name.
    pub(crate) fn names_of_drives(&self) -> Vec<String> {
        let targets: Vec<_> = self.iter().map(|one| (one.kept, one.run.target.as_str())).collect();
        self.drives_called(without_shared_overrides(&targets))
    }

    /// Whether figures are ranked.
    pub(crate) fn is_ranked(&self) -> bool {
        self.ranking == Ranking::Ranked
    }

    /// The results, the best first where they are ranked: those of which `merit` is the greatest.
    pub(crate) fn best_first(
        &self,
        merit: impl Fn(&ComparedResult<'a, K>) -> f64,
    ) -> Vec<&ComparedResult<'a, K>> {
        let mut results: Vec<&ComparedResult<'a, K>> = self.iter().collect();
        if self.is_ranked() {
            results.sort_by(|one, other| merit(other).total_cmp(&merit(one)));
        }
        results
    }

    /// The greatest of the numbers of each result that all of them have; none where there is none.
    pub(crate) fn greatest_common(&self, of: impl Fn(&K::Findings) -> Vec<u64>) -> Option<u64> {
        let all: Vec<Vec<u64>> = self.iter().map(|one| of(&one.findings)).collect();
        let (first, others) = all.split_first()?;
        first.iter().copied().filter(|number| others.iter().all(|other| other.contains(number))).max()
    }

    /// A table with a row for each of what was found of every result, below its head.
    pub(crate) fn table<R>(
        &self,
        columns: &Columns<'_, R>,
        id: &str,
        corner: &str,
        found: fn(&K::Findings) -> &[R],
        head: impl Fn(&R) -> String,
    ) -> Table {
        let mut table = columns.table(id, "", corner);
        for one in self.iter() {
            let rows = found(&one.findings).iter();
            table.rows.extend(rows.map(|row| one.row(head(row), columns.cells(row))));
        }
        table
    }

    /// The I/Os of those whose figures come from records.
    pub(crate) fn recorded(&self) -> impl Iterator<Item = (&ComparedResult<'a, K>, &RecordedIos<'a>)> {
        self.iter().filter_map(|one| Some((one, one.recorded.as_ref()?)))
    }
}

/// A comparison stands for its results.
impl<'a, K: ResultKind> Deref for Comparison<'a, K> {
    type Target = [ComparedResult<'a, K>];

    fn deref(&self) -> &[ComparedResult<'a, K>] {
        &self.results
    }
}

impl<K: ResultKind> ComparedResult<'_, K> {
    /// What it is called: no other result of the comparison is called so.
    pub(crate) fn label(&self) -> &str {
        &self.subject.label
    }

    /// The label above the rows of a result in a table of several.
    pub(crate) fn group(&self) -> Option<String> {
        (!self.is_alone).then(|| self.label().to_owned())
    }

    /// A row of a table, which is marked as one of this result where there are several.
    pub(crate) fn row(&self, head: impl Into<String>, cells: Vec<drivelab_view::Cell>) -> Row {
        let subject = (!self.is_alone).then_some(self.place);
        Row { head: head.into(), subject, group: None, cells }
    }

    /// The same below the label of the result.
    pub(crate) fn grouped_row(&self, head: impl Into<String>, cells: Vec<drivelab_view::Cell>) -> Row {
        Row { group: self.group(), ..self.row(head, cells) }
    }
}

/// One of several results stands for the result.
impl<K: ResultKind> Deref for ComparedResult<'_, K> {
    type Target = StoredResult<K>;

    fn deref(&self) -> &StoredResult<K> {
        self.kept
    }
}

fn recorded<K: ResultKind>(kept: &StoredResult<K>) -> Option<RecordedIos<'_>> {
    let (ios, records) = (K::HOOKS.ios?, kept.analysis.as_ref()?);
    let measured = MeasuredPhase::new(&kept.run, records, (ios.judging)(&kept.settings));
    Some(RecordedIos { measured, found: (ios.found)(&kept.findings) })
}

/// What every one of several results has to say; nothing of a single one.
fn shared_notices<K: ResultKind>(results: &[StoredResult<K>]) -> Vec<Notice> {
    let Some((first, others)) = results.split_first().filter(|(_, others)| !others.is_empty()) else {
        return Vec::new();
    };
    let others: Vec<Vec<Notice>> = others.iter().map(StoredResult::notices).collect();
    let in_all = |notice: &Notice| others.iter().all(|other| other.contains(notice));
    first.notices().into_iter().filter(in_all).collect()
}

/// Whether figures of these results, which are called so, are ranked: only where everything that was asked for is equal, and
/// every run did all of it by itself, on a drive that did what was asked.
fn ranking<K: ResultKind>(results: &[StoredResult<K>], subjects: &[Subject]) -> Ranking {
    let Some((first, others)) = results.split_first().filter(|(_, others)| !others.is_empty()) else {
        return Ranking::Ranked;
    };
    let of_other = |other: &StoredResult<K>| {
        asked::differing(&K::ranked_by(&first.settings), &K::ranked_by(&other.settings))
    };
    let differing = each_once(others.iter().flat_map(of_other));
    if !differing.is_empty() {
        return Ranking::NotRanked(format!(
            "The results were asked for differently ({}): no value is marked as the best.",
            differing.join(", ")
        ));
    }
    let incomplete = results.iter().zip(subjects).filter(|(kept, _)| !kept.did_all_it_was_asked());
    let incomplete: Vec<&str> = incomplete.map(|(_, subject)| subject.label.as_str()).collect();
    if !incomplete.is_empty() {
        return Ranking::NotRanked(format!(
            "Not all did what was asked for to its end ({}): no value is marked as the best.",
            incomplete.join("; ")
        ));
    }
    let unlike = (K::HOOKS.unlike)(results);
    unlike.map_or(Ranking::Ranked, |why| Ranking::NotRanked(why.to_owned()))
}

/// The results as subjects of a view. Where two have one label, the name of the folder tells them apart, or else their place.
fn subjects<K: ResultKind>(results: &[StoredResult<K>]) -> Vec<Subject> {
    let named: Vec<_> = results.iter().map(|kept| (kept, (K::HOOKS.label)(results, kept))).collect();
    let folders: Vec<Option<&str>> = results.iter().map(|kept| kept.folder.as_deref()).collect();
    let labels = tell_apart(&with_preconditioning(results, without_shared_overrides(&named)), &folders);
    // Figures say nothing of a run that did not end as planned.
    let marked = |kept: &StoredResult<K>, label: String| match kept.ended() {
        Ended::Interrupted if results.len() > 1 => format!("{label}, interrupted"),
        Ended::BrokeOff if results.len() > 1 => format!("{label}, broke off"),
        Ended::Killed if results.len() > 1 => format!("{label}, killed"),
        _ => label,
    };
    let subject = |(kept, label): (&StoredResult<K>, String)| Subject {
        origin: origin(&kept.run),
        ..Subject::new(marked(kept, label), about(&kept.run))
    };
    results.iter().zip(labels).map(subject).collect()
}

/// These labels; several that are the same are told apart by the folders of their results, or else by their places.
pub fn tell_apart(labels: &[String], folders: &[Option<&str>]) -> Vec<String> {
    let told = |place: usize| {
        let label = &labels[place];
        let mut namesakes =
            (0..labels.len()).filter(|other| *other != place && labels[*other] == *label).peekable();
        let is_alone = namesakes.peek().is_none();
        let tells_apart = namesakes.all(|other| folders[other] != folders[place]);
        match folders[place] {
            _ if is_alone => label.clone(),
            Some(folder) if tells_apart => format!("{label} ({folder})"),
            Some(folder) => format!("{label} ({folder}, {})", place + 1),
            None => format!("{label} ({})", place + 1),
        }
    };
    (0..labels.len()).map(told).collect()
}

/// The labels of results. The target of a simulated drive in them leaves out what all simulated drives among the results override
/// alike: it is in the conditions.
fn without_shared_overrides<K: ResultKind>(labelled: &[(&StoredResult<K>, &str)]) -> Vec<String> {
    let own = labelled.iter().map(|(kept, _)| SimulatedTarget::from_run(&kept.run));
    let targets: Vec<SimulatedTarget<'_>> = own.flatten().collect();
    let shared = SimulatedTarget::shared(&targets);
    let label = |(kept, label): &(&StoredResult<K>, &str)| match SimulatedTarget::from_run(&kept.run) {
        Some(target) => label.replace(&kept.run.target, &target.without(&shared)),
        None => (*label).to_owned(),
    };
    labelled.iter().map(label).collect()
}

/// The labels with how each drive was preconditioned, where that differs.
fn with_preconditioning<K: ResultKind>(results: &[StoredResult<K>], labels: Vec<String>) -> Vec<String> {
    let ways: Vec<_> = results.iter().map(|kept| (K::HOOKS.preconditioned)(&kept.settings)).collect();
    if ways.windows(2).all(|pair| pair[0] == pair[1]) {
        return labels;
    }
    let with = |(label, way): (String, Option<&str>)| match way {
        Some(way) => format!("{label}, {way}"),
        None => label,
    };
    labels.into_iter().zip(ways).map(with).collect()
}

/// Which drive it is, as far as the label does not say it.
fn about(run: &Manifest) -> String {
    let drive = &run.drive;
    let serial = drive.serial.as_ref().map(|serial| format!("serial {serial}"));
    // A command or a directory has no size of its own.
    let size = (drive.size_bytes > 0).then(|| bytes(drive.size_bytes as f64));
    let firmware = drive.firmware.as_ref().map(|firmware| format!("firmware {firmware}"));
    let parts = [Some(drive.model.clone()), serial, firmware, size];
    parts.into_iter().flatten().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ")
}

/// When and where it was measured, with which version of the program, and what the user remarks on it.
fn origin(run: &Manifest) -> Vec<String> {
    let measured = run.started.as_ref().map(|started| format!("Measured {}", started.in_words(&run.version)));
    let remark = run.note.as_ref().map(|note| format!("Remark: {note}"));
    measured.into_iter().chain(remark).collect()
}
