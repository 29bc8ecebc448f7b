//! When programs waited the most.

use std::collections::BTreeSet;

use drivelab_documents::ClockTime;
use drivelab_stats::waiting::{WaitBin, WaitBins, Waits};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::trace::clock_bins::{ClockBin, on_clock};

/// Fewer spells have no pattern.
const SPELLS_MIN: u64 = 3;
/// A stretch that is longer than this share of the trace says nothing of when.
const STRETCH_MAX: f64 = 0.1;
/// A stretch has at least this many times the share of the time waited that it would have if programs waited evenly while there
/// were requests.
const STRETCH_DENSITY_MIN: f64 = 2.0;
/// On as many days at least an hour of the day is one that comes back.
const DAYS_MIN: u64 = 2;

/// When at least half of the time was waited.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum MostlyFindings {
    /// At the same time of several days.
    Daily {
        /// The hour in which it begins, by the clock of the machine, or in UTC.
        from_hour: u8,
        /// How many hours it lasts.
        hours: u8,
        /// On how many days programs waited then.
        days: u64,
        /// Days that the trace reaches over, parts of days included.
        of_days: u64,
        /// The share of all of the time waited.
        share: f64,
    },
    /// In one stretch of time.
    Stretch {
        /// When it begins; null where the source has no clock time.
        from: Option<ClockTime>,
        /// When it begins, from the first instant of the trace on.
        from_ns: u64,
        /// When it ends.
        until_ns: u64,
        /// The share of all of the time waited.
        share: f64,
    },
}

/// When at least half of the time was waited: an hour or two of the day where the trace reaches over several days, or else the
/// shortest stretch. None where neither is short against the trace.
pub(super) fn find(waits: &Waits<'_>, began: Option<ClockTime>) -> Option<MostlyFindings> {
    if waits.spells < SPELLS_MIN || waits.waited == 0 {
        return None;
    }
    let daily = began.and_then(|began| daily(waits.bins, began));
    daily.or_else(|| stretch(waits.bins, began))
}

fn daily(bins: &WaitBins, began: ClockTime) -> Option<MostlyFindings> {
    let placed = on_clock(bins, began)?;
    let mut by_hour = [0_u64; 24];
    for ClockBin { hour, bin, .. } in &placed {
        by_hour[*hour] = by_hour[*hour].saturating_add(bin.waited);
    }
    let all: u64 = by_hour.iter().sum();
    let of_hours =
        |from: usize, hours: usize| -> u64 { (from..from + hours).map(|hour| by_hour[hour % 24]).sum() };
    let (from, hours) = [1, 2].into_iter().find_map(|hours| {
        let from = (0..24).max_by_key(|from| (of_hours(*from, hours), std::cmp::Reverse(*from)))?;
        (of_hours(from, hours) * 2 >= all).then_some((from, hours))
    })?;
    let is_within = |hour: usize| (hour + 24 - from) % 24 < hours;
    let (mut days, mut with_waits) = (BTreeSet::new(), BTreeSet::new());
    for ClockBin { day, hour, bin } in placed {
        days.insert(day);
        if bin.waited > 0 && is_within(hour) {
            // What passes midnight belongs to the day on which it began.
            with_waits.insert(if hour < from { day - 1 } else { day });
        }
    }
    let (days_with, of_days) = (with_waits.len() as u64, days.len() as u64);
    let share = of_hours(from, hours) as f64 / all as f64;
    (days_with >= DAYS_MIN).then(|| MostlyFindings::Daily {
        from_hour: u8::try_from(from).unwrap_or(0),
        hours: u8::try_from(hours).unwrap_or(1),
        days: days_with,
        of_days,
        share,
    })
}

