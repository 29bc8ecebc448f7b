//! What tests in rounds print.

use std::fmt::Write as _;

use drivelab_block::{ByteCount, Nanos};
use drivelab_method::Interrupt;
use drivelab_method::pts::{Cell, PtsPlan, PtsTest, TestResult, rehearse};
use drivelab_report::{
    EnergyDocument, PtsCell, PtsDocument, PtsReport, PtsTestReport, pts_csv, pts_html, pts_terminal,
};
use drivelab_runner::{Ending, Failure};

use super::{Ended, Job};
use crate::args::PtsArgs;
use drivelab_runner::output::{self, NOTHING_DONE, long_time};

/// The document and the page in the folder.
const DOCUMENT: &str = "pts.json";
const PAGE: &str = "report.html";
/// What the page's pictures show.
const TABLE: &str = "pts.csv";

/// Keeps what is known so far, where a folder was named.
pub fn keep(job: &Job<'_>, results: &[TestResult], notices: &[String]) -> Result<(), Failure> {
    keep_document(job.args, &PtsDocument::of(&report(job, results, notices, false)))
}

fn keep_document(args: &PtsArgs, document: &PtsDocument) -> Result<(), Failure> {
    let Some(folder) = args.output.folder() else { return Ok(()) };
    let text = output::pretty(document)?;
    output::make_folder(folder)?;
    output::write_file(&folder.join(DOCUMENT), &text)?;
    output::write_file(&folder.join(TABLE), pts_csv(document).as_bytes())?;
    output::write_file(&folder.join(PAGE), pts_html(document).as_bytes())
}

/// Prints what was found, and says how it ended.
pub fn finish(
    job: &Job<'_>,
    ended: Ended,
    notices: &[String],
    energy: Option<EnergyDocument>,
    interrupt: &Interrupt,
) -> Result<Ending, Failure> {
    let args = job.args;
    let why = ended.failure.as_ref().map(|failure| format!("It ended early: {failure}."));
    let told: Vec<String> = notices.iter().cloned().chain(why).collect();
    let interrupted = interrupt.is_raised();
    let report = PtsReport { energy, ..report(job, &ended.results, &told, interrupted) };
    let document = PtsDocument::of(&report);
    let kept = keep_document(args, &document);
    if args.json.is_asked() {
        output::print_json(&document)?;
    } else {
        output::print(&pts_terminal(&document, output::style()))?;
    }
    notices.iter().for_each(output::say);
    if let Some(failure) = ended.failure {
        return Err(failure);
    }
    kept?;
    if let Some(folder) = args.output.folder() {
        output::say(format_args!("report: {}", folder.join(PAGE).display()));
    }
    Ok(if interrupted { Ending::Interrupted } else { Ending::Passed })
}

fn report(job: &Job<'_>, results: &[TestResult], notices: &[String], interrupted: bool) -> PtsReport {
    let Job { args, plan, conditions } = job;
    let test = |result: &TestResult| PtsTestReport {
        name: result.test.word(),
        steady: result.steady,
        is_whole: result.is_whole,
        cells: result.cells.iter().map(cell).collect(),
        table: result.table.clone(),
        long_look: result.long_look.clone(),
    };
    PtsReport {
        conditions: conditions.clone(),
        target: args.target.clone(),
        seed: args.seed.number(),
        size_bytes: plan.geometry.capacity.get(),
        round_s: plan.round.as_secs_f64(),
        tests: results.iter().map(test).collect(),
        interrupted,
        notices: notices.to_vec(),
        energy: None,
    }
}

fn cell(cell: &Cell) -> PtsCell {
    PtsCell {
        name: cell.name(),
        block_bytes: cell.block,
        read_percent: cell.read_percent,
        is_sequential: cell.sequential,
        queue_depth: cell.queue_depth,
        workers: cell.workers,
        idle_s: cell.idle_s,
    }
}

fn planned(tests: &[PtsTest], plan: &PtsPlan) -> String {
    let asked = rehearse(plan, tests);
    let mut text = format!("{} tests in rounds of {} a cell\n", tests.len(), long_time(plan.round));
    if asked.most > Nanos::ZERO {
        let (fewest, most) = (long_time(asked.fewest), long_time(asked.most));
        let lasts =
            if fewest == most { fewest } else { format!("{fewest} to {most}, as soon as rounds are steady") };
        let _ = writeln!(
            text,
            "  {} written in sequence before them, as fast as the drive goes",
            asked.preconditioned
        );
        let _ =
            writeln!(text, "  then cells and idle times for {lasts}; what they write depends on the drive");
    }
    if tests.contains(&PtsTest::Saturation) {
        let length = ByteCount::new(plan.range.1.get() - plan.range.0.get());
        let _ = writeln!(
            text,
            "  saturation writes {length} at random at least twice, and on to the round that ends the fourth time"
        );
    }
    text.trim_end().to_owned()
}

/// Says what would be done.
pub fn dry_run(args: &PtsArgs, plan: Option<&PtsPlan>) -> Result<Ending, Failure> {
    let what = match plan {
        Some(plan) => planned(&super::tests(args), plan),
        None => "would be created, and then written".to_owned(),
    };
    output::print(&format!("{}: {what}\n{NOTHING_DONE}", args.target))
}
