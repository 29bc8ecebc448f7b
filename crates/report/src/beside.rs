//! The page of what was read beside a command that keeps no run: the machine, and the power that was drawn.

use drivelab_analysis::GaugeCourse;

use crate::format::short_rate;
use crate::gauged::{Panel, panels, reading};
use crate::html::table;
use crate::still::chart::{Across, Chart, Line, Point, marks_to};
use crate::still::{close, legend, notices, open};
use drivelab_analysis::Gauged;
use drivelab_record::EnergyDocument;

/// What was read beside a command.
#[derive(Clone, Debug)]
pub struct BesideReport<'a> {
    /// What the command is called.
    pub command: &'a str,
    /// What it worked on.
    pub target: &'a str,
    /// What was read, from the command's begin to its end, and in the idle time around it.
    pub gauges: Vec<Gauged>,
    /// The energy of it, where there was a meter.
    pub energy: Option<&'a EnergyDocument>,
}

impl BesideReport<'_> {
    /// Whether nothing was read while the command went on: it was over within a tenth of a second, or nothing can be read here.
    pub fn is_empty(&self) -> bool {
        panels(&self.gauges).is_empty()
    }
}

/// Columns from one that is known to the next of the same line: a reading that is a little late leaves one out.
const LONGEST_STEP: usize = 2;

/// The whole page.
pub fn beside_html(report: &BesideReport<'_>) -> String {
    let lead = "What was read beside the command, from its begin to its end. Before and after it nothing was asked of the drive: \
                the means of that time are in the table.";
    let mut page = open(report.target, &format!("drivelab · beside {}", report.command), lead);
    let energy = report.energy.into_iter();
    let told = energy.flat_map(|energy| energy.withheld.iter().chain(&energy.notices));
    notices(&mut page, told.map(String::as_str));
    let panels = panels(&report.gauges);
    page.push_str("<section><div class=\"wide\">\n");
    panels.iter().for_each(|panel| chart(&mut page, panel));
    page.push_str("</div></section>\n");
    means(&mut page, &panels);
    if let Some(energy) = report.energy {
        figures(&mut page, energy);
    }
    close(&mut page);
    page
}

fn chart(page: &mut String, panel: &Panel<'_>) {
    page.push_str("<div>\n");
    let title = format!("{} ({})", panel.subject, panel.unit);
    legend(page, panel.gauges.iter().map(|gauge| gauge.part()).enumerate(), "");
    let courses = || panel.gauges.iter().map(|gauge| &gauge.course);
    let ends = courses().map(|course| course.columns().count() as f64 * course.column_s());
    let across = Across {
        label: "time (s)",
        log: false,
        marks: marks_to(ends.fold(0.0, f64::max), 6),
        text: short_rate,
    };
    let lines = courses().enumerate().flat_map(lines_of).collect();
    page.push_str(
        &Chart { title: &title, across: &across, log: false, text: short_rate, least_top: 0.0, lines }.svg(),
    );
    page.push_str("</div>\n");
}

/// The lines of one course: none is drawn through columns about which nothing is known.
fn lines_of((index, course): (usize, &GaugeCourse)) -> Vec<Line> {
    let width = course.column_s();
    let known = course.columns().enumerate().filter_map(|(column, value)| Some((column, value?)));
    let known: Vec<(usize, f64)> = known.collect();
    let stretches = known.chunk_by(|(one, _), (next, _)| next - one <= LONGEST_STEP);
    let point = |&(column, y): &(usize, f64)| Point { x: (column as f64 + 0.5) * width, y, interval: None };
    let line =
        |stretch: &[(usize, f64)]| Line { index, dashed: false, points: stretch.iter().map(point).collect() };
    stretches.map(line).collect()
}

/// What each gauge showed before, during and after the command.
fn means(page: &mut String, panels: &[Panel<'_>]) {
    page.push_str("<section><h2>Means</h2>\n");
    table::open(page, "", "Means", &["", "before", "during", "after"]);
    for gauge in panels.iter().flat_map(|panel| &panel.gauges) {
        let course = &gauge.course;
        let means = [course.before(), course.during(), course.after()];
        table::row(page, &gauge.name, &means.map(|mean| reading(mean, &gauge.unit)));
    }
    table::close(page);
    page.push_str("</section>\n");
}

fn figures(page: &mut String, energy: &EnergyDocument) {
    page.push_str("<section><h2>Energy</h2>\n");
    table::open(page, "", "Energy", &["figure", "value"]);
    for line in energy.conditions() {
        table::row(page, &line.name, std::slice::from_ref(&line.value));
    }
    table::close(page);
    page.push_str("</section>\n");
}
