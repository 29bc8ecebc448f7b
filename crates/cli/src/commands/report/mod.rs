//! `drivelab report`: kept runs, side by side.

mod folders;
mod others;

use std::path::{Path, PathBuf};

use drivelab_analysis::Thresholds;
use drivelab_record::{RunFolder, is_run_folder};
use drivelab_report::{Comparison, ConsistencyDocument, csv, html, png_pictures, svg_pictures, terminal};
use drivelab_runner::{Ending, Failure, Outputs, check_page, kind_of, output, report};
use drivelab_trace::is_trace_folder;

use super::trace;
use crate::args::{ReportArgs, SlowArgs};
use crate::kept::KeptRun;
use folders::Found;

/// Reads the runs back and writes what was asked for.
pub fn main(args: &ReportArgs) -> Result<Ending, Failure> {
    if args.runs.iter().all(|path| is_trace_folder(path) && !is_run_folder(path)) {
        args.report.as_deref().map_or(Ok(()), |page| check_page(page, args.runs.len() > 1))?;
        let own = own_page(args);
        let page = args.report.as_deref().or(own.as_deref());
        return trace::report(&args.runs, &args.slow, &outputs(args, page));
    }
    let found = folders::of(&args.runs)?;
    args.report.as_deref().map_or(Ok(()), |page| check_page(page, found.runs.len() > 1))?;
    if found.runs.iter().any(|folder| kind_of(folder).is_some()) {
        return report_kinds(args, found);
    }
    let (runs, unread) = read(found, args.slow.thresholds())?;
    let comparison = compare(&runs, &args.slow)?;
    let gaps: Vec<String> =
        runs.iter().filter_map(|run| Some(format!("{}: {}.", run.name(), run.gap()?))).collect();
    let page = page(args, !(gaps.is_empty() && unread.is_empty()));
    if let Page::New(path) = &page {
        output::write_file(path, html(&comparison).as_bytes())?;
    }
    write_pictures(args, &comparison)?;
    if args.json.is_asked() {
        output::print_json(&ConsistencyDocument::of(&comparison))?;
    } else {
        output::print(&terminal(&comparison, output::style()))?;
    }
    unread.iter().for_each(|failure| output::say(format_args!("left out: {failure}")));
    gaps.iter().for_each(output::say);
    match page {
        Page::New(path) if !args.json.is_asked() => output::say(format_args!("report: {}", path.display())),
        Page::New(_) | Page::None => {}
        Page::Kept(path) => output::say(format_args!(
            "{} is left as it was made from all records: --report FILE writes a page of what is there",
            path.display()
        )),
    }
    Ok(if gaps.is_empty() && unread.is_empty() { Ending::Passed } else { Ending::CheckFailed })
}

/// Makes the report of results that are opened by their kind. A comparison replaces no page of a result: it is written where
/// that was asked for, or into the one folder that was named.
fn report_kinds(args: &ReportArgs, found: Found) -> Result<Ending, Failure> {
    let Found { runs, mut without_manifest, of_others } = found;
    let (runs, others): (Vec<_>, Vec<_>) = runs.into_iter().partition(|folder| kind_of(folder).is_some());
    without_manifest.extend(others.iter().map(|folder| match RunFolder::open(folder) {
        Err(damaged) => damaged.into(),
        Ok(_) => Failure::Usage(format!("{} has a report of its own: name it apart", folder.display())),
    }));
    let own = match (args.runs.as_slice(), runs.as_slice()) {
        ([named], _) => Some(named.join("report.html")),
        (_, [one]) => Some(one.join("report.html")),
        _ => None,
    };
    of_others.iter().for_each(output::say);
    without_manifest.iter().for_each(|failure| output::say(format_args!("left out: {failure}")));
    let lacks_results = !without_manifest.is_empty();
    report(
        &runs,
        &Outputs {
            own_page: own.as_deref().filter(|_| args.report.is_none()),
            lacks_results,
            ..outputs(args, args.report.as_deref())
        },
    )
}