/// The shortest stretch of bins that has at least half of the time; none where that is hardly more than its share. Of a part of a
/// trace, what lies before it is no time in which anything could be waited for.
fn stretch(wait_bins: &WaitBins, began: Option<ClockTime>) -> Option<MostlyFindings> {
    let bins = wait_bins.all();
    let all: u64 = bins.iter().map(|bin| bin.waited).sum();
    let (mut from, mut sum) = (0, 0_u64);
    let mut shortest: Option<(usize, usize, u64)> = None;
    for (last, bin) in bins.iter().enumerate() {
        sum += bin.waited;
        while (sum - bins[from].waited) * 2 >= all && from < last {
            sum -= bins[from].waited;
            from += 1;
        }
        let is_shorter = |(a, b, had): (usize, usize, u64)| {
            let (length, known) = (last - from, b - a);
            length < known || (length == known && sum > had)
        };
        if sum * 2 >= all && shortest.is_none_or(is_shorter) {
            shortest = Some((from, last, sum));
        }
    }
    let (from, last, sum) = widened(bins, shortest?);
    let length = last + 1 - from;
    let shown = bins.iter().skip_while(|bin| bin.requests == 0).count();
    let in_use = bins.iter().filter(|bin| bin.requests > 0).count();
    let (share, even) = (sum as f64 / all as f64, length as f64 / in_use as f64);
    if length as f64 > shown as f64 * STRETCH_MAX || share < STRETCH_DENSITY_MIN * even {
        return None;
    }
    // The first bin may begin before the trace does.
    let [from_ns, until_ns] =
        [from, last + 1].map(|bin| u64::try_from(wait_bins.begins(bin).max(0)).unwrap_or(u64::MAX));
    Some(MostlyFindings::Stretch {
        from: began.and_then(|began| began.after(from_ns)),
        from_ns,
        until_ns,
        share,
    })
}

/// A stretch, by its first and its last bin and what was waited in it, with the bins next to it in which at least half as much
/// was waited as in a bin of it: what is spread evenly over an hour is named by all of the hour.
fn widened(bins: &[WaitBin], (from, last, sum): (usize, usize, u64)) -> (usize, usize, u64) {
    let least = sum / (last + 1 - from) as u64 / 2;
    let belongs = |bin: &&WaitBin| bin.waited > 0 && bin.waited >= least;
    let before = bins[..from].iter().rev().take_while(belongs);
    let behind = bins[last + 1..].iter().take_while(belongs);
    let (more_before, more_behind) = (before.clone().count(), behind.clone().count());
    let more: u64 = before.chain(behind).map(|bin| bin.waited).sum();
    (from - more_before, last + more_behind, sum + more)
}

#[cfg(test)]
mod tests {
    use drivelab_block::{Extent, Instant, Nanos, Op, Sector, SectorCount, TracedIo};
    use drivelab_stats::waiting::{AwaitedWrites, Waiting};

    use super::*;

    const SECOND: u64 = 1_000_000_000;
    const HOUR: u64 = 3_600 * SECOND;
    const DAY: u64 = 24 * HOUR;

    /// What is found of reads at these times, each of which took this many milliseconds; the first one is at the beginning.
    fn found(reads: impl IntoIterator<Item = (u64, u64)>, began: Option<&str>) -> Option<MostlyFindings> {
        let began: Option<ClockTime> = began.map(|began| began.parse().expect("a time"));
        let nanos_of_day = began.map_or(0, ClockTime::nanos_of_day);
        let mut waiting = Waiting::new(AwaitedWrites::Synchronous, nanos_of_day);
        let extent = Extent { start: Sector::new(0), length: SectorCount::new(8) };
        let first = [(0, 1)];
        let mut all: Vec<(u64, u64)> = first.into_iter().chain(reads).collect();
        all.sort_unstable();
        for (at, millis) in all {
            let service = Some(Nanos::from_millis(millis));
            waiting.add(&TracedIo { service, ..TracedIo::new(Instant::from_nanos(at), Op::Read, extent) });
        }
        find(&waiting.found(), began)
    }

    #[test]
    fn the_same_hour_of_several_days_is_named_by_the_clock_of_the_machine() {
        // At 03:10 on six of seven days; the trace begins at 22:00 of the day before.
        let nights = (0..7).filter(|day| *day != 3).map(|day| (day * DAY + 5 * HOUR + 600 * SECOND, 400));
        let by_day = (0..7).map(|day| (day * DAY + 15 * HOUR, 100));
        let mostly = found(nights.chain(by_day), Some("2026-11-01T22:00:00+05:30"));
        let share = 2400.0 / 3100.0;
        assert_eq!(
            mostly,
            Some(MostlyFindings::Daily { from_hour: 3, hours: 1, days: 6, of_days: 8, share })
        );
    }

