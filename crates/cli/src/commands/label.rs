//! `drivelab label`: what a result is called, after it was measured.

use std::path::Path;

use drivelab_documents::review::is_review_folder;
use drivelab_record::{RunFolder, is_run_folder};
use drivelab_runner::{Ending, Failure, Remade, remake_page, say, usage};
use drivelab_trace::{TraceFolder, is_trace_folder};

use super::folders::say_outdated;
use super::review;
use crate::args::LabelArgs;

/// Gives a result another name or remark, and makes its page again.
pub fn main(args: &LabelArgs) -> Result<Ending, Failure> {
    let path = &args.folder;
    if is_review_folder(path) {
        review::label(path, &args.name.result_name(), args.show_serial)?;
        return Ok(Ending::Passed);
    }
    if is_trace_folder(path) {
        return label_trace(path, args);
    }
    if path.is_dir() && !is_run_folder(path) {
        if review::label_drive(path, &args.name.result_name(), args.show_serial)? {
            return Ok(Ending::Passed);
        }
        return Err(usage!(
            "{}: there is no run.json: name the folder of one result, such as {}, or that of a review",
            path.display(),
            path.join("00-sdb").display()
        ));
    }
    let (folder, mut run) = RunFolder::open(path)?;
    if run.outcome.is_none() {
        return Err(usage!(
            "{}: the run has not ended, or was killed: only the result of a run that ended takes a name",
            path.display()
        ));
    }
    let name = args.name.result_name();
    run.label = name.label(run.label);
    run.given_name = name.given().or(run.given_name);
    run.note = name.note().or(run.note);
    run.hides_serial = (run.hides_serial || name.hides_serial) && !args.show_serial;
    folder.save(&run)?;
    match remake_page(path)? {
        Remade::Page(page) => say!("report: {}", page.display()),
        Remade::Outdated(page) => say_outdated(&page, path),
        Remade::Nothing => {}
    }
    Ok(Ending::Passed)
}

/// Gives a trace another name: it has no page, no remark and no serial number of its own.
fn label_trace(path: &Path, args: &LabelArgs) -> Result<Ending, Failure> {
    let name = args.name.result_name();
    let (Some(label), None, false, false) = (name.label, name.note, name.hides_serial, args.show_serial)
    else {
        return Err(usage!("{} is a trace, which takes --label, and nothing else", path.display()));
    };
    TraceFolder::label(path, label)?;
    Ok(Ending::Passed)
}
