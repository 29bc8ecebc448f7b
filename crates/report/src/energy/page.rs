//! The page of a task beside a meter.

use drivelab_analysis::PowerPoint;
use drivelab_record::{EnergyDocument, EnergyReport, IdlePower};

use crate::format::{bytes, short_rate};
use crate::html::table;
use crate::still::chart::{Across, Chart, Line, Point, marks_to};
use crate::still::{close, legend, notices, open};

/// More points than this in a chart are not told apart.
const POINTS_MAX: usize = 600;

/// The whole page.
pub fn energy_html(report: &EnergyReport) -> String {
    let document = EnergyDocument::of(report);
    let command = document.command.as_ref().map(|words| words.join(" "));
    let title = command.or_else(|| document.target.clone()).unwrap_or_else(|| "a task".to_owned());
    let moved = document.bytes.map_or_else(String::new, |moved| format!(" It moved {}.", bytes(moved)));
    let meter = &document.meter;
    let lead = format!(
        "The task lasted {:.1} s.{moved} Meter: {}, {}. Errors are those of sampling and of the idle power; the meter's own \
         accuracy is in none of them.",
        document.duration_s, meter.name, meter.measures
    );
    let mut page = open(&title, "drivelab · energy", &lead);
    notices(&mut page, document.withheld.iter().chain(&document.notices).map(String::as_str));
    power(&mut page, report, &document);
    page.push_str("<section><h2>Figures</h2>\n");
    table::open(&mut page, "", "Figures", &["figure", "value"]);
    document
        .conditions()
        .iter()
        .for_each(|line| table::row(&mut page, &line.name, std::slice::from_ref(&line.value)));
    table::close(&mut page);
    page.push_str("</section>\n");
    close(&mut page);
    page
}

fn power(page: &mut String, report: &EnergyReport, document: &EnergyDocument) {
    let stretches: Vec<Vec<PowerPoint>> = report.track.stretches().collect();
    let mut points = stretches.iter().flatten();
    let Some(first) = points.next() else { return };
    let last = points.next_back().unwrap_or(first);
    let (zero, span) = (first.at_s, last.at_s - first.at_s);
    let idle = match report.idle {
        IdlePower::Known(watts) => Some(watts),
        IdlePower::Measured(..) => document.idle.map(|idle| idle.watts.value),
    };
    page.push_str("<section><h2>Power over time</h2>\n");
    let words = format!(
        "The task went on from {:.1} s to {:.1} s.",
        report.task.from_s - zero,
        report.task.to_s - zero
    );
    let names =
        [(0, "power"), (1, "idle power")].into_iter().filter(|(index, _)| *index == 0 || idle.is_some());
    legend(page, names, &words);
    let across = Across { label: "time (s)", log: false, marks: marks_to(span, 6), text: short_rate };
    let step = stretches.iter().map(Vec::len).sum::<usize>().div_ceil(POINTS_MAX).max(1);
    let joined = |part: &[PowerPoint]| {
        let count = part.len() as f64;
        let mean = |of: fn(&PowerPoint) -> f64| part.iter().map(of).sum::<f64>() / count;
        Point { x: mean(|point| point.at_s) - zero, y: mean(|point| point.value), interval: None }
    };
    let line = |stretch: &Vec<PowerPoint>| Line {
        index: 0,
        dashed: false,
        points: stretch.chunks(step).map(joined).collect(),
    };
    let mut lines: Vec<Line> = stretches.iter().map(line).collect();
    lines.extend(idle.map(|watts| {
        let at = |x| Point { x, y: watts, interval: None };
        Line { index: 1, dashed: true, points: vec![at(0.0), at(span)] }
    }));
    page.push_str("<div class=\"wide\">");
    page.push_str(
        &Chart { title: "W", across: &across, log: false, text: short_rate, least_top: 0.0, lines }.svg(),
    );
    page.push_str("</div></section>\n");
}
