//! Conditions in Markdown.

use super::MarkdownDocument;
use super::escape::inline;
use super::grid::MarkdownGrid;
use crate::conditions::ConditionRow;
use crate::{Conditions, Subject};

impl MarkdownDocument<'_> {
    /// Conditions: what all subjects share once, then what differs with a column for each.
    pub(super) fn conditions(&mut self, conditions: &Conditions, subjects: &[Subject]) {
        let rows = conditions.rows();
        let (differing, shared): (Vec<_>, Vec<_>) = rows.iter().partition(|row| row.differs());
        let several = conditions.of_subjects.len() > 1;
        if several && !shared.is_empty() {
            self.paragraph("**Conditions that are the same for all**");
        }
        self.condition_rows(&shared, &["Value".to_owned()], |row| vec![inline(&row.shared())]);
        if !differing.is_empty() {
            self.paragraph("**Conditions that differ**");
            let label =
                |index| subjects.get(index).map_or_else(String::new, |one: &Subject| one.label.clone());
            let heads: Vec<_> = (0..conditions.of_subjects.len()).map(label).collect();
            let of_each = |row: &ConditionRow<'_>| {
                let values = row.values.iter();
                values.map(|value| value.map_or_else(|| "-".to_owned(), inline)).collect()
            };
            self.condition_rows(&differing, &heads, of_each);
        }
    }

    fn condition_rows(
        &mut self,
        rows: &[&ConditionRow<'_>],
        values: &[String],
        of: impl Fn(&ConditionRow<'_>) -> Vec<String>,
    ) {
        let heads = ["Group", "Condition"].map(str::to_owned).into_iter();
        let mut grid = MarkdownGrid::new(heads.chain(values.iter().cloned()).map(|head| (head, false)));
        for row in rows {
            grid.row([inline(row.group), inline(row.name)].into_iter().chain(of(row)));
        }
        grid.write(&mut self.text);
    }
}
