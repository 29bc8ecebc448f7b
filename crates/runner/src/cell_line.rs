//! Progress of a test in cells: which cell of how many.

use std::time::Duration;

use crate::ProgressLine;

/// How often a line that counts nothing shows that it lives.
const TICK: Duration = Duration::from_millis(250);

/// The line of a test in cells.
pub struct CellLine {
    line: ProgressLine,
    cells: u64,
}

impl CellLine {
    /// A line that begins with the target, of so many cells, of which some are there already.
    pub fn new(target: &str, cells: usize, there: usize) -> CellLine {
        let template = "{prefix}  {msg:44} {bar:12} cell {pos} of {len}  {eta:>4} left";
        let line = ProgressLine::new(target, Some(cells as u64), template);
        CellLine { line, cells: there as u64 }
    }

    /// A line of a test that goes on until something is steady: how many cells that takes is not known.
    pub fn without_end(target: &str) -> CellLine {
        let line =
            ProgressLine::new(target, None, "{prefix}  {spinner} {msg:44} cell {pos}  {elapsed} so far");
        line.bar().enable_steady_tick(TICK);
        CellLine { line, cells: 0 }
    }

    /// The next cell begins.
    pub fn show(&mut self, cell: impl Into<String>) {
        self.cells += 1;
        // On a terminal every cell is shown; elsewhere one a minute.
        if self.line.is_due() || !self.line.bar().is_hidden() {
            self.line.show(self.cells, cell.into());
        }
    }

    /// Takes the line away.
    pub fn clear(&self) {
        self.line.clear();
    }
}
