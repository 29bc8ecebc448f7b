//! Progress on the terminal: which cell of how many. Quiet where stderr is no terminal.

use std::io::IsTerminal as _;

use drivelab_method::matrix::Step;
use drivelab_report::matrix_cell_name;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// The line of a matrix.
pub struct Line(ProgressBar);

impl Line {
    /// A line that begins with the target, of so many cells, of which some are there already.
    pub fn new(target: &str, cells: usize, there: usize) -> Line {
        let draw = if std::io::stderr().is_terminal() {
            ProgressDrawTarget::stderr()
        } else {
            ProgressDrawTarget::hidden()
        };
        let bar = ProgressBar::with_draw_target(Some(cells as u64), draw);
        let style =
            ProgressStyle::with_template("{prefix}  {msg:44} {bar:12} cell {pos} of {len}  {eta:>4} left");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        bar.set_prefix(target.to_owned());
        Line(bar.with_position(there as u64))
    }

    /// The next cell begins.
    pub fn show(&self, step: &Step) {
        self.0.set_message(matrix_cell_name(&step.cell));
        self.0.inc(1);
    }

    /// Takes the line away.
    pub fn clear(&self) {
        self.0.finish_and_clear();
    }
}
