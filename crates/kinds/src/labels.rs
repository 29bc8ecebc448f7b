//! What results are called that are shown together.

use drivelab_record::{Manifest, SimulatedTarget, one_name};
use drivelab_view::Subject;
use drivelab_view::format::bytes;

use crate::kept::{Ended, ResultKind, StoredResult};

/// The results as subjects of a view. Where two have one label, the name of the folder tells them apart, or else their place.
pub(crate) fn subjects<K: ResultKind>(results: &[StoredResult<K>]) -> Vec<Subject> {
    labelled(results, |kept| &kept.run.label)
}

/// The same with other labels.
pub(crate) fn labelled<K: ResultKind>(
    results: &[StoredResult<K>],
    of: fn(&StoredResult<K>) -> &str,
) -> Vec<Subject> {
    let labels = with_preconditioning(results, without_shared_overrides(results, of));
    let label = |place: usize| {
        let namesakes: Vec<usize> =
            (0..labels.len()).filter(|other| labels[*other] == labels[place]).collect();
        let folder = |place: usize| results[place].folder.as_deref();
        let tells_apart = namesakes.iter().all(|other| *other == place || folder(*other) != folder(place));
        match folder(place).filter(|_| namesakes.len() > 1) {
            Some(folder) if tells_apart => format!("{} ({folder})", labels[place]),
            Some(folder) => format!("{} ({folder}, {})", labels[place], place + 1),
            None => labels[place].clone(),
        }
    };
    // Figures say nothing of a run that did not end as planned.
    let marked = |(place, kept): (usize, &StoredResult<K>)| match kept.ended() {
        Ended::Interrupted if results.len() > 1 => format!("{}, interrupted", label(place)),
        Ended::Killed if results.len() > 1 => format!("{}, killed", label(place)),
        _ => label(place),
    };
    let subject = |one: (usize, &StoredResult<K>)| {
        let run = &one.1.run;
        Subject { origin: origin(run), ..Subject::new(marked(one), about(run)) }
    };
    results.iter().enumerate().map(subject).collect()
}

/// The drives of results as they were named, several of one drive with the same name.
pub(crate) fn drives<K: ResultKind>(results: &[StoredResult<K>]) -> Vec<String> {
    drives_called(results, without_shared_overrides(results, |kept| &kept.run.target))
}

/// What the drives of results are called: as the user calls them, or else by these names. Drives of one name are told apart by
/// their targets.
pub(crate) fn drives_called<K: ResultKind>(results: &[StoredResult<K>], names: Vec<String>) -> Vec<String> {
    let numbers = crate::kept::numbers_of_drives(results);
    let of_drive = |number: usize| {
        let own = results.iter().zip(&numbers).filter(move |(_, other)| **other == number);
        one_name(own.map(|(kept, _)| kept.run.given_name.as_deref()))
    };
    let given: Vec<Option<&str>> = numbers.iter().map(|number| of_drive(*number)).collect();
    let named: Vec<String> =
        given.into_iter().zip(names).map(|(given, name)| given.map_or(name, str::to_owned)).collect();
    let shown = |(place, kept): (usize, &StoredResult<K>)| {
        let mut others = named.iter().zip(&numbers);
        let is_shared = others.any(|(other, number)| *other == named[place] && *number != numbers[place]);
        let name = &named[place];
        if is_shared && *name != kept.run.target {
            format!("{name}, {}", kept.run.target)
        } else {
            name.clone()
        }
    };
    results.iter().enumerate().map(shown).collect()
}

/// The labels of results. The target of a simulated drive in them leaves out what all simulated drives among the results override
/// alike: it is in the conditions.
fn without_shared_overrides<K: ResultKind>(
    results: &[StoredResult<K>],
    of: fn(&StoredResult<K>) -> &str,
) -> Vec<String> {
    let targets = results.iter().filter_map(|kept| SimulatedTarget::from_run(&kept.run)).collect::<Vec<_>>();
    let shared = SimulatedTarget::shared(&targets);
    let label = |kept: &StoredResult<K>| {
        let label = of(kept);
        let target = SimulatedTarget::from_run(&kept.run);
        target.map_or_else(
            || label.to_owned(),
            |target| label.replace(&kept.run.target, &shared.left_out_of(&target)),
        )
    };
    results.iter().map(label).collect()
}

/// The labels with how each drive was preconditioned, where that differs.
fn with_preconditioning<K: ResultKind>(results: &[StoredResult<K>], labels: Vec<String>) -> Vec<String> {
    let ways: Vec<_> = results.iter().map(|kept| K::preconditioned(&kept.settings)).collect();
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
