//! Tables of Markdown.

use std::fmt::Write as _;

use super::escape::inline;
use super::marks::UsedMarks;
use crate::cell_text::CellText;

/// A table: as many cells in each row as it has heads.
pub(super) struct MarkdownGrid {
    heads: Vec<(String, bool)>,
    rows: Vec<Vec<String>>,
}

impl MarkdownGrid {
    /// A table without rows; of each head whether numbers stand below it, which end at the right.
    pub fn new(heads: impl IntoIterator<Item = (String, bool)>) -> MarkdownGrid {
        MarkdownGrid {
            heads: heads.into_iter().map(|(head, is_number)| (inline(&head), is_number)).collect(),
            rows: Vec::new(),
        }
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
        let line =
            |cells: &mut dyn Iterator<Item = &str>| format!("| {} |", cells.collect::<Vec<_>>().join(" | "));
        let _ = writeln!(text, "{}", line(&mut self.heads.iter().map(|(head, _)| head.as_str())));
        let rule = |is_number: bool| if is_number { "---:" } else { "---" };
        let _ = writeln!(text, "{}", line(&mut self.heads.iter().map(|(_, is_number)| rule(*is_number))));
        for row in &self.rows {
            let _ = writeln!(text, "{}", line(&mut row.iter().map(String::as_str)));
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
    marks.note(shown);
    text
}
