//! The page of a quick look.

use super::QuickReport;
use super::document::{PlaceDocument, QuickDocument};
use crate::format::{bytes, nanos, rate, whole};
use crate::html::table;
use crate::still::chart::{Across, Chart, Line, Point, marks_to};
use crate::still::{close, conditions, legend, notices, open};

/// The whole page.
pub fn quick_html(report: &QuickReport) -> String {
    let document = QuickDocument::of(report);
    let lead = format!(
        "{}: {} places over the drive, in sequence at each; and single blocks at random places, one at a time.",
        bytes(document.size_bytes),
        document.places_asked
    );
    let mut page = open(&document.target, "drivelab · quick look", &lead);
    notices(&mut page, document.notices.iter().map(String::as_str));
    page.push_str("<section><h2>Rate over the drive</h2>\n");
    let lines = [(0, "read"), (1, "write")];
    let shown = lines.into_iter().filter(|(index, _)| *index == 0 || document.write_mb_s.is_some());
    legend(&mut page, shown, "Each point is one place.");
    page.push_str("<div class=\"wide\">");
    page.push_str(&curve(&document));
    page.push_str("</div></section>\n");
    figures(&mut page, &document);
    places(&mut page, &document);
    conditions(&mut page, &document.conditions);
    close(&mut page);
    page
}

fn curve(document: &QuickDocument) -> String {
    let block = f64::from(document.logical_block_bytes);
    let size = document.size_bytes as f64 / 1e9;
    let across = Across {
        label: "position (GB)",
        log: false,
        marks: marks_to(size, 5),
        text: crate::format::short_rate,
    };
    let line = |index, of: fn(&PlaceDocument) -> Option<f64>| Line {
        index,
        dashed: false,
        points: document
            .curve
            .iter()
            .filter_map(|place| {
                Some(Point { x: place.lba as f64 * block / 1e9, y: of(place)?, interval: None })
            })
            .collect(),
    };
    let lines = vec![line(0, |place| place.read_mb_s), line(1, |place| place.write_mb_s)];
    Chart {
        title: "MB/s",
        across: &across,
        log: false,
        text: crate::format::short_rate,
        least_top: 0.0,
        lines,
    }
    .svg()
}

fn figures(page: &mut String, document: &QuickDocument) {
    page.push_str("<section><h2>Figures</h2>\n");
    table::open(page, "", "Figures", &["figure", "value"]);
    for (name, mean) in
        [("mean rate of reading", document.read_mb_s), ("mean rate of writing", document.write_mb_s)]
    {
        if let Some(mean) = mean {
            table::row(page, name, &[format!("{} MB/s", rate(mean))]);
        }
    }
    if let Some(access) = &document.access_time_ns {
        table::row(page, "access time, mean", &[nanos(access.mean)]);
        table::row(page, "access time, deviation", &[nanos(access.stddev)]);
        table::row(page, "access time, longest", &[nanos(access.max as f64)]);
        table::row(page, "random reads", &[whole(access.count)]);
    }
    table::close(page);
    page.push_str("</section>\n");
}

fn places(page: &mut String, document: &QuickDocument) {
    page.push_str("<section><details><summary>The values as a table</summary>\n");
    table::open(page, "", "Rate over the drive", &["LBA", "read MB/s", "write MB/s"]);
    let told = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), rate);
    for place in &document.curve {
        table::row(page, &whole(place.lba), &[told(place.read_mb_s), told(place.write_mb_s)]);
    }
    table::close(page);
    page.push_str("</details></section>\n");
}
