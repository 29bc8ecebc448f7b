//! What the machine did while a test ran.

use drivelab_stats::{GaugeCourse, Gauged};
use drivelab_view::chart::{Axis, Colours, Data, Landmark, Plot, Scale, Series, Shape, Size};
use drivelab_view::{Block, Chart, Quantity, Section};

use crate::{Comparison, ResultKind, StoredResult};

/// The subject of a meter's readings.
const POWER: &str = "power";
/// The subject of a drive's sensors.
const TEMPERATURE: &str = "temperature";
/// The subject of a drive's own counter of throttling.
const THROTTLING: &str = "throttling";

/// A chart for each subject and unit that was read during any of the results; none where nothing was.
pub(crate) fn machine<K: ResultKind>(compared: &Comparison<'_, K>) -> Option<Section> {
    let charts = charts(compared, |_| true);
    (!charts.is_empty()).then(|| Section::full("The machine and the drive during the test", charts))
}

/// The power over time; none where no meter was read.
pub(crate) fn power<K: ResultKind>(compared: &Comparison<'_, K>) -> Option<Section> {
    let charts = charts(compared, |subject| subject == POWER);
    (!charts.is_empty()).then(|| Section::summary(Some("Power over time"), charts))
}

/// The charts of everything but the power.
pub(crate) fn machine_but_power<K: ResultKind>(compared: &Comparison<'_, K>) -> Option<Section> {
    let charts = charts(compared, |subject| subject != POWER);
    (!charts.is_empty()).then(|| Section::full("The machine meanwhile", charts))
}

fn charts<K: ResultKind>(compared: &Comparison<'_, K>, is_shown: impl Fn(&str) -> bool) -> Vec<Block> {
    let mut panels: Vec<(&str, &str)> = Vec::new();
    for one in compared.iter() {
        for gauge in one.gauges.iter().filter(|gauge| is_worth_a_chart(one, gauge)) {
            let panel = (gauge.subject(), gauge.unit.as_str());
            if is_shown(panel.0) && !panels.contains(&panel) {
                panels.push(panel);
            }
        }
    }
    panels.iter().map(|panel| Block::Chart(chart(compared, *panel))).collect()
}

/// Whether anything was read; a counter of throttling that never moved is not shown.
fn is_worth_a_chart<K: ResultKind>(kept: &StoredResult<K>, gauge: &Gauged) -> bool {
    let throttled =
        || kept.heat().and_then(|heat| heat.counted).is_some_and(|counted| counted.has_throttled());
    gauge.is_known() && (gauge.subject() != THROTTLING || throttled())
}

fn chart<K: ResultKind>(compared: &Comparison<'_, K>, (subject, unit): (&str, &str)) -> Chart {
    let across = Axis::new("Time", Quantity::Seconds, Scale::Linear);
    let up = Axis::new(unit, Quantity::Number, Scale::Linear);
    let unit_in_id = unit.replace('/', "-per-").replace('%', "percent").replace('°', "degrees-");
    let id = format!("machine-{subject}-{unit_in_id}");
    let mut chart = Chart::new(&id, &format!("{subject}, {unit}"), vec![across], up);
    chart.size = Size::Small;
    // Where each result has one line, its colour is that of the result in the legend and on the rest of the page.
    chart.colours = Colours::OfSubjects;
    for one in compared.iter() {
        let own = one.gauges.iter().filter(|gauge| (gauge.subject(), gauge.unit.as_str()) == (subject, unit));
        let before = chart.plots.len();
        chart.plots.extend(own.map(|gauge| Plot::Series(line(gauge, one.place))));
        if chart.plots.len() > before + 1 {
            chart.colours = Colours::OfNames;
        }
        if subject == TEMPERATURE && chart.plots.len() > before {
            chart.plots.extend(limit(one, one.place).map(Plot::Series));
            chart.landmarks.extend(throttled(one, one.place));
        }
    }
    chart
}

/// A line at the temperature from which on the drive protects itself, where that is known.
fn limit<K: ResultKind>(kept: &StoredResult<K>, subject: usize) -> Option<Series> {
    let celsius = kept.heat()?.limit?.celsius;
    let end = |gauge: &Gauged| gauge.course.columns().count() as f64 * gauge.course.column_s();
    let end = kept.gauges.iter().filter(|gauge| gauge.subject() == TEMPERATURE).map(end).reduce(f64::max)?;
    let points = vec![(0.0, celsius.into()), (end, celsius.into())];
    Some(Series::of_points("limit of the drive", subject, Shape::DashedLine, points))
}

/// Where the drive began to throttle in each phase in which it did.
fn throttled<K: ResultKind>(kept: &StoredResult<K>, subject: usize) -> Vec<Landmark> {
    let throttled = kept.heat().map_or(&[][..], |heat| &heat.throttled);
    let began = throttled.iter().filter_map(|throttled| {
        let phase = kept.run.phases.iter().find(|phase| phase.name == throttled.phase)?;
        Some(phase.started_at_ns as f64 / 1e9 + throttled.began_s)
    });
    began.map(|at| Landmark { label: "throttles".to_owned(), subject: Some(subject), at: vec![at] }).collect()
}

fn line(gauge: &Gauged, subject: usize) -> Series {
    let course: &GaugeCourse = &gauge.course;
    let values: Data = course.columns().map(|value| value.unwrap_or(f64::NAN)).collect();
    let times = Data::Regular { start: 0.0, step: course.column_s(), count: values.len() };
    let name = if gauge.part().is_empty() { &gauge.name } else { gauge.part() };
    Series::new(name, subject, Shape::Steps, times, values)
}
