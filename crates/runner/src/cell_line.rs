//! Progress of a test in cells: which cell of how many.

use std::time::{Duration, Instant};

use drivelab_block::Nanos;

use crate::{ParentProgress, ProgressLine, output};

/// How often a line that counts nothing shows that it lives.
const TICK: Duration = Duration::from_millis(250);

/// How many cells a plan has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CellCount {
    pub all: usize,
    /// Those that an earlier start of the program has measured.
    pub there: usize,
}

pub struct CellLine {
    pub(crate) line: ProgressLine,
    cells: u64,
    /// Cells that were there before.
    there: u64,
    began: Instant,
}

impl CellLine {
    /// A line that begins with the target. Without a count the test goes on until something is steady.
    #[expect(clippy::disallowed_methods, reason = "a person watches in wall time")]
    pub fn new(target: &str, count: Option<CellCount>, parent: Option<&ParentProgress>) -> CellLine {
        let (template, there) = match count {
            Some(count) => ("{prefix}  {bar:12} cell {pos} of {len}  {msg}", count.there as u64),
            None => ("{prefix}  {spinner} {msg:44} cell {pos}  {elapsed} so far", 0),
        };
        let line = ProgressLine::new(target, count.map(|count| count.all as u64), template, parent);
        if count.is_none() {
            line.bar.enable_steady_tick(TICK);
        }
        CellLine { line, cells: there, there, began: Instant::now() }
    }

    /// The next cell begins.
    pub fn show(&mut self, cell: impl Into<String>) {
        self.cells += 1;
        // On a terminal every cell is shown; elsewhere one a minute.
        if self.line.is_due() || !self.line.bar.is_hidden() {
            let left = self.left().map_or_else(String::new, |left| format!(", {left} left"));
            self.line.show(self.cells, format!("{}{left}", cell.into()));
        }
    }

    /// How long the cells take that have not ended, by those of this command that have; none before one has.
    fn left(&self) -> Option<String> {
        let ended = self.cells.saturating_sub(self.there + 1);
        let left = self.line.bar.length()?.saturating_sub(self.cells) + 1;
        let each = self.began.elapsed().as_secs_f64() / ended as f64;
        (ended > 0).then(|| output::long_time(Nanos::from_secs_f64((each * left as f64).round().max(1.0))))
    }
}