    /// A copy at 03:00:03 of every night, in a trace that began 20.548 s after midnight, all lie between 03:00 and 04:00.
    #[test]
    fn waits_lie_in_the_hour_of_the_clock_whatever_the_first_second_of_the_trace() {
        let begun = 20_548_000_000;
        let nights = (0..5).flat_map(|day| {
            (0..10).map(move |number| (day * DAY + 3 * HOUR + (3 + number) * SECOND - begun, 400))
        });
        let mostly = found(nights.chain([(2 * HOUR, 100)]), Some("2026-11-02T00:00:20.548Z"));
        let share = 20_000.0 / 20_100.0;
        assert_eq!(
            mostly,
            Some(MostlyFindings::Daily { from_hour: 3, hours: 1, days: 5, of_days: 5, share })
        );
    }

    #[test]
    fn two_hours_pass_midnight_and_belong_to_the_day_on_which_they_began() {
        let nights = (0..4).flat_map(|day| {
            [(23, 500), (24, 480), (25, 100)].map(|(hour, millis)| (day * DAY + hour * HOUR, millis))
        });
        let mostly = found(nights, Some("2026-11-01T00:30:00+00:00"));
        assert_eq!(
            mostly,
            Some(MostlyFindings::Daily {
                from_hour: 23,
                hours: 2,
                days: 4,
                of_days: 5,
                share: 980.0 / 1080.0
            })
        );
    }

    #[test]
    fn one_stretch_is_named_where_no_hour_comes_back_or_no_clock_is_known() {
        let once = [(5 * HOUR, 500), (5 * HOUR + 60 * SECOND, 500), (20 * HOUR, 200), (30 * HOUR, 1)];
        let stretch = |from: Option<&str>| {
            Some(MostlyFindings::Stretch {
                from: from.map(|from| from.parse().expect("a time")),
                from_ns: 5 * HOUR,
                until_ns: 5 * HOUR + 120 * SECOND,
                share: 1000.0 / 1200.0,
            })
        };
        assert_eq!(
            found(once, Some("2026-11-01T10:00:00+00:00")),
            stretch(Some("2026-11-01T15:00:00+00:00"))
        );
        assert_eq!(found(once, None), stretch(None));
    }

    #[test]
    fn a_load_that_is_spread_evenly_over_an_hour_of_a_day_has_no_stretch_of_its_own() {
        let minutes = |from: u64| (0..60).map(move |minute| (from + minute * 60 * SECOND, 200));
        let day_after = [(27 * HOUR, 1)];
        assert_eq!(found(minutes(3 * HOUR).chain(day_after), None), None, "half of it in half of its time");
        // Where there were a few requests all day, the hour itself is named.
        let all_day = (0..27 * 60).map(|minute| (minute * 60 * SECOND + 30 * SECOND, 1));
        let hour = found(minutes(3 * HOUR).chain(all_day), None);
        let Some(MostlyFindings::Stretch { from_ns, until_ns, share, .. }) = hour else {
            panic!("the hour is named: {hour:?}")
        };
        assert_eq!((from_ns, until_ns), (3 * HOUR, 4 * HOUR));
        assert!(share > 0.99, "{share}");
        let with_a_peak = minutes(3 * HOUR).chain([(3 * HOUR + SECOND, 20_000)]).chain(day_after);
        let peak = Some(MostlyFindings::Stretch {
            from: None,
            from_ns: 3 * HOUR,
            until_ns: 3 * HOUR + 60 * SECOND,
            share: 20_200.0 / 32_000.0,
        });
        assert_eq!(found(with_a_peak, None), peak);
    }

    #[test]
    fn what_is_spread_over_the_whole_time_or_seldom_has_no_time_of_its_own() {
        let spread = (0..48).map(|number| (number * HOUR + number * 77 * SECOND, 200));
        assert_eq!(found(spread, Some("2026-11-01T10:00:00+00:00")), None);
        assert_eq!(found([(HOUR, 200), (HOUR + SECOND, 200), (99 * HOUR, 1)], None), None, "two spells");
    }
}
