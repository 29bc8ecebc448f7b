//! Kept streams, side by side.

use std::path::PathBuf;

use drivelab_report::{StallsComparisonDocument, StallsReport, stalls_html, stalls_terminal};

use super::super::output;
use crate::args::ReportArgs;
use crate::exit::{Ending, Failure};
use crate::kept_stream::{KeptStream, ending};

/// Reads the streams back and shows them.
pub fn main(args: &ReportArgs, folders: &[PathBuf]) -> Result<Ending, Failure> {
    if args.svg.is_some() || args.png.is_some() || args.csv.is_some() {
        let text =
            "--svg, --png and --csv are for consistency runs: a stream's tables are in its page and its JSON";
        return Err(Failure::Usage(text.to_owned()));
    }
    let (mut streams, mut unread) = (Vec::new(), Vec::new());
    for folder in folders {
        let name = folder.file_name().map(|name| name.to_string_lossy().into_owned());
        match KeptStream::read(folder) {
            Ok(stream) => streams.push((name.unwrap_or_default(), stream)),
            Err(failure) => unread.push(failure),
        }
    }
    if streams.is_empty() {
        return unread.into_iter().next().map_or(Ok(Ending::Passed), Err);
    }
    let reports = reports(&streams);
    let page = args.output.clone().unwrap_or_else(|| args.runs[0].join("report.html"));
    output::write_file(&page, stalls_html(&reports).as_bytes())?;
    if args.json {
        output::print_json(&StallsComparisonDocument::of(&reports))?;
    } else {
        for report in &reports {
            output::print(&stalls_terminal(report, output::style()))?;
        }
        output::say(format_args!("report: {}", page.display()));
    }
    unread.iter().for_each(|failure| output::say(format_args!("left out: {failure}")));
    let all_well =
        unread.is_empty() && streams.iter().all(|(_, stream)| ending(&stream.manifest) == Ending::Passed);
    Ok(if all_well { Ending::Passed } else { Ending::CheckFailed })
}

/// The streams as reports; two of one name are told apart by their folders.
fn reports(streams: &[(String, KeptStream)]) -> Vec<StallsReport<'_>> {
    let labels: Vec<&str> = streams.iter().map(|(_, stream)| stream.manifest.label.as_str()).collect();
    let is_shared = |label: &str| labels.iter().filter(|other| **other == label).count() > 1;
    let mut reports = Vec::new();
    for (folder, stream) in streams {
        let mut report = stream.report();
        if is_shared(&report.label) {
            report.label = format!("{} ({folder})", report.label);
        }
        reports.push(report);
    }
    // Side by side, every drive is asked for the same streams.
    let rates: Vec<f64> = reports.iter().flat_map(StallsReport::rates).collect();
    reports.iter_mut().for_each(|report| report.stream_rates.clone_from(&rates));
    reports
}
