//! When programs waited: hours by days, and the days on which they waited the longest.

use drivelab_documents::ClockTime;
use drivelab_stats::waiting::WaitBins;
use drivelab_view::chart::{Axis, Data, Heat, HeatColumn, Scale, Ticks};
use drivelab_view::format::{count, shell_word, things};
use drivelab_view::{Block, Chart, Columns, Quantity, Table};

use super::tables::row;
use super::{drawn, why};
use crate::trace::clock_bins::{ClockBin, HOUR, on_clock};
use crate::trace::{AnalysedTrace, MostlyFindings, WaitingFindings};

/// Below two days, hours by days show nothing that the course does not.
const DAYS_MIN: usize = 2;
/// Days that are named below the hours.
const NAMED_DAYS: usize = 7;
const ROWS: usize = 10;
/// Days without waits that are named; of more, their number is given.
const FREE_DAYS: usize = 7;

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
    fn from_bins(bins: &WaitBins, began: ClockTime) -> Option<Days> {
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

    /// On which days no program waited in the hours of the day that are meant; none where there is no such
    /// day.
    fn free(&self, is_meant: impl Fn(usize) -> bool) -> Option<String> {
        let is_free = |hours: &[Hour; 24]| !(0..24).any(|hour| is_meant(hour) && hours[hour].nanos > 0);
        let free: Vec<usize> = (0..self.hours.len()).filter(|day| is_free(&self.hours[*day])).collect();
        let names = free.iter().filter_map(|day| Some(self.day(*day)?.day()));
        match free.len() {
            0 => None,
            1..=FREE_DAYS => Some(format!("on {}", names.collect::<Vec<_>>().join(", "))),
            many => Some(format!("on {} of {} days", count(many as f64), count(self.hours.len() as f64))),
        }
    }

    /// On which days no program waited in the hours of the first sentence of the page; none where these days are known already,
    /// and where the hours pass midnight and belong to two days.
    fn free_hours(&self, waiting: &WaitingFindings, days_with_waits: usize) -> Option<String> {
        let Some(MostlyFindings::Daily { from_hour, hours, days, .. }) = waiting.mostly else { return None };
        let (from, until) = (usize::from(from_hour), usize::from(from_hour + hours));
        if until > 24 || usize::try_from(days) == Ok(days_with_waits) {
            return None;
        }
        let between = why::hours_in_words((from_hour, hours), Some(self.midnight));
        let free = self.free(|hour| (from..until).contains(&hour))?;
        Some(format!("Between {between}, no program waited for 100 ms or longer {free}."))
    }
}

/// Hours by days, and the worst days, for traces with a clock that reach over several days.
pub(super) fn blocks(shown: &[AnalysedTrace]) -> Vec<Block> {
    let mut blocks = Vec::new();
    for (place, one) in shown.iter().enumerate() {
        let days = one.found.began.zip(one.analysis.wait_bins());
        let Some(days) = days.and_then(|(began, bins)| Days::from_bins(bins, began)) else { continue };
        let title = match shown {
            [_] => "When programs waited".to_owned(),
            _ => format!("When programs waited: {}", one.found.trace),
        };
        blocks.extend(chart((place, &title), &days, &one.found.trace));
        blocks.push(Block::Table(worst(place, shown, &days)));
    }
    blocks
}

fn chart((place, title): (usize, &str), days: &Days, trace: &str) -> Option<Block> {
    let zone = days.midnight.zone();
    let mut across = Axis::of_clock("Day", days.midnight);
    across.ticks = Ticks::Named(named(days));
    across.command = Some(format!("drivelab trace show {}", shell_word(trace)));
    let mut up =
        Axis::new(&format!("Hour of the day ({zone})"), Quantity::Number, Scale::Linear).over(0.0, 24.0);
    up.ticks =
        Ticks::Named([0, 6, 12, 18, 24].map(|hour| (f64::from(hour), format!("{hour:02}:00"))).to_vec());
    let mut chart = Chart::new(&format!("hours-{place}"), title, vec![across], up);
    let column = |hours: &[Hour; 24]| HeatColumn { first: 0, counts: hours.map(|hour| hour.spells).to_vec() };
    chart.heats.push(Heat {
        name: "Waits".to_owned(),
        subject: place,
        start: 0.0,
        width: 86_400.0,
        edges: Data::Regular { start: 0.0, step: 1.0, count: 25 },
        columns: days.hours.iter().map(column).collect(),
        unit: "waits".to_owned(),
        quantity: Quantity::Count,
    });
    drawn(chart, "How often programs waited in each hour of each day.")
}

/// Names in the middle of as many days as there is room for.
fn named(days: &Days) -> Vec<(f64, String)> {
    let every = days.hours.len().div_ceil(NAMED_DAYS);
    let name = |day: usize| Some((86_400.0 * (day as f64 + 0.5), days.day(day)?.weekday()));
    (0..days.hours.len()).step_by(every).filter_map(name).collect()
}

fn nanos(hours: &[Hour; 24]) -> u64 {
    hours.iter().map(|hour| hour.nanos).sum()
}

/// The days on which the most time was waited, the worst first.
fn worst(place: usize, shown: &[AnalysedTrace], days: &Days) -> Table {
    let hour = format!("Mostly in the hour from ({})", days.midnight.zone());
    let columns = Columns::<[Hour; 24]>::new()
        .with("Waits", Quantity::Count, |hours| hours.iter().map(|hour| u64::from(hour.spells)).sum::<u64>())
        .with("Waited", Quantity::Nanoseconds, nanos)
        .words(&hour, |hours| {
            let worst = (0..24).max_by_key(|hour| (hours[*hour].nanos, std::cmp::Reverse(*hour)));
            format!("{:02}:00", worst.unwrap_or(0))
        });
    let caption = "The days on which programs waited the longest";
    let mut table = columns.table(&format!("days-{place}"), caption, "Day");
    let mut order: Vec<usize> = (0..days.hours.len()).filter(|day| nanos(&days.hours[*day]) > 0).collect();
    order.sort_by_key(|day| std::cmp::Reverse(nanos(&days.hours[*day])));
    for day in order.iter().take(ROWS) {
        let head = days.day(*day).map(ClockTime::day).unwrap_or_default();
        table.rows.push(row(shown, place, head, columns.cells(&days.hours[*day])));
    }
    table.notes.extend((order.len() > ROWS).then(|| {
        format!(
            "Of the {} on which programs waited, the {ROWS} with the longest waits.",
            things(order.len() as u64, "day")
        )
    }));
    table
        .notes
        .extend(days.free(|_| true).map(|free| format!("No program waited for 100 ms or longer {free}.")));
    table.notes.extend(
        shown[place].found.waiting.as_ref().and_then(|waiting| days.free_hours(waiting, order.len())),
    );
    if let Some((day, next)) = order.first().and_then(|day| days.day(*day).zip(days.day(day + 1))) {
        let trace = shell_word(&shown[place].found.trace);
        let (day, next) = (day.day(), next.day());
        table
            .notes
            .push(format!("One day by itself: drivelab trace show {trace} --after {day} --before {next}"));
    }
    table
}
