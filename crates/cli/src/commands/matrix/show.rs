//! What a matrix prints and leaves.

use std::fmt::Write as _;
use std::path::Path;

use drivelab_analysis::LEAST_BLOCKS;
use drivelab_block::{ByteCount, Nanos, Work};
use drivelab_method::Interrupt;
use drivelab_method::matrix::{MatrixPlan, Step};
use drivelab_plain::SMALL_FILE;
use drivelab_report::{Condition, MatrixDocument, MatrixReport, matrix_csv, matrix_html, matrix_terminal};
use drivelab_runner::{Ending, Failure, Real};

use super::kept::Kept;
use super::settled::Settled;
use crate::args::MatrixArgs;
use drivelab_runner::output::{self, NOTHING_DONE};

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
    if real.file_is_cached() {
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
    (conditions, mut notices): (Vec<Condition>, Vec<String>),
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
    if usize::from(settled.runs) < LEAST_BLOCKS {
        notices.push(format!("Differences between cells are shown from {LEAST_BLOCKS} runs on: add --runs."));
    }
    MatrixReport {
        conditions,
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
        energy: None,
    }
}

/// What is written to a drive to have files to work on before these measurements; none on a simulated one.
pub fn prepared<'a>(settled: &Settled, steps: impl IntoIterator<Item = &'a Step>) -> ByteCount {
    if settled.fs_bytes.is_none() {
        return ByteCount::new(0);
    }
    let of = |step: &Step| match step.cell.work {
        Work::SeqWrite | Work::Create => 0,
        Work::Stat | Work::Delete => settled.files.saturating_mul(SMALL_FILE.get()),
        Work::SeqRead | Work::RandomRead | Work::RandomWrite | Work::Rewrite => settled.bytes,
    };
    ByteCount::new(steps.into_iter().map(of).fold(0, u64::saturating_add))
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
        if args.json.is_asked() {
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
            ", and the time for making a file system of {size} ({}) with files of {bytes} for each; {} of files to work \
             on are written before the measurements, besides what mkfs writes",
            settled.fs.join(", "),
            prepared(settled, &plan.steps())
        );
    }
    text.push('\n');
    for (what, why) in &settled.left_out {
        let _ = writeln!(text, "{what} left out: {why}");
    }
    output::print(&(text + NOTHING_DONE))
}
