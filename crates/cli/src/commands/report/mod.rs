//! `drivelab report`: results that were kept, opened again.

mod folders;
mod others;

use std::path::{Path, PathBuf};

use drivelab_kinds::ResultKind as _;
use drivelab_kinds::replay::Replay;
use drivelab_record::is_run_folder;
use drivelab_review::is_review_folder;
use drivelab_runner::{Ending, Failure, Outputs, check_page, kind_of, output, report};
use drivelab_trace::{is_shipped_trace, is_trace_folder};

use super::run_folders::not_known;
use super::{review, trace};
use crate::args::ReportArgs;
use folders::FoundRuns;

/// Opens the results and makes what was asked for of them.
pub fn main(args: &ReportArgs) -> Result<Ending, Failure> {
    let is_trace = |path: &PathBuf| is_shipped_trace(path) || is_trace_folder(path) && !is_run_folder(path);
    // A trace stands next to its replays, which are read as traces, too.
    let is_replay = |path: &PathBuf| kind_of(path).is_some_and(|kind| kind.name == Replay::NAME);
    if args.runs.iter().any(is_trace) && args.runs.iter().all(|path| is_trace(path) || is_replay(path)) {
        let own = own_page(&args.runs);
        check_asked_page(args, own.as_deref())?;
        return trace::report(&args.runs, &args.slow, &outputs(args, own.as_deref()));
    }
    if let [folder] = args.runs.as_slice()
        && is_review_folder(folder)
    {
        let own = own_page(&args.runs);
        check_asked_page(args, own.as_deref())?;
        return review::report(folder, &outputs(args, own.as_deref()));
    }
    let found = folders::find(&args.runs)?;
    let own = own_page(&args.runs).or_else(|| own_page(&found.runs));
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
    let FoundRuns { runs, mut without_manifest, of_others } = found;
    let mut results = Vec::new();
    for folder in runs {
        match kind_of(&folder) {
            Some(kind) => results.push((kind, folder)),
            None => without_manifest.push(not_known(&folder)),
        }
    }
    if results.is_empty() {
        let mut complaints = without_manifest.into_iter().chain(of_others);
        let first = complaints.next();
        let nothing = || Failure::Usage("there is no result to show".to_owned());
        return Err(first.map_or_else(nothing, |first| first.with(complaints)));
    }
    of_others.iter().for_each(output::say);
    without_manifest.iter().for_each(|failure| output::say(format_args!("left out: {failure}")));
    let lacks_results = !without_manifest.is_empty();
    // Whether the page in their own folder is written depends on what is left of them.
    let page = args.report.as_deref();
    report(&results, &Outputs { page, lacks_results, ..outputs(args, own) })
}

/// What is made of results: the page that was asked for, or else that in their own folder.
fn outputs<'a>(args: &'a ReportArgs, own: Option<&'a Path>) -> Outputs<'a> {
    let own_page = own.filter(|_| args.report.is_none());
    Outputs {
        page: args.report.as_deref().or(own_page),
        own_page,
        slow: args.slow.asked(),
        svg: args.svg.as_deref(),
        png: args.png.as_deref(),
        csv: args.csv.as_deref(),
        markdown: args.markdown,
        json: args.json.is_asked(),
        ..Outputs::default()
    }
}
