//! What a review is called, after it was done.

use std::path::Path;

use drivelab_record::RunFolder;
use drivelab_review::ReviewRecord;
use drivelab_runner::{Failure, ResultName, output, remake_page};

use super::{lock, page};

/// Gives a review another name or remark, and makes its page again. Its results keep their names; they get the remark, and hide
/// or show serial numbers as the review does.
///
/// # Errors
/// The folder is none of a review, another review works in it, or a file cannot be written.
pub fn label(folder: &Path, name: &ResultName<'_>, shows_serial: bool) -> Result<(), Failure> {
    let (mut record, _) = ReviewRecord::read(folder).map_err(|error| Failure::Usage(error.to_string()))?;
    let _lock = lock::locked(folder)?;
    record.label = name.label.map(str::to_owned).or(record.label);
    record.note = name.note().or(record.note);
    record.hides_serial = (record.hides_serial || name.hides_serial) && !shows_serial;
    record.write(folder).map_err(|error| Failure::Environment(error.to_string()))?;
    for (_, path) in page::results_of(folder, &record) {
        let (run_folder, mut run) = RunFolder::open(&path)?;
        run.note = name.note().or(run.note);
        run.hides_serial = record.hides_serial;
        run_folder.save(&run)?;
        remake_page(&path)?;
    }
    let path = page::write(folder, &record)?;
    output::say(format_args!("report: {}", path.display()));
    Ok(())
}
