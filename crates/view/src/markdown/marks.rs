//! Which marks a document has used: they are explained once, at its end.

use crate::cell_text::CellText;

/// Which marks were used.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct UsedMarks {
    few: bool,
    best: bool,
    interval: bool,
}

impl UsedMarks {
    /// Notes the marks of a cell.
    pub fn note(&mut self, cell: &CellText) {
        self.few |= cell.is_few;
        self.best |= cell.is_best;
        self.interval |= cell.interval.is_some();
    }

    /// What the marks that were used mean, in sentences; empty where none was.
    pub fn explained(self) -> String {
        let all = [
            (self.few, "\\* Fewer than ten I/Os lie beyond this percentile."),
            (self.best, "Bold values are the best ones."),
            (self.interval, "± or (a to b) is a 95 % confidence interval."),
        ];
        all.into_iter().filter(|(used, _)| *used).map(|(_, text)| text).collect::<Vec<_>>().join(" ")
    }
}
