//! The columns of a course: of time without the long stretches in which nothing was asked, and of the clock.

use crate::joined::Joining;

/// Nothing in flight for longer than this, in nanoseconds, is cut out.
pub const LONG_IDLE: u64 = 10_000_000_000;
/// The width of a column at first, in nanoseconds.
const COLUMN_FIRST: u64 = 1_000_000;
/// Columns of busy time before neighbours are joined.
pub const COLUMNS_MAX: usize = 512;
/// Columns of the clock before neighbours are joined: two weeks of half hours.
const CLOCK_COLUMNS_MAX: u64 = 720;

/// What an I/O's beginning means for the columns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CourseStep {
    /// How all columns are to be joined first, one after the other.
    pub joins: Vec<Joining>,
    /// The column that it begins in.
    pub column: usize,
    /// Idle time that was cut out right before it, in nanoseconds; 0 for none.
    pub cut: u64,
}

/// The columns of a course.
#[derive(Clone, Debug)]
pub struct CourseClock {
    /// The width of a column in nanoseconds.
    pub column_nanos: u64,
    time: CourseTime,
}

#[derive(Clone, Copy, Debug)]
enum CourseTime {
    /// Busy time: the trace's own without idle stretches of more than ten seconds, in at most 512 columns.
    Busy {
        /// All that was cut out so far, and what lay before the first I/O.
        cut: u64,
        /// When everything so far was complete; `None` before the first I/O.
        busy_until: Option<u64>,
    },
    /// The time of the clock, in at most 720 columns of a round width that each begin at a whole number of widths after midnight.
    Wall {
        /// How long the clock had shown its day at the trace's beginning.
        nanos_of_day: u64,
        /// The number of the first column, counted from that midnight on; `None` before the first I/O.
        first: Option<u64>,
    },
}

impl Default for CourseClock {
    /// Busy time.
    fn default() -> CourseClock {
        CourseClock { column_nanos: COLUMN_FIRST, time: CourseTime::Busy { cut: 0, busy_until: None } }
    }
}

impl CourseClock {
    /// The clock of a trace at whose beginning it had shown its day for this many nanoseconds.
    pub fn begun_at(nanos_of_day: u64) -> CourseClock {
        CourseClock { column_nanos: COLUMN_FIRST, time: CourseTime::Wall { nanos_of_day, first: None } }
    }

    /// Takes the next I/O: when it began and when it was complete (or when it began, where that is not known).
    pub(super) fn step(&mut self, at: u64, completed: u64) -> CourseStep {
        let width = &mut self.column_nanos;
        let (mut joins, mut idle) = (Vec::new(), 0);
        let column = match &mut self.time {
            CourseTime::Busy { cut, busy_until } => {
                idle = busy_until.map_or(0, |until| at.saturating_sub(until));
                idle = if idle > LONG_IDLE { idle } else { 0 };
                *cut = busy_until.map_or(at, |_| *cut + idle);
                *busy_until = Some(busy_until.unwrap_or(completed).max(completed));
                // I/Os come in the order of their beginning; one that does not is counted where the time cut out ends.
                let busy = at.saturating_sub(*cut);
                while busy / *width >= COLUMNS_MAX as u64 {
                    *width *= 2;
                    joins.push(Joining::BY_TWOS);
                }
                busy / *width
            }
            CourseTime::Wall { nanos_of_day, first } => {
                let shown = nanos_of_day.saturating_add(at);
                let mut from = first.unwrap_or(shown / *width);
                while (shown / *width).saturating_sub(from) >= CLOCK_COLUMNS_MAX {
                    let by = joined_at_once(*width);
                    joins.push(Joining::new(by, from));
                    (*width, from) = (*width * u64::from(by), from / u64::from(by));
                }
                *first = Some(from);
                (shown / *width).saturating_sub(from)
            }
        };
        CourseStep { joins, column: usize::try_from(column).unwrap_or(usize::MAX), cut: idle }
    }

    /// When the first column begins, in nanoseconds: of busy time, 0; by the clock, after the trace's beginning, and negative
    /// where it begins before that.
    pub fn begins(&self) -> i128 {
        match self.time {
            CourseTime::Busy { .. } => 0,
            CourseTime::Wall { nanos_of_day, first } => {
                i128::from(first.unwrap_or(0)) * i128::from(self.column_nanos) - i128::from(nanos_of_day)
            }
        }
    }
}

/// How many columns of this width become one, so that columns are of 1, 2, 10, 20, ... ms, of 1, 2, 10 or 30 s, of 1, 2, 10 or
/// 30 minutes, of 1, 2, 6 or 12 hours, or of days.
fn joined_at_once(column_nanos: u64) -> u8 {
    match column_nanos / COLUMN_FIRST {
        2 | 20 | 200 | 2_000 | 120_000 => 5,
        10_000 | 600_000 | 7_200_000 => 3,
        _ => 2,
    }
}
