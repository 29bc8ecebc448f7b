//! A run's mark, by which tables and graphs are matched.

use std::fmt;

/// Marks that can be told apart; further runs begin anew.
const MARKS: usize = 8;

/// The mark of the run at this place of its comparison. The style sheet gives it colour and shape.
pub(crate) struct Swatch(pub usize);

impl fmt::Display for Swatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (run, mark) = (self.0, self.0 % MARKS);
        write!(
            f,
            "<span class=\"swatch\" data-index=\"{run}\" data-run=\"{mark}\" aria-hidden=\"true\"></span>"
        )
    }
}
