//! Conditions in Markdown.

use super::Document;
use super::escape::inline;
use super::grid::Grid;
use crate::conditions::ConditionRow;
use crate::{Conditions, Subject};

impl Document<'_> {
    /// Conditions: what all subjects share once, then what differs with a column for each.
    pub(super) fn conditions(&mut self, conditions: &Conditions, subjects: &[Subject]) {
        let rows = conditions.rows();
        let (differing, shared): (Vec<_>, Vec<_>) = rows.iter().partition(|row| row.differs());
        let several = conditions.of_subjects.len() > 1;
        if several && !shared.is_empty() {
            self.paragraph("**Conditions that are the same for all**");
        }
        self.condition_rows(&shared, &[("Value".to_owned(), false)]);
        if !differing.is_empty() {
            self.paragraph("**Conditions that differ**");
            let label =
                |index| subjects.get(index).map_or_else(String::new, |one: &Subject| one.label.clone());
            let heads: Vec<_> =
                (0..conditions.of_subjects.len()).map(|index| (label(index), false)).collect();
            self.condition_rows(&differing, &heads);
        }
    }

    fn condition_rows(&mut self, rows: &[&ConditionRow<'_>], values: &[(String, bool)]) {
        let heads = ["Group", "Condition"].map(|head| (head.to_owned(), false));
        let mut grid = Grid::new(heads.into_iter().chain(values.iter().cloned()));
        for row in rows {
            let shown = row.values.iter().take(values.len());
            let shown = shown.map(|value| value.map_or_else(|| "-".to_owned(), inline));
            grid.row([inline(row.group), inline(row.name)].into_iter().chain(shown));
        }
        grid.write(&mut self.text);
    }
}
