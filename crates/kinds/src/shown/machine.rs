//! What the machine did while a test ran, and how warm the drives were.

use drivelab_documents::{HeatDocument, ThermalCountersDocument};
use drivelab_stats::{GaugeCourse, Gauged};
use drivelab_view::chart::{Axis, Colours, Data, Landmark, Scale, Series, Shape, Size};
use drivelab_view::format::each_once;
use drivelab_view::{Better, Block, Cell, Chart, Figures, Quantity, Section};

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
    let gauges = compared.iter().flat_map(|one| one.gauges.iter().map(move |gauge| (one, gauge)));
    let gauges = gauges.filter(|(one, gauge)| is_worth_a_chart(one, gauge) && is_shown(gauge.subject()));
    let panels = each_once(gauges.map(|(_, gauge)| (gauge.subject(), gauge.unit.as_str())));
    panels.into_iter().map(|panel| Block::Chart(chart(compared, panel))).collect()
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
        let before = chart.series.len();
        chart.series.extend(own.map(|gauge| line(gauge, one.place)));
        if chart.series.len() > before + 1 {
            chart.colours = Colours::OfNames;
        }
        if subject == TEMPERATURE && chart.series.len() > before {
            chart.series.extend(limit(one, one.place));
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

const GROUP: &str = "Temperature";

/// How warm each drive became, and what its own counters say of it; nothing where no drive showed any.
pub(crate) fn heat<K: ResultKind>(compared: &Comparison<'_, K>) -> Vec<Section> {
    let heats: Vec<Option<&HeatDocument>> = compared.iter().map(|one| one.heat()).collect();
    let figures = |name: &str, add: fn(&mut Figures, &[Option<&HeatDocument>])| {
        let mut figures = Figures::new(name, compared.len(), compared.ranking.clone());
        add(&mut figures, &heats);
        (!figures.rows.is_empty()).then(|| vec![Block::Figures(figures)])
    };
    let seen = figures("temperature", add_seen).map(|blocks| Section::summary(Some("Temperature"), blocks));
    let counted =
        figures("heat-counters", add_counted).map(|blocks| Section::full("Counters of heat", blocks));
    seen.into_iter().chain(counted).collect()
}

/// A figure of a drive, where it is known.
type HeatFigure<'a> = &'a dyn Fn(&HeatDocument) -> Option<f64>;

/// A counter of an NVMe drive.
type Counter = fn(&ThermalCountersDocument) -> u32;

/// What the sensors showed; nothing where no drive has one.
fn add_seen(figures: &mut Figures, heats: &[Option<&HeatDocument>]) {
    // In the order in which they are met.
    let sensors = each_once(heats.iter().flatten().flat_map(|heat| &heat.sensors).map(|sensor| &sensor.name));
    if sensors.is_empty() {
        return;
    }
    let mut add = adder(figures, heats);
    for name in sensors {
        let words = if name.is_empty() { "hottest".to_owned() } else { format!("hottest ({name})") };
        add(&words, Quantity::Celsius, &|heat| {
            let sensor = heat.sensors.iter().find(|sensor| sensor.name == *name);
            sensor.map(|sensor| sensor.hottest_celsius)
        });
    }
    add("before it was read until warm", Quantity::Celsius, &|heat| heat.warm_up?.from_celsius);
    add("when the measuring began", Quantity::Celsius, &|heat| heat.warm_up?.to_celsius);
    add("limit of the drive", Quantity::Celsius, &|heat| Some(heat.limit?.celsius.into()));
    if heats.iter().flatten().any(|heat| !heat.throttled.is_empty()) {
        let longest = |heat: &HeatDocument| heat.throttled.iter().map(|phase| phase.share).reduce(f64::max);
        add("throttled, share of the phase with most of it", Quantity::Share, &|heat| {
            Some(longest(heat).unwrap_or(0.0))
        });
        add("throttled from", Quantity::Celsius, &|heat| Some(heat.throttled.first()?.celsius));
    }
}

fn add_counted(figures: &mut Figures, heats: &[Option<&HeatDocument>]) {
    let mut add = adder(figures, heats);
    let counters: [(&str, Quantity, f64, Counter); 6] = [
        ("at the warning temperature", Quantity::Seconds, 60.0, |all| all.warning_minutes),
        ("at the critical temperature", Quantity::Seconds, 60.0, |all| all.critical_minutes),
        ("thermal management 1 begun", Quantity::Count, 1.0, |all| all.thermal_1_transitions),
        ("thermal management 2 begun", Quantity::Count, 1.0, |all| all.thermal_2_transitions),
        ("in thermal management 1", Quantity::Seconds, 1.0, |all| all.thermal_1_seconds),
        ("in thermal management 2", Quantity::Seconds, 1.0, |all| all.thermal_2_seconds),
    ];
    for (name, quantity, unit, of) in counters {
        add(name, quantity, &|heat| Some(f64::from(of(heat.counted.as_ref()?)) * unit));
    }
}

/// Adds a figure of each drive.
fn adder<'a>(
    figures: &'a mut Figures,
    heats: &'a [Option<&HeatDocument>],
) -> impl FnMut(&str, Quantity, HeatFigure<'_>) + 'a {
    move |name, quantity, of| {
        let cell = |heat: Option<&HeatDocument>| Cell::number(quantity, heat.and_then(of));
        figures.add((GROUP, name), quantity, Better::Neither, heats.iter().copied().map(cell).collect());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use drivelab_documents::{
        HeatLimitDocument, HeatLimitKind, SensorDocument, ThrottledPhase, WarmUpDocument,
    };
    use drivelab_view::Ranking;

    #[test]
    fn figures_are_in_base_units_and_a_cool_drive_throttled_for_none_of_the_time() {
        let sensor = |name: &str, hottest_celsius| SensorDocument { name: name.to_owned(), hottest_celsius };
        let hot = HeatDocument {
            sensors: vec![sensor("Composite", 84.85)],
            limit: Some(HeatLimitDocument { celsius: 84, kind: HeatLimitKind::Warning }),
            counted: Some(ThermalCountersDocument { warning_minutes: 2, ..Default::default() }),
            throttled: vec![ThrottledPhase {
                phase: "load".to_owned(),
                began_s: 5.0,
                celsius: 83.85,
                share: 0.5,
                counted_s: None,
                rate_before_mb_s: Some(3_000.0),
                rate_mb_s: Some(1_500.0),
                changes: None,
                came_back: Some(true),
            }],
            warm_up: Some(WarmUpDocument {
                lasted_s: 720.0,
                from_celsius: Some(33.85),
                to_celsius: Some(50.85),
                rise_kelvins: Some(0.3),
                is_warm: true,
            }),
        };
        let cool = HeatDocument { sensors: vec![sensor("", 31.0)], ..HeatDocument::default() };
        let mut figures = Figures::new("temperature", 3, Ranking::Ranked);
        add_seen(&mut figures, &[Some(&hot), Some(&cool), None]);
        add_counted(&mut figures, &[Some(&hot), Some(&cool), None]);
        let numbers = |name: &str| -> Vec<Option<f64>> {
            let row = figures.rows.iter().find(|row| row.name == name).expect("a row");
            row.cells.iter().map(|cell| cell.value().map(|value| value.number)).collect()
        };
        assert_eq!(numbers("hottest (Composite)"), [Some(84.85), None, None]);
        assert_eq!(numbers("hottest"), [None, Some(31.0), None]);
        assert_eq!(numbers("at the warning temperature"), [Some(120.0), None, None]);
        assert_eq!(numbers("throttled, share of the phase with most of it"), [Some(0.5), Some(0.0), None]);
        assert_eq!(numbers("when the measuring began"), [Some(50.85), None, None]);
        assert_eq!(numbers("throttled from"), [Some(83.85), None, None]);
    }
}
