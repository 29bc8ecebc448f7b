//! Time without the long stretches in which nothing was asked.

/// Nothing in flight for longer than this, in nanoseconds, is cut out.
pub const LONG_IDLE: u64 = 10_000_000_000;
/// The width of a column at first, in nanoseconds.
const COLUMN_FIRST: u64 = 1_000_000;
/// Columns before neighbours are joined.
pub const COLUMNS_MAX: usize = 512;

/// What an I/O's beginning means for the columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CourseStep {
    /// How often all columns are to be joined by twos first.
    pub joins: u32,
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
        let mut joins = 0;
        while busy / self.column_nanos >= COLUMNS_MAX as u64 {
            self.column_nanos *= 2;
            joins += 1;
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
