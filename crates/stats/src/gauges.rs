//! What a gauge beside a run showed: before it, over its course, and after it.

use drivelab_block::{Instant, Nanos};

use crate::joined::joined;

/// Columns of a course at most.
const COLUMNS: usize = 512;
/// The width of a column to begin with.
const FIRST_WIDTH: Nanos = Nanos::from_secs(1);

/// When a run did what, on the clock of its readings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunSpan {
    /// The start of its first phase.
    pub began: Instant,
    /// The start of the phase that is shown.
    pub shown_from: Instant,
    /// The end of that phase.
    pub shown_until: Instant,
    /// The end of its last phase.
    pub ended: Instant,
}

/// A mean over time: each value counts by how long it held.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TimeMean {
    sum: f64,
    seconds: f64,
}

impl TimeMean {
    fn add(&mut self, value: f64, seconds: f64) {
        self.sum += value * seconds;
        self.seconds += seconds;
    }

    /// The mean; `None` where nothing was read.
    pub fn get(self) -> Option<f64> {
        (self.seconds > 0.0).then(|| self.sum / self.seconds)
    }
}

/// One gauge's readings over a run, in bounded memory: at most 512 columns, joined by twos as the run goes on.
#[derive(Clone, Debug, PartialEq)]
pub struct GaugeCourse {
    span: RunSpan,
    /// Before the run's first phase.
    pub before: TimeMean,
    /// Over the phase that is shown.
    pub during: TimeMean,
    /// After the run's last phase.
    pub after: TimeMean,
    width: Nanos,
    columns: Vec<TimeMean>,
}

impl GaugeCourse {
    /// No readings yet.
    pub fn new(span: RunSpan) -> GaugeCourse {
        let none = TimeMean::default();
        GaugeCourse { span, before: none, during: none, after: none, width: FIRST_WIDTH, columns: Vec::new() }
    }

    /// Takes the mean over an interval. One that reaches over the beginning or the end of the run, or of the phase that is
    /// shown, is in the mean of neither side; in a column it counts where its middle lies.
    pub fn add(&mut self, from: Instant, until: Instant, value: f64) {
        let (seconds, span) = (until.since(from).as_secs_f64(), self.span);
        if until <= span.began {
            self.before.add(value, seconds);
        } else if from >= span.ended {
            self.after.add(value, seconds);
        }
        if from >= span.shown_from && until <= span.shown_until {
            self.during.add(value, seconds);
        }
        let middle = from + Nanos::new(until.since(from).get() / 2);
        if middle >= span.shown_from && middle < span.shown_until {
            self.column(middle).add(value, seconds);
        }
    }

    fn column(&mut self, at: Instant) -> &mut TimeMean {
        let since = at.since(self.span.shown_from).get();
        while since / self.width.get() >= COLUMNS as u64 {
            joined(&mut self.columns, |left, right| {
                left.sum += right.sum;
                left.seconds += right.seconds;
            });
            self.width = Nanos::new(self.width.get() * 2);
        }
        let column = usize::try_from(since / self.width.get()).unwrap_or(usize::MAX);
        if self.columns.len() <= column {
            self.columns.resize(column + 1, TimeMean::default());
        }
        &mut self.columns[column]
    }

    /// The width of a column, in seconds.
    pub fn column_s(&self) -> f64 {
        self.width.as_secs_f64()
    }

    /// The mean of every column of the phase that is shown.
    pub fn columns(&self) -> impl Iterator<Item = Option<f64>> + '_ {
        self.columns.iter().map(|column| column.get())
    }
}

/// A quantity that was read over and over alongside a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Gauged {
    /// Its name: what is read, then which part of it, as in `processors user`.
    pub name: String,
    /// The unit of its readings.
    pub unit: String,
    /// What it showed.
    pub course: GaugeCourse,
}

impl Gauged {
    /// The first word of the name: what is read.
    pub fn subject(&self) -> &str {
        self.name.split_once(' ').map_or(self.name.as_str(), |(subject, _)| subject)
    }

    /// The rest of the name: which part of it.
    pub fn part(&self) -> &str {
        self.name.split_once(' ').map_or("", |(_, part)| part)
    }

    /// Whether it ever showed anything.
    pub fn is_known(&self) -> bool {
        self.course.columns().any(|value| value.is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: u64) -> Instant {
        Instant::from_nanos(seconds * 1_000_000_000)
    }

    #[test]
    fn each_reading_counts_once_and_by_its_length() {
        let span = RunSpan { began: at(2), shown_from: at(4), shown_until: at(10), ended: at(10) };
        let mut course = GaugeCourse::new(span);
        for (from, until, value) in
            [(0, 1, 1.0), (1, 2, 3.0), (2, 4, 50.0), (4, 5, 10.0), (5, 8, 20.0), (9, 11, 99.0), (11, 12, 7.0)]
        {
            course.add(at(from), at(until), value);
        }
        assert_eq!(course.before.get(), Some(2.0));
        // (10 x 1 s + 20 x 3 s) / 4 s: the interval over the end lies in neither.
        assert_eq!(course.during.get(), Some(17.5));
        assert_eq!(course.after.get(), Some(7.0));
        assert_eq!(course.columns().collect::<Vec<_>>(), [Some(10.0), None, Some(20.0)]);
    }

    #[test]
    fn a_long_course_is_joined_by_twos_and_keeps_its_mean() {
        let seconds = 5_000;
        let span = RunSpan { began: at(0), shown_from: at(0), shown_until: at(seconds), ended: at(seconds) };
        let mut course = GaugeCourse::new(span);
        (0..seconds).for_each(|second| course.add(at(second), at(second + 1), second as f64));
        assert!((course.column_s() - 16.0).abs() < 1e-9);
        let columns: Vec<f64> = course.columns().flatten().collect();
        assert_eq!(columns.len(), 313);
        assert!(columns.iter().enumerate().all(|(number, mean)| {
            let last = ((number + 1) * 16).min(5_000) as f64 - 1.0;
            (mean - f64::midpoint(number as f64 * 16.0, last)).abs() < 1e-9
        }));
        assert_eq!(course.during.get(), Some(2_499.5));
    }

    #[test]
    fn a_gauge_is_told_by_the_first_word_of_its_name_and_known_by_a_reading() {
        let span = RunSpan { began: at(0), shown_from: at(0), shown_until: at(9), ended: at(9) };
        let gauged = |name: &str| Gauged {
            name: name.to_owned(),
            unit: "%".to_owned(),
            course: GaugeCourse::new(span),
        };
        let mut user = gauged("processors user time");
        assert_eq!((user.subject(), user.part(), user.is_known()), ("processors", "user time", false));
        user.course.add(at(1), at(2), 0.0);
        assert!(user.is_known());
        let plain = gauged("temperature");
        assert_eq!((plain.subject(), plain.part()), ("temperature", ""));
    }
}
