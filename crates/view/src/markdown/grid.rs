//! Tables of Markdown.

use std::fmt::Write as _;

use super::escape::inline;
use crate::cell_text::{CellText, Head, UsedMarks};

/// A table: as many cells in each row as it has heads.
pub(super) struct MarkdownGrid {
    heads: Vec<Head>,
    rows: Vec<Vec<String>>,
}

impl MarkdownGrid {
    pub fn new(heads: impl IntoIterator<Item = Head>) -> MarkdownGrid {
        MarkdownGrid { heads: heads.into_iter().collect(), rows: Vec::new() }
    }

    /// Adds a row of texts that are escaped already.
    pub fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        let mut cells: Vec<String> = cells.into_iter().collect();
        cells.resize(self.heads.len(), String::new());
        self.rows.push(cells);
    }

    /// Writes the table and an empty line.
    pub fn write(&self, text: &mut String) {
        if self.rows.is_empty() {
            return;
        }
        let heads = self.heads.iter().map(|head| inline(&head.text)).collect();
        let rule = |head: &Head| if head.is_number { "---:" } else { "---" }.to_owned();
        let rules = self.heads.iter().map(rule).collect();
        for cells in [heads, rules].iter().chain(&self.rows) {
            let _ = writeln!(text, "| {} |", cells.join(" | "));
        }
        text.push('\n');
    }
}

/// A cell, escaped: the best value is bold.
pub(super) fn cell(shown: &CellText, marks: &mut UsedMarks) -> String {
    let mut text = inline(&shown.main);
    if shown.is_few {
        text.push_str("\\*");
    }
    if shown.is_best {
        text = format!("**{text}**");
    }
    if let Some(interval) = &shown.interval {
        text = format!("{text} {}", inline(interval));
    }
    marks.note(shown, true);
    text
}
