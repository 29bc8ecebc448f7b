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
pub struct CourseStep {
    /// How all columns are to be joined first, one after the other.
    pub joins: Vec<Joining>,
    /// The column that it begins in.
    pub column: usize,
    /// Idle time that was cut out right before it, in nanoseconds; 0 for none.
    pub cut: u64,
}

/// Busy time: the trace's own without idle stretches of more than ten seconds, in at most 512 columns.
#[derive(Clone, Debug)]
pub struct BusyClock {
    column_nanos: u64,
    /// All that was cut out so far, and what lay before the first I/O.
    cut: u64,
    /// When everything so far was complete; `None` before the first I/O.
    busy_until: Option<u64>,
}

impl Default for BusyClock {
    fn default() -> BusyClock {
        BusyClock { column_nanos: COLUMN_FIRST, cut: 0, busy_until: None }
    }
}

impl BusyClock {
    /// Takes the next I/O: when it began and when it was complete (or when it began, where that is not known).
    pub fn step(&mut self, at: u64, completed: u64) -> CourseStep {
        let idle = at.saturating_sub(self.busy_until.unwrap_or(at));
        if self.busy_until.is_none() {
            self.cut = at;
        }
        let cut = if idle > LONG_IDLE { idle } else { 0 };
        self.cut += cut;
        self.busy_until = Some(self.busy_until.unwrap_or(completed).max(completed));
        // I/Os come in the order of their beginning; one that does not is counted where the time cut out ends.
        let busy = at.saturating_sub(self.cut);
        let mut joins = Vec::new();
        while busy / self.column_nanos >= COLUMNS_MAX as u64 {
            self.column_nanos *= 2;
            joins.push(Joining::BY_TWOS);
        }
        #[expect(clippy::cast_possible_truncation, reason = "below COLUMNS_MAX")]
        let column = (busy / self.column_nanos) as usize;
        CourseStep { joins, column, cut }
    }

    /// The width of a column in nanoseconds.
    pub fn column_nanos(&self) -> u64 {
        self.column_nanos
    }
}

/// The time of the clock, in at most 720 columns of a round width that each begin at a whole number of widths after midnight.
#[derive(Clone, Debug)]
pub struct WallClock {
    column_nanos: u64,
    /// How long the clock had shown its day at the trace's beginning.
    nanos_of_day: u64,
    /// The number of the first column, counted from that midnight on; `None` before the first I/O.
    first: Option<u64>,
}

impl WallClock {
    /// The clock of a trace at whose beginning it had shown its day for this many nanoseconds.
    pub fn begun_at(nanos_of_day: u64) -> WallClock {
        WallClock { column_nanos: COLUMN_FIRST, nanos_of_day, first: None }
    }

    /// Takes the next I/O: when it began.
    pub fn step(&mut self, at: u64) -> CourseStep {
        let shown = self.nanos_of_day.saturating_add(at);
        let mut first = self.first.unwrap_or(shown / self.column_nanos);
        let mut joins = Vec::new();
        while (shown / self.column_nanos).saturating_sub(first) >= CLOCK_COLUMNS_MAX {
            let by = joined_at_once(self.column_nanos);
            joins.push(Joining::new(by, first));
            (self.column_nanos, first) = (self.column_nanos * u64::from(by), first / u64::from(by));
        }
        self.first = Some(first);
        #[expect(clippy::cast_possible_truncation, reason = "below CLOCK_COLUMNS_MAX")]
        let column = (shown / self.column_nanos).saturating_sub(first) as usize;
        CourseStep { joins, column, cut: 0 }
    }

    /// The width of a column in nanoseconds.
    pub fn column_nanos(&self) -> u64 {
        self.column_nanos
    }

    /// When the first column begins, in nanoseconds after the trace's beginning: negative where it begins before that.
    pub fn begins(&self) -> i128 {
        i128::from(self.first.unwrap_or(0)) * i128::from(self.column_nanos) - i128::from(self.nanos_of_day)
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
