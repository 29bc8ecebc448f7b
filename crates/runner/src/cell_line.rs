//! Progress of a test in cells: which cell of how many.

use std::time::{Duration, Instant};

use drivelab_block::Nanos;

use crate::{ParentProgress, ProgressLine, output};

/// How often a line that counts nothing shows that it lives.
const TICK: Duration = Duration::from_millis(250);

/// The line of a test in cells.
pub struct CellLine {
    /// The line itself.
    pub(crate) line: ProgressLine,
    cells: u64,
    /// Cells that were there before.
    there: u64,
    began: Instant,
}

impl CellLine {
    /// A line that begins with the target, of so many cells, of which some are there already.
    #[expect(clippy::disallowed_methods, reason = "a person watches in wall time")]
    pub fn new(target: &str, cells: usize, there: usize, parent: Option<&ParentProgress>) -> CellLine {
        let template = "{prefix}  {bar:12} cell {pos} of {len}  {msg}";
        let line = ProgressLine::new(target, Some(cells as u64), template, parent);
        CellLine { line, cells: there as u64, there: there as u64, began: Instant::now() }
    }

    /// A line of a test that goes on until something is steady: how many cells that takes is not known.
    #[expect(clippy::disallowed_methods, reason = "a person watches in wall time")]
    pub fn without_end(target: &str, parent: Option<&ParentProgress>) -> CellLine {
        let template = "{prefix}  {spinner} {msg:44} cell {pos}  {elapsed} so far";
        let line = ProgressLine::new(target, None, template, parent);
        line.bar().enable_steady_tick(TICK);
        CellLine { line, cells: 0, there: 0, began: Instant::now() }
    }

    /// The next cell begins.
    pub fn show(&mut self, cell: impl Into<String>) {
        self.cells += 1;
        // On a terminal every cell is shown; elsewhere one a minute.
        if self.line.is_due() || !self.line.bar().is_hidden() {
            let left = self.left().map_or_else(String::new, |left| format!(", {left} left"));
            self.line.show(self.cells, format!("{}{left}", cell.into()));
        }
    }

    /// How long the cells take that have not ended, by those of this command that have; none before one has.
    fn left(&self) -> Option<String> {
        let ended = self.cells.saturating_sub(self.there + 1);
        let left = self.line.bar().length()?.saturating_sub(self.cells) + 1;
        let each = self.began.elapsed().as_secs_f64() / ended as f64;
        (ended > 0).then(|| output::long_time(Nanos::from_secs_f64((each * left as f64).round().max(1.0))))
    }
}
