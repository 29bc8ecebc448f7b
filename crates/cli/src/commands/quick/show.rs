//! What a quick look prints.

use drivelab_block::{Geometry, Op};
use drivelab_method::quick::{ACCESS, PLACES};
use drivelab_report::{EnergyDocument, QuickDocument, QuickReport, quick_csv, quick_html, quick_terminal};
use drivelab_runner::{Ending, Failure, Finished};

use super::Looked;
use crate::args::QuickArgs;
use crate::shown::shown_conditions;
use drivelab_runner::output::{self, NOTHING_DONE};

/// The document of a look, beside its page.
const DOCUMENT: &str = "quick.json";
const PAGE: &str = "report.html";
/// What the page's picture shows.
const TABLE: &str = "quick.csv";

/// Prints what was found, and says how it ended.
pub fn show(
    args: &QuickArgs,
    geometry: &Geometry,
    finished: &Finished,
    looked: Looked,
    energy: Option<EnergyDocument>,
) -> Result<Ending, Failure> {
    let manifest = &finished.manifest;
    let outcome = manifest.outcome.clone().unwrap_or_default();
    let mut phases = manifest.phases.iter().zip(finished.analysis.phases());
    let random = phases.find(|(phase, _)| phase.name == ACCESS).and_then(|(_, reads)| reads.op(Op::Read));
    let access = random.map(|reads| *reads.service.moments());
    let mut notices: Vec<String> = manifest.notices.iter().map(|notice| notice.text.clone()).collect();
    for (name, points) in [("read", Some(&looked.read)), ("write", looked.write.as_ref())] {
        if let Some(points) = points.filter(|points| (points.len() as u64) < PLACES) {
            notices.push(format!(
                "The {name} rate is of {} places, not of {PLACES}: the time was over, or the run was ended.",
                points.len()
            ));
        }
    }
    let report = QuickReport {
        conditions: shown_conditions(&manifest.conditions, manifest.started_unix_s),
        target: args.target.clone(),
        seed: args.seed,
        size_bytes: geometry.capacity.get(),
        logical_block: geometry.logical_block,
        places_asked: PLACES,
        access: access.unwrap_or_default(),
        read: looked.read,
        write: looked.write,
        notices,
        energy,
    };
    if finished.analysis.phases().is_empty() {
        let nothing = || Failure::Environment("the test ended before its first read".to_owned());
        return Err(looked.ended.unwrap_or_else(nothing));
    }
    if args.json {
        output::print_json(&QuickDocument::of(&report))?;
    } else {
        output::print(&quick_terminal(&report, output::style()))?;
    }
    report.notices.iter().for_each(output::say);
    keep(args, &report)?;
    if let Some(failure) = looked.ended {
        return Err(failure);
    }
    Ok(match outcome {
        outcome if outcome.interrupted => Ending::Interrupted,
        outcome if outcome.failed > 0 || outcome.lost_records > 0 => Ending::CheckFailed,
        _ => Ending::Passed,
    })
}

/// Keeps the document where a folder was named, and writes the pages.
fn keep(args: &QuickArgs, report: &QuickReport) -> Result<(), Failure> {
    if let Some(folder) = &args.output {
        output::make_folder(folder)?;
        let document = QuickDocument::of(report);
        output::write_file(&folder.join(DOCUMENT), &output::pretty(&document)?)?;
        output::write_file(&folder.join(TABLE), quick_csv(&document).as_bytes())?;
    }
    let in_folder = args.output.as_ref().map(|folder| folder.join(PAGE));
    for page in in_folder.iter().chain(&args.report) {
        output::write_file(page, quick_html(report).as_bytes())?;
        output::say(format_args!("report: {}", page.display()));
    }
    Ok(())
}

/// Says what would be done.
pub fn dry_run(args: &QuickArgs) -> Result<Ending, Failure> {
    let what = if args.write { "read and written" } else { "read" };
    let text = format!(
        "{}: {PLACES} places would be {what}, and one block at {PLACES} random ones read\n",
        args.target
    );
    output::print(&(text + NOTHING_DONE))
}
