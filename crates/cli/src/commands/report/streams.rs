//! Kept streams, side by side.

use std::path::PathBuf;

use drivelab_runner::{Ending, Failure, output};

use drivelab_report::{
    Severity, StallsComparisonDocument, StallsReport, stalls_csv, stalls_html, stalls_png_pictures,
    stalls_svg_pictures, stalls_terminal,
};

use super::write_all;
use crate::args::ReportArgs;
use crate::kept_stream::KeptStream;

/// Reads the streams back and shows them.
pub fn main(args: &ReportArgs, folders: &[PathBuf]) -> Result<Ending, Failure> {
    let (mut streams, mut unread) = (Vec::new(), Vec::new());
    for folder in folders {
        let name = folder.file_name().map(|name| name.to_string_lossy().into_owned());
        match KeptStream::read(folder) {
            Ok(stream) => streams.push((name.unwrap_or_default(), stream)),
            Err(failure) => unread.push(failure),
        }
    }
    if streams.is_empty() {
        unread.iter().for_each(|failure| output::say(format_args!("drivelab: {failure}")));
        return Ok(Ending::CheckFailed);
    }
    let reports = reports(&streams);
    let page = args.report.clone().or_else(|| super::own_page(args));
    if let Some(page) = &page {
        output::write_file(page, stalls_html(&reports).as_bytes())?;
    }
    write_pictures(args, &reports)?;
    if args.json.is_asked() {
        output::print_json(&StallsComparisonDocument::of(&reports))?;
    } else {
        for report in &reports {
            output::print(&stalls_terminal(report, output::style()))?;
        }
        page.iter().for_each(|page| output::say(format_args!("report: {}", page.display())));
    }
    unread.iter().for_each(|failure| output::say(format_args!("left out: {failure}")));
    for (report, (name, _)) in reports.iter().zip(&streams) {
        let told = report.notices.iter().filter(|notice| notice.severity != Severity::Note);
        told.for_each(|notice| output::say(format_args!("{name}: {}", notice.text)));
    }
    let all_well = unread.is_empty() && streams.iter().all(|(_, stream)| stream.ending() == Ending::Passed);
    Ok(if all_well { Ending::Passed } else { Ending::CheckFailed })
}

/// Writes the pictures and tables that were asked for, each into its folder.
fn write_pictures(args: &ReportArgs, reports: &[StallsReport<'_>]) -> Result<(), Failure> {
    if let Some(folder) = &args.svg {
        write_all(folder, &stalls_svg_pictures(reports))?;
    }
    if let Some(folder) = &args.png {
        let pictures =
            stalls_png_pictures(reports).map_err(|error| Failure::Environment(error.to_string()))?;
        write_all(folder, &pictures)?;
    }
    if let Some(folder) = &args.csv {
        write_all(folder, &stalls_csv(reports))?;
    }
    Ok(())
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
    // Side by side, every drive is asked for the same streams: shares of the slowest run's rate, and all that were asked.
    if reports.len() > 1 {
        let slowest = reports.iter().filter_map(|report| report.stream.rate()).min_by(f64::total_cmp);
        let asked = |report: &StallsReport<'_>| {
            report.stream_rates.iter().chain(&report.rate_asked).copied().collect()
        };
        let rates: Vec<f64> = reports.iter().flat_map::<Vec<f64>, _>(asked).collect();
        for report in &mut reports {
            report.compared_by = slowest;
            report.stream_rates.clone_from(&rates);
        }
    }
    reports
}
