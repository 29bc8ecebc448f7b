//! When programs waited: hours by days, and the days on which they waited the longest.

use drivelab_analysis::waiting::WaitBins;
use drivelab_record::ClockTime;
use drivelab_view::chart::{Axis, Data, Heat, HeatColumn, Plot, Scale, Ticks};
use drivelab_view::format::shell_word;
use drivelab_view::{Block, Cell, Chart, Column, Quantity, Row, Table};

use super::tables::of_subject;
use super::{Shown, drawn};
use crate::trace::clock_bins::{ClockBin, HOUR, on_clock};

/// Below two days, hours by days show nothing that the course does not.
const DAYS_MIN: usize = 2;
/// Days that are named below the hours.
const NAMED_DAYS: usize = 7;
/// Rows of one trace.
const ROWS: usize = 10;

/// What was waited in one hour of a day.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Hour {
    spells: u32,
    nanos: u64,
}

/// What was waited in each hour of each day, from the midnight before the first I/O on.
struct Days {
    midnight: ClockTime,
    hours: Vec<[Hour; 24]>,
}

impl Days {
    /// Those of a trace that began then; none where its bins are longer than an hour, or it has no wait or a single day.
    fn of(bins: &WaitBins, began: ClockTime) -> Option<Days> {
        let placed = on_clock(bins, began)?;
        let first = placed.first()?.day;
        let mut days = Days { midnight: began.midnight_of(first)?, hours: Vec::new() };
        for ClockBin { day, hour, bin } in placed {
            let day = usize::try_from(day - first).ok()?;
            if days.hours.len() <= day {
                days.hours.resize(day + 1, [Hour::default(); 24]);
            }
            let sum = &mut days.hours[day][hour];
            sum.spells = sum.spells.saturating_add(bin.spells);
            sum.nanos = sum.nanos.saturating_add(bin.waited);
        }
        let has_waits = days.hours.iter().flatten().any(|hour| hour.spells > 0);
        (days.hours.len() >= DAYS_MIN && has_waits).then_some(days)
    }

    fn day(&self, number: usize) -> Option<ClockTime> {
        self.midnight.after(number as u64 * 24 * HOUR)
    }
}

/// Hours by days, and the worst days, for traces with a clock that reach over several days.
pub(super) fn blocks(shown: &[Shown<'_>]) -> Vec<Block> {
    let mut blocks = Vec::new();
    for (place, one) in shown.iter().enumerate() {
        let days = one.found.began.zip(one.report.analysis.wait_bins());
        let Some(days) = days.and_then(|(began, bins)| Days::of(bins, began)) else { continue };
        let title = match shown {
            [_] => "When programs waited".to_owned(),
            _ => format!("When programs waited: {}", one.found.trace),
        };
        blocks.extend(chart(place, &title, &days, &one.found.trace));
        blocks.push(Block::Table(worst(place, shown, &days)));
    }
    blocks
}

fn chart(place: usize, title: &str, days: &Days, trace: &str) -> Option<Block> {
    let mut across = Axis::of_clock("Day", days.midnight);
    across.ticks = Ticks::Named(named(days));
    across.command = Some(format!("drivelab trace show {}", shell_word(trace)));
    let mut up = Axis::new("Hour of the day", Quantity::Number, Scale::Linear).over(0.0, 24.0);
    up.ticks =
        Ticks::Named([0, 6, 12, 18, 24].map(|hour| (f64::from(hour), format!("{hour:02}:00"))).to_vec());
    let mut chart = Chart::new(&format!("hours-{place}"), title, vec![across], up);
    let column = |hours: &[Hour; 24]| HeatColumn { first: 0, counts: hours.map(|hour| hour.spells).to_vec() };
    chart.plots.push(Plot::Heat(Heat {
        name: "Waits".to_owned(),
        subject: place,
        start: 0.0,
        width: 86_400.0,
        edges: Data::Regular { start: 0.0, step: 1.0, count: 25 },
        columns: days.hours.iter().map(column).collect(),
        unit: "waits".to_owned(),
        quantity: Quantity::Count,
    }));
    drawn(chart, "How often programs waited in each hour of each day.")
}

/// Names in the middle of as many days as there is room for.
fn named(days: &Days) -> Vec<(f64, String)> {
    let every = days.hours.len().div_ceil(NAMED_DAYS);
    let name = |day: usize| Some((86_400.0 * (day as f64 + 0.5), days.day(day)?.weekday()));
    (0..days.hours.len()).step_by(every).filter_map(name).collect()
}

/// The days on which the most time was waited, the worst first.
fn worst(place: usize, shown: &[Shown<'_>], days: &Days) -> Table {
    let columns = vec![
        Column::new("Waits", Quantity::Count),
        Column::new("Waited", Quantity::Nanoseconds),
        Column::new("Mostly in the hour from", Quantity::Number),
    ];
    let mut table =
        Table::new(&format!("days-{place}"), "The days on which programs waited the longest", "Day", columns);
    let nanos = |hours: &[Hour; 24]| hours.iter().map(|hour| hour.nanos).sum::<u64>();
    let mut order: Vec<usize> = (0..days.hours.len()).filter(|day| nanos(&days.hours[*day]) > 0).collect();
    order.sort_by_key(|day| std::cmp::Reverse(nanos(&days.hours[*day])));
    for day in order.iter().take(ROWS) {
        let hours = &days.hours[*day];
        let spells: u64 = hours.iter().map(|hour| u64::from(hour.spells)).sum();
        let worst = (0..24).max_by_key(|hour| (hours[*hour].nanos, std::cmp::Reverse(*hour))).unwrap_or(0);
        table.rows.push(Row {
            head: days.day(*day).map(ClockTime::day).unwrap_or_default(),
            subject: of_subject(shown, place),
            group: None,
            cells: vec![
                Cell::count(Quantity::Count, Some(spells)),
                Cell::count(Quantity::Nanoseconds, Some(nanos(hours))),
                Cell::text(format!("{worst:02}:00")),
            ],
        });
    }
    if let Some((day, next)) = order.first().and_then(|day| days.day(*day).zip(days.day(day + 1))) {
        let trace = shell_word(&shown[place].found.trace);
        let (day, next) = (day.day(), next.day());
        table
            .notes
            .push(format!("One day by itself: drivelab trace show {trace} --after {day} --before {next}"));
    }
    table
}
