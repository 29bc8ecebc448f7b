//! What results are called that are shown together.

use drivelab_record::{Manifest, SimulatedTarget, one_name};
use drivelab_view::Subject;
use drivelab_view::format::bytes;

use super::{ComparedResult, Ended, ResultKind, StoredResult};

/// The results as subjects of a view. Where two have one label, the name of the folder tells them apart, or else their place.
pub(super) fn subjects<K: ResultKind>(results: &[StoredResult<K>]) -> Vec<Subject> {
    let named: Vec<_> = results.iter().map(|kept| (kept, (K::HOOKS.label)(results, kept))).collect();
    let folders: Vec<Option<&str>> = results.iter().map(|kept| kept.folder.as_deref()).collect();
    let labels = tell_apart(&with_preconditioning(results, without_shared_overrides(&named)), &folders);
    // Figures say nothing of a run that did not end as planned.
    let marked = |kept: &StoredResult<K>, label: String| match kept.ended() {
        Ended::Interrupted if results.len() > 1 => format!("{label}, interrupted"),
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

/// The drives of results as they were named, several of one drive with the same name.
pub(super) fn names_of_drives<K: ResultKind>(results: &[ComparedResult<'_, K>]) -> Vec<String> {
    let targets: Vec<_> = results.iter().map(|one| (one.kept, one.kept.run.target.as_str())).collect();
    drives_called(results, without_shared_overrides(&targets))
}

/// What the drives of results are called: as the user calls them, or else by these names. Drives of one name are told apart by
/// their targets.
pub(super) fn drives_called<K: ResultKind>(
    results: &[ComparedResult<'_, K>],
    names: Vec<String>,
) -> Vec<String> {
    let given = |one: &ComparedResult<'_, K>| {
        let own = results.iter().filter(|other| other.drive == one.drive);
        one_name(own.map(|other| other.kept.run.given_name.as_deref())).map(str::to_owned)
    };
    let named: Vec<String> =
        results.iter().zip(names).map(|(one, name)| given(one).unwrap_or(name)).collect();
    let shown = |(one, name): (&ComparedResult<'_, K>, &String)| {
        let mut others = named.iter().zip(results);
        let is_shared = others.any(|(other, result)| other == name && result.drive != one.drive);
        let target = &one.kept.run.target;
        if is_shared && name != target { format!("{name}, {target}") } else { name.clone() }
    };
    results.iter().zip(&named).map(shown).collect()
}

/// The labels of results. The target of a simulated drive in them leaves out what all simulated drives among the results override
/// alike: it is in the conditions.
fn without_shared_overrides<K: ResultKind>(labelled: &[(&StoredResult<K>, &str)]) -> Vec<String> {
    let own = labelled.iter().map(|(kept, _)| SimulatedTarget::from_run(&kept.run));
    let targets: Vec<SimulatedTarget<'_>> = own.flatten().collect();
    let shared = SimulatedTarget::shared(&targets);
    let label = |(kept, label): &(&StoredResult<K>, &str)| match SimulatedTarget::from_run(&kept.run) {
        Some(target) => label.replace(&kept.run.target, &shared.left_out_of(&target)),
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
