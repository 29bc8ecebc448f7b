//! The horizontal axes of everything over time: by the clock, and over busy time.

use drivelab_analysis::{Course, CourseBin};
use drivelab_record::ClockTime;
use drivelab_view::Quantity;
use drivelab_view::chart::{Axis, Data, Scale, Series, Shape};
use drivelab_view::format::shell_word;

use super::Shown;

/// A trace that is longer than this, in nanoseconds, is shown by the clock first: what happened at night matters more there than
/// the order of requests does.
const LONG: u64 = 3_600_000_000_000;

/// The axis over busy time, from which idle time longer than ten seconds is cut out. It reaches over all columns of all traces,
/// so that the charts of a page can be compared.
pub(super) fn busy_time(shown: &[Shown<'_>]) -> Axis {
    let ends = courses(shown).map(|course| course.bins().len() as f64 * seconds_of_column(course));
    Axis::new("Busy time", Quantity::Seconds, Scale::Linear).over(0.0, ends.fold(0.0, f64::max))
}

fn courses<'a>(shown: &'a [Shown<'a>]) -> impl Iterator<Item = &'a Course> {
    shown.iter().filter_map(|one| one.report.analysis.course())
}

fn seconds_of_column(course: &Course) -> f64 {
    course.column_nanos() as f64 / 1e9
}

/// Time with all that was idle, and busy time; the page switches between them.
pub(super) struct TimeAxes {
    /// All time: by the clock of one trace that has one, else from the beginning of each trace.
    whole: Axis,
    busy: Axis,
    is_whole_first: bool,
}

/// The axes for these traces: busy time first where all of them are short.
pub(super) fn axes(shown: &[Shown<'_>]) -> TimeAxes {
    let began: Option<ClockTime> = match shown {
        [one] => one.found.began,
        _ => None,
    };
    let mut whole = match began {
        Some(began) => Axis::of_clock("Clock time", began),
        None => Axis::new("Time", Quantity::Seconds, Scale::Linear),
    };
    let names: Vec<String> = shown.iter().map(|one| shell_word(&one.found.trace)).collect();
    whole.command = Some(format!("drivelab trace show {}", names.join(" ")));
    let stretches = shown.iter().filter_map(stretch_in_seconds);
    whole.span = stretches
        .chain(courses(shown).filter_map(columns_in_seconds))
        .reduce(|one, other| (one.0.min(other.0), one.1.max(other.1)));
    TimeAxes {
        whole,
        busy: busy_time(shown),
        is_whole_first: shown.iter().any(|one| one.found.span_ns >= LONG || one.found.stretch.is_some()),
    }
}

/// The part of a trace that is shown, where that is not all of it.
fn stretch_in_seconds(one: &Shown<'_>) -> Option<(f64, f64)> {
    let stretch = one.found.stretch?;
    let until = stretch.until_ns.unwrap_or(stretch.from_ns.saturating_add(one.found.span_ns));
    Some((stretch.from_ns as f64 / 1e9, until as f64 / 1e9))
}

/// From the first to the last column of a course, so that charts with values in a part of it have the same axis.
fn columns_in_seconds(course: &Course) -> Option<(f64, f64)> {
    let places = began(course.bins(), seconds_of_column(course));
    Some((*places.first()?, *places.last()?))
}

impl TimeAxes {
    /// The axes in their order.
    pub fn across(&self) -> Vec<Axis> {
        self.ordered(self.whole.clone(), self.busy.clone()).to_vec()
    }

    /// The axis that is shown first.
    pub fn first(&self) -> &Axis {
        if self.is_whole_first { &self.whole } else { &self.busy }
    }

    /// When the columns of a course began, in seconds of all time; none where busy time is shown first.
    pub fn began(&self, course: &Course) -> Option<Vec<f64>> {
        self.is_whole_first.then(|| began(course.bins(), seconds_of_column(course)))
    }

    /// Where the columns of a course lie on the axes.
    pub fn places(&self, course: &Course) -> Places {
        let step = seconds_of_column(course);
        let busy = Data::Regular { start: step / 2.0, step, count: course.bins().len() };
        let whole = began(course.bins(), step).into_iter().collect();
        Places(self.ordered(whole, busy))
    }

    fn ordered<T>(&self, whole: T, busy: T) -> [T; 2] {
        if self.is_whole_first { [whole, busy] } else { [busy, whole] }
    }
}

/// When the first request of each column was issued, in seconds; of a column without one, as long after the column before as it
/// is wide.
fn began(bins: &[CourseBin], step: f64) -> Vec<f64> {
    let mut found: Vec<f64> = Vec::with_capacity(bins.len());
    for bin in bins {
        let before = found.last().map_or(0.0, |last| last + step);
        found.push(bin.began.map_or(before, |at| (at / 1_000_000) as f64 / 1e3));
    }
    // An empty column ends no later than the next one begins.
    for place in (1..found.len()).rev() {
        found[place - 1] = found[place - 1].min(found[place]);
    }
    found
}

/// Where the columns of a course lie on each axis.
pub(super) struct Places([Data; 2]);

impl Places {
    /// A value for each column.
    pub fn series(&self, name: String, subject: usize, shape: Shape, ys: Data) -> Series {
        let [first, second] = &self.0;
        let mut series = Series::new(name, subject, shape, first.clone(), ys);
        series.xs.push(second.clone());
        series
    }

    /// The values that are there, of as many columns.
    pub fn points(&self, name: &str, subject: usize, shape: Shape, ys: &Data) -> Series {
        let known: Vec<usize> = (0..ys.len()).filter(|place| ys.get(*place).is_finite()).collect();
        let picked = |data: &Data| known.iter().map(|place| data.get(*place)).collect::<Data>();
        let [first, second] = &self.0;
        let mut series = Series::new(name, subject, shape, picked(first), picked(ys));
        series.xs.push(picked(second));
        series
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_without_requests_lie_between_those_with_some() {
        let bin =
            |began: Option<u64>| CourseBin { began: began.map(|ms| ms * 1_000_000), ..CourseBin::default() };
        let bins = [Some(500), None, None, Some(2_400), None, Some(90_000)].map(bin);
        assert_eq!(began(&bins, 1.0), [0.5, 1.5, 2.4, 2.4, 3.4, 90.0]);
    }
}
