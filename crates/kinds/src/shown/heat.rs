//! How warm the drives were during a test.

use drivelab_record::{HeatDocument, ThermalCountersDocument};
use drivelab_view::{Better, Block, Cell, Figures, Quantity, Section};

use crate::{Comparison, ResultKind};

/// The group of the figures.
const GROUP: &str = "Temperature";

/// How warm each drive became, and what its own counters say of it; nothing where no drive showed any.
pub(crate) fn heat<K: ResultKind>(compared: &Comparison<'_, K>) -> Vec<Section> {
    let heats: Vec<Option<&HeatDocument>> = compared.iter().map(|one| one.heat()).collect();
    let figures = |name: &str, add: fn(&mut Figures, &[Option<&HeatDocument>])| {
        let mut figures = Figures::new(name, compared.len(), compared.ranking().clone());
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
    let sensors = sensors(heats);
    if sensors.is_empty() {
        return;
    }
    let mut add = adder(figures, heats);
    for name in sensors {
        let words = if name.is_empty() { "hottest".to_owned() } else { format!("hottest ({name})") };
        add(&words, Quantity::Celsius, &|heat| {
            let sensor = heat.sensors.iter().find(|sensor| sensor.name == name);
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

/// The sensors of all drives, in the order in which they are met.
fn sensors(heats: &[Option<&HeatDocument>]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for sensor in heats.iter().flatten().flat_map(|heat| &heat.sensors) {
        if !names.contains(&sensor.name) {
            names.push(sensor.name.clone());
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;
    use drivelab_record::{HeatLimitDocument, HeatLimitKind, SensorDocument, ThrottledPhase, WarmUpDocument};
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
