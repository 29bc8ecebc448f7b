//! What a review is called, and each drive of it, after it was done.

use std::path::Path;

use drivelab_documents::Manifest;
use drivelab_documents::review::{ReviewRecord, is_review_folder};
use drivelab_record::RunFolder;
use drivelab_runner::{Failure, ResultName, environment, remake_page, say, usage};

use super::begin::locked;
use super::page;
use crate::commands::folders::say_outdated;

/// Gives a review another name or remark, and makes its page again. Its results keep their names; they get the remark, and hide
/// or show serial numbers as the review does. Refused while another review works in it.
pub fn label(folder: &Path, name: &ResultName<'_>, shows_serial: bool) -> Result<(), Failure> {
    let mut record = record_of(folder)?;
    let _lock = locked(folder)?;
    record.label = name.label.map(str::to_owned).or(record.label);
    record.note = name.note().or(record.note);
    record.hides_serial = (record.hides_serial || name.hides_serial) && !shows_serial;
    record.write(folder).map_err(|error| environment!("{error}"))?;
    let change = |run: &mut Manifest| {
        run.note = name.note().or(run.note.take());
        run.hides_serial = record.hides_serial;
    };
    change_results(folder, &record, |_| true, change)
}

/// Gives the results of a drive of a review another name or remark, and makes the pages again; false if the folder is none of a
/// drive of a review.
pub fn label_drive(folder: &Path, name: &ResultName<'_>, shows_serial: bool) -> Result<bool, Failure> {
    let Ok(place) = folder.canonicalize() else { return Ok(false) };
    let (Some(own), Some(review)) = (place.file_name(), place.parent()) else { return Ok(false) };
    if !is_review_folder(review) {
        return Ok(false);
    }
    let record = record_of(review)?;
    let Some(drive) = record.targets.iter().position(|target| own == target.folder.as_str()) else {
        return Ok(false);
    };
    let _lock = locked(review)?;
    let change = |run: &mut Manifest| {
        run.label = name.label(std::mem::take(&mut run.label));
        run.given_name = name.given().or(run.given_name.take());
        run.note = name.note().or(run.note.take());
        run.hides_serial = (run.hides_serial || name.hides_serial) && !shows_serial;
    };
    change_results(review, &record, |target| target == drive, change)?;
    Ok(true)
}

fn record_of(folder: &Path) -> Result<ReviewRecord, Failure> {
    Ok(ReviewRecord::read(folder).map_err(|error| usage!("{error}"))?.0)
}

/// Changes the results of these targets, and makes their pages and that of the review again.
fn change_results(
    folder: &Path,
    record: &ReviewRecord,
    is_meant: impl Fn(usize) -> bool,
    change: impl Fn(&mut Manifest),
) -> Result<(), Failure> {
    for (target, path) in page::results_of(folder, record) {
        if is_meant(target) {
            let (run_folder, mut run) = RunFolder::open(&path)?;
            change(&mut run);
            run_folder.save(&run)?;
            remake_page(&path)?;
        }
    }
    if !page::is_quick(folder, record)? {
        say_outdated(&folder.join(page::PAGE), folder);
        return Ok(());
    }
    let path = page::write(folder, record)?;
    say!("report: {}", path.display());
    Ok(())
}