/// What is made of results, with this page.
fn outputs<'a>(args: &'a ReportArgs, page: Option<&'a Path>) -> Outputs<'a> {
    Outputs {
        page,
        svg: args.svg.as_deref(),
        png: args.png.as_deref(),
        csv: args.csv.as_deref(),
        markdown: args.markdown,
        json: args.json.is_asked(),
        ..Outputs::default()
    }
}

/// The page of the folder that was named alone: that of a result, or of results that are kept together.
fn own_page(args: &ReportArgs) -> Option<PathBuf> {
    match args.runs.as_slice() {
        [one] => Some(one.join("report.html")),
        _ => None,
    }
}

/// Reads every run that can be read, and says why of the others; a failure where there is none to show.
fn read(found: Found, thresholds: Thresholds) -> Result<(Vec<KeptRun>, Vec<Failure>), Failure> {
    let (mut runs, mut unread) = (Vec::new(), found.without_manifest);
    for folder in found.runs {
        match KeptRun::read(&folder, thresholds) {
            Ok(run) => runs.push(run),
            Err(failure) => unread.push(failure),
        }
    }
    if !runs.is_empty() {
        found.of_others.iter().for_each(output::say);
        return Ok((runs, unread));
    }
    unread.extend(found.of_others);
    let last = unread.pop();
    unread.iter().for_each(|failure| output::say(format_args!("drivelab: {failure}")));
    Err(last.unwrap_or_else(|| Failure::Usage("there is no run to report on".to_owned())))
}

/// What becomes of the page.
enum Page {
    New(PathBuf),
    /// One that says more than a new one could.
    Kept(PathBuf),
    /// None was asked for.
    None,
}

/// The page that was asked for, or that of the folder that was named alone. There the run left a page when it ended, and where
/// figures have to be withheld now that one is better than what could replace it.
fn page(args: &ReportArgs, some_withheld: bool) -> Page {
    if let Some(path) = args.report.clone() {
        return Page::New(path);
    }
    match own_page(args) {
        Some(path) if some_withheld && path.exists() => Page::Kept(path),
        Some(path) => Page::New(path),
        None => Page::None,
    }
}

/// Writes the pictures and tables that were asked for, each into its folder.
fn write_pictures(args: &ReportArgs, comparison: &Comparison<'_>) -> Result<(), Failure> {
    if let Some(folder) = &args.svg {
        write_all(folder, &svg_pictures(comparison))?;
    }
    if let Some(folder) = &args.png {
        let pictures = png_pictures(comparison).map_err(|error| Failure::Environment(error.to_string()))?;
        write_all(folder, &pictures)?;
    }
    if let Some(folder) = &args.csv {
        write_all(folder, &csv(comparison))?;
    }
    Ok(())
}

fn write_all(folder: &Path, files: &[(String, impl AsRef<[u8]>)]) -> Result<(), Failure> {
    output::make_folder(folder)?;
    files.iter().try_for_each(|(name, contents)| output::write_file(&folder.join(name), contents.as_ref()))
}

/// Runs as one comparison. I/Os of replays are slow from the same threshold on in all of them.
pub fn compare<'a>(runs: &'a [KeptRun], slow: &SlowArgs) -> Result<Comparison<'a>, Failure> {
    let threshold = slow.threshold(&runs.iter().filter_map(KeptRun::made).collect::<Vec<_>>());
    let mut reports = runs.iter().map(|run| run.report(threshold)).collect::<Result<Vec<_>, _>>()?;
    let labels: Vec<String> = reports.iter().map(|report| report.label.clone()).collect();
    for ((place, report), run) in reports.iter_mut().enumerate().zip(runs) {
        let namesakes = || (0..runs.len()).filter(|other| *other != place && labels[*other] == labels[place]);
        if namesakes().next().is_some() {
            let is_told_apart = namesakes().all(|other| runs[other].name() != run.name());
            let kept_in = if is_told_apart { run.name().to_owned() } else { run.place() };
            report.label = format!("{} ({kept_in})", report.label);
        }
    }
    let mut targets: Vec<&str> = runs.iter().map(|run| run.manifest.target.as_str()).collect();
    targets.dedup();
    Ok(Comparison { title: targets.join(", "), runs: reports })
}
