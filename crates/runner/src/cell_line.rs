//! Progress on the terminal: which cell of how many. Quiet where stderr is no terminal.

use std::io::IsTerminal as _;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::printable::printable;

/// How often a line that counts nothing shows that it lives.
const TICK: Duration = Duration::from_millis(250);

/// The line of a test in cells.
pub struct CellLine(ProgressBar);

impl CellLine {
    /// A line that begins with the target, of so many cells, of which some are there already.
    pub fn new(target: &str, cells: usize, there: usize) -> CellLine {
        let template = "{prefix}  {msg:44} {bar:12} cell {pos} of {len}  {eta:>4} left";
        let line = CellLine::of(target, Some(cells as u64), template);
        CellLine(line.0.with_position(there as u64))
    }

    /// A line of a test that goes on until something is steady: nobody knows how many cells that takes.
    pub fn without_end(target: &str) -> CellLine {
        let line = CellLine::of(target, None, "{prefix}  {spinner} {msg:44} cell {pos}  {elapsed} so far");
        line.0.enable_steady_tick(TICK);
        line
    }

    fn of(target: &str, cells: Option<u64>, template: &str) -> CellLine {
        let draw = if std::io::stderr().is_terminal() {
            ProgressDrawTarget::stderr()
        } else {
            ProgressDrawTarget::hidden()
        };
        let bar = ProgressBar::with_draw_target(cells, draw);
        let style = ProgressStyle::with_template(template);
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        bar.set_prefix(printable(target).into_owned());
        CellLine(bar)
    }

    /// The next cell begins.
    pub fn show(&self, cell: impl Into<String>) {
        self.0.set_message(cell.into());
        self.0.inc(1);
    }

    /// Takes the line away.
    pub fn clear(&self) {
        self.0.finish_and_clear();
    }
}
