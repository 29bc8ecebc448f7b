//! What a comparison of paths prints and leaves.

use std::path::Path;

use drivelab_analysis::PathRun;
use drivelab_block::Nanos;
use drivelab_method::paths::{PathsPlan, REQUEST};
use drivelab_report::{PathsDocument, PathsReport, paths_html, paths_terminal};
use drivelab_runner::{Ending, Failure};

use super::ground::Ground;
use crate::args::PathsArgs;
use drivelab_runner::output::{self, NOTHING_DONE};

/// The document and the page that a comparison leaves in its folder.
const DOCUMENT: &str = "paths.json";
const PAGE: &str = "report.html";
/// A cell shorter than this has fewer than 50 of the kernel's ticks on each processor.
const SHORT: Nanos = Nanos::from_millis(500);

/// The report before its first run.
pub fn begin(args: &PathsArgs, plan: &PathsPlan, ground: &Ground) -> PathsReport {
    PathsReport {
        target: args.target.clone(),
        seed: args.seed.number(),
        runs_asked: plan.runs,
        queue_depth: plan.queue_depth,
        request_bytes: REQUEST.get(),
        idle_s: ground.is_real().then(|| args.idle.as_secs_f64()),
        directory: ground.files.as_ref().map(|files| files.parent.display().to_string()),
        left_out: ground.left_out.clone(),
        runs: Vec::new(),
        notices: notices(args, plan, ground),
        interrupted: false,
        energy: None,
    }
}

/// What a reader has to know of every comparison on such a target.
fn notices(args: &PathsArgs, plan: &PathsPlan, ground: &Ground) -> Vec<String> {
    let mut found = Vec::new();
    let both = args.sizes.iter().zip(&plan.sizes);
    let rounded: Vec<String> = both
        .filter(|(asked, written)| asked != written)
        .map(|(asked, written)| format!("{asked} to {} bytes", written.get()))
        .collect();
    if !rounded.is_empty() {
        found.push(format!("Sizes are rounded up to whole blocks: {}.", rounded.join(", ")));
    }
    if ground.is_file() {
        found.push(
            "The file is written in place by every path: no file is created, and none grows.".to_owned(),
        );
    }
    if let (Some(_), Some(files)) = (&ground.real, &ground.files) {
        found.push(format!(
            "The file-system paths wrote to {}, every other path to {}: they compare only where both are alike.",
            files.parent.display(),
            args.target
        ));
    }
    if ground.scratch {
        let text = "The file-system paths wrote to an ext4 on the target, made anew for each cell.";
        found.push(text.to_owned());
    }
    if ground.is_real() {
        let text =
            "Buffered paths wait for the drive's own cache (fsync); direct paths and the raw ones do not.";
        found.push(text.to_owned());
    }
    if let Some(real) = &ground.real {
        found.extend(real.notes.iter().cloned());
        if real.file_is_cached() {
            let text = "The loop device writes its file through the page cache (it was set up without direct I/O): \
                        direct paths end in memory.";
            found.push(text.to_owned());
        }
    }
    found
}

/// What is only known when the runs are there.
pub fn judge(report: &mut PathsReport, plan: &PathsPlan) {
    let whole = plan.cells().len();
    if report.interrupted {
        let text = format!("The run was interrupted: {} of {whole} cells were measured.", report.runs.len());
        report.notices.push(text);
    }
    let measured = report.runs.iter().filter(|run| run.windows.is_some());
    let short: Vec<Nanos> = measured.map(|run: &PathRun| run.elapsed).filter(|time| *time < SHORT).collect();
    if let Some(least) = short.iter().min() {
        report.notices.push(format!(
            "{} of {} cells took less than {SHORT} (the shortest {least}): the kernel counts its processors in ticks \
             of 10 ms, so such shares are coarse; --cell-bytes makes cells longer.",
            short.len(),
            report.runs.len()
        ));
    }
    let is_cut = |run: &&PathRun| run.request < REQUEST.min(run.file);
    if let Some(cut) = report.runs.iter().filter(is_cut).min_by_key(|run| run.request) {
        report.notices.push(format!(
            "{} wrote in requests of {} bytes, the longest that surely are one command here, with as many bytes in flight.",
            cut.path.word(),
            cut.request.get()
        ));
    }
    if plan.runs == 1 {
        report.notices.push("One run has no interval: add --runs.".to_owned());
    }
}

/// Keeps the document where a folder was named.
pub fn keep(folder: Option<&Path>, report: &PathsReport) -> Result<(), Failure> {
    let Some(folder) = folder else { return Ok(()) };
    let text = output::pretty(&PathsDocument::of(report))?;
    output::make_folder(folder)?;
    output::write_file(&folder.join(DOCUMENT), &text)?;
    output::write_file(&folder.join(PAGE), paths_html(report).as_bytes())
}

/// Prints the comparison, and says how it ended.
pub fn show(args: &PathsArgs, report: &PathsReport, ended: Result<(), Failure>) -> Result<Ending, Failure> {
    if report.runs.is_empty() {
        ended?;
    } else {
        if args.json.is_asked() {
            output::print_json(&PathsDocument::of(report))?;
        } else {
            output::print(&paths_terminal(report, output::style()))?;
        }
        report.notices.iter().for_each(output::say);
        ended?;
        if let Some(folder) = args.output.folder() {
            output::say(format_args!("report: {}", folder.join(PAGE).display()));
        }
    }
    Ok(if report.interrupted { Ending::Interrupted } else { Ending::Passed })
}

/// Says what would be done.
pub fn dry_run(args: &PathsArgs, plan: Option<&PathsPlan>) -> Result<Ending, Failure> {
    let text = plan.map_or_else(
        || format!("{}: would be created, and then written\n", args.target),
        |plan| {
            let words: Vec<&str> = plan.paths.iter().map(|path| path.word()).collect();
            format!(
                "{}: {} would be written in {} cells by {}{}\n",
                args.target,
                plan.all_bytes(),
                plan.cells().len(),
                words.join(", "),
                if args.fs.is_some() { ", on an ext4 made anew for each cell of the first two" } else { "" }
            )
        },
    );
    output::print(&(text + NOTHING_DONE))
}
