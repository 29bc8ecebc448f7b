//! In what the conditions of several subjects differ.

use super::canvas::TextCanvas;
use super::style::Ink;
use crate::conditions::ConditionRow;
use crate::{Block, View};

/// More conditions than these are counted.
const SHOWN_ROWS: usize = 20;

/// The conditions that are not the same for all subjects, a line for each; nothing where there are none.
pub(super) fn differing(canvas: &mut TextCanvas, view: &View) {
    let blocks = view.sections.iter().flat_map(|section| &section.blocks);
    let of_view = blocks.filter_map(|block| match block {
        Block::Conditions(conditions) => Some(conditions.rows()),
        _ => None,
    });
    let rows: Vec<_> = of_view.flatten().filter(ConditionRow::differs).collect();
    if rows.is_empty() {
        return;
    }
    canvas.gap();
    canvas.paragraph(0, Ink::Strong, "Conditions that differ, in the order of the results");
    for row in rows.iter().take(SHOWN_ROWS) {
        let values: Vec<&str> = row.values.iter().map(|value| value.unwrap_or("-")).collect();
        canvas.paragraph(2, Ink::Plain, &format!("{}: {}", row.name, values.join(" | ")));
    }
    if rows.len() > SHOWN_ROWS {
        let more = format!("and {} more, which the page and --markdown show", rows.len() - SHOWN_ROWS);
        canvas.paragraph(2, Ink::Plain, &more);
    }
}
