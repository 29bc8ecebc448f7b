//! What a matrix prints and leaves.

use std::fmt::Write as _;
use std::path::Path;

use drivelab_block::{ByteCount, Nanos, Work};
use drivelab_image::ImageName;
use drivelab_method::Interrupt;
use drivelab_method::matrix::{MatrixPlan, Step};
use drivelab_report::{MatrixDocument, MatrixReport, matrix_csv, matrix_html, matrix_terminal};

use super::super::output::{self, NOTHING_DONE};
use super::IMAGE;
use super::kept::Kept;
use super::settled::Settled;
use crate::args::MatrixArgs;
use crate::bench::{Real, target_conditions};
use crate::exit::{Ending, Failure};

/// The document and the page that a matrix leaves in its folder.
const DOCUMENT: &str = "result.json";
const PAGE: &str = "matrix.html";
/// What the page's pictures show, run by run.
const TABLE: &str = "matrix.csv";

/// What a reader has to know of every matrix on such a drive.
pub fn notices_of_drive(settled: &Settled, real: &Real) -> Vec<String> {
    let mut found = real.notes.clone();
    let is = |word: &str| settled.caching.iter().any(|caching| caching == word);
    if is("buffered") && is("direct") {
        let text = "Buffered cells wait for the drive's own cache (fsync); direct cells do not.";
        found.push(text.to_owned());
    }
    if is("buffered") && settled.work.iter().any(|work| work == "random-read") {
        let text = format!(
            "Random buffered reads become reads of memory in the course of their cell where there is memory for its files, \
             {}.",
            ByteCount::new(settled.bytes)
        );
        found.push(text);
    }
    let name = real.kernel_name().unwrap_or_default();
    let direct = std::fs::read_to_string(format!("/sys/block/{name}/loop/dio"));
    if direct.is_ok_and(|direct| direct.trim() == "0") {
        let text = "The loop device writes its file through the page cache: direct cells end in memory, and no cell's files \
                    are out of it.";
        found.push(text.to_owned());
    }
    found
}

/// The report of what there is.
pub fn report(
    settled: &Settled,
    steps: &[Step],
    kept: &Kept,
    interrupt: &Interrupt,
    mut notices: Vec<String>,
) -> MatrixReport {
    let runs = kept.runs();
    let interrupted = interrupt.is_raised();
    if interrupted {
        let resume = kept.folder().map_or_else(String::new, |folder| {
            format!(" `drivelab matrix --resume {}` goes on.", folder.display())
        });
        notices.push(format!(
            "The run was interrupted: {} of {} measurements were made.{resume}",
            runs.len(),
            steps.len()
        ));
    }
    let split: Vec<String> = kept.split_runs().iter().map(|run| (run + 1).to_string()).collect();
    // A simulated drive is made anew for each cell.
    if !split.is_empty() && settled.fs_bytes.is_some() {
        notices.push(format!(
            "Run {} was cut off and taken up again: what changed on the drive or the machine in between is within it, and is \
             not kept out of the comparisons.",
            split.join(", ")
        ));
    }
    if settled.runs == 1 {
        notices.push("One run has no interval, and tells no difference: add --runs.".to_owned());
    }
    let of = settled
        .target
        .strip_prefix(IMAGE)
        .map_or_else(|| settled.target.clone(), |image| ImageName::parse(image).file.display().to_string());
    MatrixReport {
        conditions: target_conditions(&of),
        target: settled.target.clone(),
        seed: settled.seed,
        runs_asked: settled.runs,
        cell_s: Nanos::new(settled.cell_duration_ns).as_secs_f64(),
        fs_bytes: settled.fs_bytes,
        bytes: settled.bytes,
        request_bytes: settled.request_bytes,
        files: settled.fs_bytes.map(|_| settled.files),
        planned: steps.len() as u64,
        left_out: settled.left_out.clone(),
        failed: kept.failed().to_vec(),
        runs,
        notices,
        interrupted,
    }
}

/// What is written to the drive to have files to work on, all measurements together; those of kinds of work that write their
/// own, and what mkfs writes, come on top.
pub fn prepared(settled: &Settled, plan: &MatrixPlan) -> ByteCount {
    let has_file = |step: &&Step| !step.cell.work.is_metadata() && step.cell.work != Work::SeqWrite;
    let steps = plan.steps().iter().filter(has_file).count() as u64;
    ByteCount::new(steps.saturating_mul(settled.bytes))
}

/// Keeps and prints the matrix, and says how it ended.
pub fn show(
    args: &MatrixArgs,
    kept: &Kept,
    report: &MatrixReport,
    ended: Result<(), Failure>,
) -> Result<Ending, Failure> {
    let document = MatrixDocument::of(report);
    // Printed whatever becomes of the files: the disk may be full.
    let written = kept.folder().map_or(Ok(()), |folder| write(folder, report, &document));
    if !report.runs.is_empty() {
        if args.json {
            output::print_json(&document)?;
        } else {
            output::print(&matrix_terminal(report, output::style()))?;
        }
    }
    report.notices.iter().for_each(output::say);
    for failed in &document.failed {
        output::say(format_args!("{}, run {}, came to nothing: {}", failed.cell, failed.run + 1, failed.why));
    }
    ended?;
    written?;
    if let Some(folder) = kept.folder() {
        output::say(format_args!("page: {}", folder.join(PAGE).display()));
    }
    Ok(match () {
        () if report.interrupted => Ending::Interrupted,
        () if report.failed.is_empty() => Ending::Passed,
        () => Ending::CheckFailed,
    })
}

fn write(folder: &Path, report: &MatrixReport, document: &MatrixDocument) -> Result<(), Failure> {
    output::write_file(&folder.join(DOCUMENT), &output::pretty(document)?)?;
    output::write_file(&folder.join(TABLE), matrix_csv(document).as_bytes())?;
    output::write_file(&folder.join(PAGE), matrix_html(report).as_bytes())
}

/// Says what would be done.
pub fn dry_run(settled: &Settled, plan: &MatrixPlan) -> Result<Ending, Failure> {
    let (cells, steps) = (plan.cells().len(), plan.steps().len() as u64);
    let seconds = Nanos::new(plan.duration.get().saturating_mul(steps)).as_secs_f64();
    let mut text = format!(
        "{}: {cells} cells, {} runs of each and a control before and after each block: {steps} measurements of {}, \
         {seconds:.0} s in all",
        settled.target, settled.runs, plan.duration
    );
    if let Some(size) = settled.fs_bytes {
        let (size, bytes) = (ByteCount::new(size), ByteCount::new(settled.bytes));
        let _ = write!(
            text,
            ", and the time for making a file system of {size} ({}) with files of {bytes} for each; {} are written to the \
             drive before anything is measured",
            settled.fs.join(", "),
            prepared(settled, plan)
        );
    }
    text.push('\n');
    for (what, why) in &settled.left_out {
        let _ = writeln!(text, "{what} left out: {why}");
    }
    output::print(&(text + NOTHING_DONE))
}
