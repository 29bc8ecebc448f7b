//! `drivelab report`: results and the traces next to them, shown again.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use drivelab_documents::review::is_review_folder;
use drivelab_kinds::ResultKind as _;
use drivelab_kinds::replay::Replay;
use drivelab_record::is_run_folder;
use drivelab_runner::{Ending, Failure, Outputs, check_page, kind_of, report, say, usage};
use drivelab_trace::{is_shipped_trace, is_trace_folder};

use crate::args::ReportArgs;
use crate::commands::folders::{no_run, not_known, runs_in};
use crate::commands::{review, trace};

/// Opens the results and makes what was asked for of them.
pub fn main(args: &ReportArgs) -> Result<Ending, Failure> {
    let is_trace = |path: &PathBuf| is_shipped_trace(path) || is_trace_folder(path) && !is_run_folder(path);
    // A trace stands next to its replays, which are read as traces, too.
    let is_replay = |path: &PathBuf| kind_of(path).is_some_and(|kind| kind.name == Replay::NAME);
    let own = own_page(&args.runs);
    if args.runs.iter().any(is_trace) && args.runs.iter().all(|path| is_trace(path) || is_replay(path)) {
        check_asked_page(args, own.as_deref())?;
        return trace::report(&args.runs, &args.slow, &outputs(args, own.as_deref()));
    }
    if let [folder] = args.runs.as_slice()
        && is_review_folder(folder)
    {
        check_asked_page(args, own.as_deref())?;
        return review::report(folder, &outputs(args, own.as_deref()));
    }
    let found = find(&args.runs)?;
    let own = own.or_else(|| own_page(&found.runs));
    check_asked_page(args, own.as_deref())?;
    results(args, found, own.as_deref())
}

/// The page in the folder that is named alone.
fn own_page(folders: &[PathBuf]) -> Option<PathBuf> {
    let [folder] = folders else { return None };
    // What comes with the program has no folder to write to.
    (!is_shipped_trace(folder)).then(|| folder.join("report.html"))
}

/// Says what stands against the page that was asked for.
fn check_asked_page(args: &ReportArgs, own: Option<&Path>) -> Result<(), Failure> {
    args.report.as_deref().map_or(Ok(()), |page| check_page(page, own))
}

/// Makes the report of results. It replaces no page of others: it is written where that was asked for, or into the one
/// folder that was named.
fn results(args: &ReportArgs, found: FoundRuns, own: Option<&Path>) -> Result<Ending, Failure> {
    let FoundRuns { runs, mut without_manifest } = found;
    let mut results = Vec::new();
    for folder in runs {
        match kind_of(&folder) {
            Some(kind) => results.push((kind, folder)),
            None => without_manifest.push(not_known(&folder)),
        }
    }
    if results.is_empty() {
        let mut complaints = without_manifest.into_iter();
        let first = complaints.next();
        let nothing = || usage!("there is no result to show");
        return Err(first.map_or_else(nothing, |first| first.with(complaints)));
    }
    without_manifest.iter().for_each(|failure| say!("left out: {failure}"));
    let lacks_results = !without_manifest.is_empty();
    // Whether the page in their own folder is written depends on what is left of them.
    let page = args.report.as_deref();
    report(&results, &Outputs { page, lacks_results, ..outputs(args, own) })
}

/// What is made of results: the page that was asked for, or else that in their own folder.
fn outputs<'a>(args: &'a ReportArgs, own: Option<&'a Path>) -> Outputs<'a> {
    let own_page = own.filter(|_| args.report.is_none());
    Outputs {
        own_page,
        slow: args.slow.asked,
        svg: args.svg.as_deref(),
        png: args.png.as_deref(),
        ..args.tables.outputs(args.report.as_deref().or(own_page), args.json)
    }
}

#[derive(Debug, Default)]
pub struct FoundRuns {
    pub runs: Vec<PathBuf>,
    /// Why folders with records of a run are not among them.
    pub without_manifest: Vec<Failure>,
}

/// The folders of all runs that were named, in the order of the names; one that is named twice is shown once.
pub fn find(named: &[PathBuf]) -> Result<FoundRuns, Failure> {
    let mut all = FoundRuns::default();
    for path in named {
        if let Some(failure) = page_without_flag(path).filter(|_| named.len() > 1) {
            return Err(failure);
        }
        let found = run_folders(path)?;
        for run in found.runs {
            if all.runs.iter().any(|earlier| is_same(earlier, &run)) {
                say!("{} is named twice and shown once", run.display());
            } else {
                all.runs.push(run);
            }
        }
        all.without_manifest.extend(found.without_manifest);
    }
    Ok(all)
}

fn is_same(one: &Path, other: &Path) -> bool {
    one == other || fs::canonicalize(one).ok().is_some_and(|one| fs::canonicalize(other).ok() == Some(one))
}

/// The folder itself where it is that of a run, else the folders of runs in it, in the order of their names.
fn run_folders(path: &Path) -> Result<FoundRuns, Failure> {
    if is_review_folder(path) {
        return Ok(FoundRuns { runs: review::all_results(path)?, ..FoundRuns::default() });
    }
    if is_run_folder(path) {
        return Ok(FoundRuns { runs: vec![path.to_owned()], ..FoundRuns::default() });
    }
    if path.is_file() {
        let shown = path.display();
        return Err(if path.extension().is_some_and(|kind| kind == "html") {
            usage!("{shown} is a page, which a browser opens: to make it anew, name the folder of its run")
        } else {
            usage!("{shown} is a file: name the folder of a run, one that -o or --output made")
        });
    }
    let entries = fs::read_dir(path).map_err(|error| match error.kind() {
        ErrorKind::NotFound | ErrorKind::NotADirectory => {
            usage!("{} is not there: name the folder of a run, one that -o or --output made", path.display())
        }
        _ => Failure::io(&path.display().to_string(), &error),
    })?;
    if let Some(failure) = no_run(path) {
        return Err(failure);
    }
    let mut folders: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    folders.sort();
    let mut found = FoundRuns::default();
    for folder in folders {
        if is_review_folder(&folder) {
            found.runs.extend(review::all_results(&folder)?);
        } else if is_run_folder(&folder) {
            found.runs.push(folder);
        } else if let Some(failure) = no_run(&folder) {
            found.without_manifest.push(failure);
        } else {
            // A test of several runs keeps each of them in a folder of its own, below one folder.
            found.runs.extend(runs_in(&folder));
        }
    }
    if found.runs.is_empty() && found.without_manifest.is_empty() {
        return Err(usage!(
            "{} holds no run (a folder with a run.json): name a folder that -o or --output made",
            path.display()
        ));
    }
    Ok(found)
}

/// What to type where the name of a page stands among the folders.
fn page_without_flag(path: &Path) -> Option<Failure> {
    let is_page = path.extension().is_some_and(|ending| ending == "html") && !path.is_dir();
    let shown = path.display();
    let text =
        format!("{shown} is a page and no folder of a result: write --report {shown} to make that page");
    is_page.then_some(Failure::Usage(text))
}
