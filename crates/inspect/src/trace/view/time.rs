//! The horizontal axes of everything over time: by the clock, and over busy time.

use drivelab_documents::ClockTime;
use drivelab_stats::Course;
use drivelab_view::Quantity;

use crate::trace::AnalysedTrace;
use drivelab_view::chart::{Axis, Data, Scale};
use drivelab_view::format::{nanos, shell_word, things};

/// A trace that is longer than this, in nanoseconds, is shown by the clock first: what happened at night matters more there than
/// the order of requests does.
const LONG: u64 = 3_600_000_000_000;

/// What lies along the horizontal axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Along {
    /// All time: by the clock of one trace that has one, else from the beginning of each trace.
    AllTime,
    /// Busy time, from which idle time longer than ten seconds is cut out.
    BusyTime,
}

/// The axes over all time and over busy time. Each reaches over all columns of all traces, so that the charts of a page can be
/// compared.
pub(super) struct TimeAxes {
    whole: Axis,
    busy: Axis,
    is_whole_first: bool,
}

/// The axes for these traces: busy time first where all of them are short.
pub(super) fn axes(shown: &[AnalysedTrace]) -> TimeAxes {
    let began: Option<ClockTime> = match shown {
        [one] => one.found.began,
        _ => None,
    };
    let mut whole = match began {
        Some(began) => Axis::of_clock(&format!("Clock time ({})", began.zone()), began),
        None => Axis::new("Time", Quantity::Seconds, Scale::Linear),
    };
    let names: Vec<String> = shown.iter().map(|one| shell_word(&one.found.trace)).collect();
    whole.command = Some(format!("drivelab trace show {}", names.join(" ")));
    let columns = courses(shown, Along::AllTime).map(|course| ends(course, &whole));
    whole.span = shown
        .iter()
        .filter_map(stretch_in_seconds)
        .chain(columns)
        .reduce(|one, other| (one.0.min(other.0), one.1.max(other.1)));
    let busy = Axis::new("Busy time", Quantity::Seconds, Scale::Linear);
    let end = courses(shown, Along::BusyTime).map(|course| ends(course, &busy).1).fold(0.0, f64::max);
    TimeAxes {
        whole,
        busy: busy.over(0.0, end),
        is_whole_first: shown.iter().any(|one| one.found.span_ns >= LONG || one.found.stretch.is_some()),
    }
}

fn courses(shown: &[AnalysedTrace], along: Along) -> impl Iterator<Item = &Course> {
    shown.iter().filter_map(move |one| along.course(one))
}

impl Along {
    /// The course of a trace over this, where it was followed.
    pub fn course(self, one: &AnalysedTrace) -> Option<&Course> {
        let courses = one.analysis.courses.as_ref()?;
        Some(match self {
            Along::AllTime => &courses.by_clock,
            Along::BusyTime => &courses.busy,
        })
    }
}

impl TimeAxes {
    /// What is shown first, and what is folded away.
    pub fn order(&self) -> [Along; 2] {
        if self.is_whole_first {
            [Along::AllTime, Along::BusyTime]
        } else {
            [Along::BusyTime, Along::AllTime]
        }
    }

    pub fn axis(&self, along: Along) -> &Axis {
        match along {
            Along::AllTime => &self.whole,
            Along::BusyTime => &self.busy,
        }
    }
}

/// The part of a trace that is shown, where that is not all of it.
fn stretch_in_seconds(one: &AnalysedTrace) -> Option<(f64, f64)> {
    let stretch = one.found.stretch?;
    let until = stretch.until_ns.unwrap_or(stretch.from_ns.saturating_add(one.found.span_ns));
    Some((stretch.from_ns as f64 / 1e9, until as f64 / 1e9))
}

fn seconds_of_column(course: &Course) -> f64 {
    course.clock.column_nanos as f64 / 1e9
}

/// Where the first column of a course begins on an axis, in seconds. Columns lie at round times of the clock, so that the first
/// one may begin before the trace; an axis that counts from that beginning has no place for this.
pub(super) fn begins(course: &Course, axis: &Axis) -> f64 {
    let begins = course.clock.begins() as f64 / 1e9;
    if axis.clock.is_some() { begins } else { begins.max(0.0) }
}

/// From where to where the columns of a course reach on an axis, in seconds.
fn ends(course: &Course, axis: &Axis) -> (f64, f64) {
    let begins = begins(course, axis);
    (begins, begins + course.bins.len() as f64 * seconds_of_column(course))
}

pub(super) fn middles(course: &Course, axis: &Axis) -> Data {
    let step = seconds_of_column(course);
    Data::Regular { start: begins(course, axis) + step / 2.0, step, count: course.bins.len() }
}

/// How wide the columns of a course are, such as `30 minutes`.
pub(super) fn width_in_words(course: &Course) -> String {
    let width = course.clock.column_nanos;
    let units = [(86_400, "day"), (3_600, "hour"), (60, "minute")];
    let unit = units.into_iter().find(|(seconds, _)| width.is_multiple_of(seconds * 1_000_000_000));
    match unit {
        Some((seconds, name)) => things(width / (seconds * 1_000_000_000), name),
        None => nanos(width as f64),
    }
}
