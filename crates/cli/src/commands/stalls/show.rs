//! What a stream prints and leaves.

use drivelab_report::{BesideReport, StallsDocument, StallsReport, stalls_html, stalls_terminal};
use drivelab_runner::{Ending, Failure, Finished, energy_of, keep_beside};

use super::Planned;
use crate::args::StallsArgs;
use crate::kept_stream::KeptStream;
use drivelab_runner::output::{self, NOTHING_DONE};

/// The document that a stream leaves in its folder.
const DOCUMENT: &str = "stalls.json";

/// Prints the figures of a stream, leaves them in its folder, and says how it ended.
pub fn show(args: &StallsArgs, finished: Finished, ended: Result<(), Failure>) -> Result<Ending, Failure> {
    let folder = finished.folder.clone();
    let beside = folder
        .as_ref()
        .map(|folder| drivelab_runner::gauges_of_all_phases(folder.path(), &finished.manifest));
    let energy = finished.manifest.outcome.as_ref().and_then(energy_of);
    let Some(kept) = KeptStream::ended(finished) else {
        return Err(ended
            .err()
            .unwrap_or_else(|| Failure::Environment("the stream ended before its first write".to_owned())));
    };
    let report = kept.report();
    let document = StallsDocument::of(&report);
    if args.json.is_asked() {
        output::print_json(&document)?;
    } else {
        output::print(&stalls_terminal(&report, output::style()))?;
    }
    report.notices.iter().for_each(|notice| output::say(&notice.text));
    let left = folder.zip(beside).map(|(folder, gauges)| {
        leave(&folder, &report, &document)?;
        let (target, energy) = (args.target.as_str(), energy.as_ref());
        keep_beside(folder.path(), &BesideReport { command: "stalls", target, gauges, energy })
    });
    ended?;
    left.transpose()?;
    Ok(kept.ending())
}

/// Puts page and document beside the records.
fn leave(
    folder: &drivelab_record::RunFolder,
    report: &StallsReport<'_>,
    document: &StallsDocument,
) -> Result<(), Failure> {
    let text = output::pretty(document)?;
    folder.write_file(DOCUMENT, &text)?;
    folder.write_file("report.html", stalls_html(std::slice::from_ref(report)).as_bytes())?;
    output::say(format_args!("report: {}", folder.path().join("report.html").display()));
    Ok(())
}

/// Says what would be done.
pub fn dry_run(args: &StallsArgs, planned: Option<&Planned>) -> Result<Ending, Failure> {
    let text = match planned {
        None => format!("{}: would be created, and then written\n", args.target),
        Some((plan, span)) => {
            let until = match (plan.bytes, plan.duration) {
                (Some(bytes), None) => bytes.to_string(),
                (None, Some(duration)) => format!("as much as it takes in {duration}"),
                (Some(bytes), Some(duration)) => format!("{bytes}, or as much as it takes in {duration},"),
                (None, None) => "nothing".to_owned(),
            };
            let rate = plan.rate.map_or(String::new(), |rate| format!(" at {} MB/s", rate / 1e6));
            let back = if args.verify == crate::args::VerifyArg::No { "" } else { ", then read back" };
            format!(
                "{}: {until} would be written{rate} in blocks of {}, round and round {}{back}\n",
                args.target,
                plan.block_size,
                span.bytes()
            )
        }
    };
    output::print(&(text + NOTHING_DONE))
}
