//! Figures and tables on the terminal.

use super::canvas::TextCanvas;
use super::grid::{Grid, GridLine};
use super::style::Ink;
use super::wrap::{left, width, wrap};
use crate::cell_text::{CellText, row_cells, row_head, table_heads};
use crate::{Figure, Figures, Ranking, Subject, Table};

const MOST_IN_LINE: usize = 4;
/// Columns between figures.
const GAP: usize = 3;

/// Figures: a list of one subject's, a table of a group's for several.
pub(super) fn figures(canvas: &mut TextCanvas, figures: &Figures, subjects: &[Subject]) {
    if figures.subjects > 1 {
        for one in figures.tables(subjects) {
            canvas.gap();
            table(canvas, &one, subjects);
        }
    } else {
        list(canvas, figures);
    }
    if let Ranking::NotRanked(why) = &figures.ranking
        && figures.subjects > 1
    {
        canvas.paragraph(0, Ink::Faint, why);
    }
    figures.notes.iter().for_each(|note| canvas.paragraph(0, Ink::Faint, note));
}

/// A figure of one subject: its name, its value, and its interval where there is room for it.
struct Item {
    name: String,
    text: CellText,
    shown: String,
}

impl Item {
    fn from_figure(figure: &Figure, canvas: &TextCanvas) -> Item {
        let text = figure.cells.first().map_or_else(|| CellText::words("-"), CellText::alone);
        let mut shown = text.main.clone();
        if let Some(interval) = &text.interval {
            shown = format!("{shown} {interval}");
        }
        if text.is_few {
            shown.push('*');
        }
        Item { name: canvas.style.clean(&figure.name), shown: canvas.style.clean(&shown), text }
    }

    /// Whether it is too wide to stand beside others.
    fn is_long(&self, room: usize) -> bool {
        width(&self.name) + 1 + width(&self.shown) > room.min(48)
    }
}

fn list(canvas: &mut TextCanvas, figures: &Figures) {
    let groups: Vec<(String, Vec<Item>)> = figures
        .groups()
        .map(|(group, rows)| {
            let items = rows.iter().map(|figure| Item::from_figure(figure, canvas)).collect();
            (canvas.style.clean(group), items)
        })
        .collect();
    for item in groups.iter().flat_map(|(_, items)| items) {
        canvas.marks.note(&item.text, true);
    }
    let most = canvas.style.columns() / 3;
    let names =
        groups.iter().map(|(group, _)| width(group)).filter(|width| *width <= most).max().unwrap_or(0);
    let indent = if names > 0 { names + GAP } else { 2 };
    let room = canvas.style.columns() - indent;
    let columns = columns(&groups, room);
    for (group, items) in &groups {
        let mut lead = left(group, indent);
        if width(group) > names {
            canvas.paragraph(0, Ink::Strong, group);
            lead = " ".repeat(indent);
        }
        group_lines(canvas, items, (lead, &columns));
    }
}

/// How wide names and values are in each column, in the greatest number of columns that fits.
fn columns(groups: &[(String, Vec<Item>)], room: usize) -> Vec<(usize, usize)> {
    let widths = |count: usize| {
        let mut columns = vec![(0, 0); count];
        for (_, items) in groups {
            for run in items.chunk_by(|one, next| !one.is_long(room) && !next.is_long(room)) {
                for (index, item) in run.iter().filter(|item| !item.is_long(room)).enumerate() {
                    let (name, value): &mut (usize, usize) = &mut columns[index % count];
                    *name = (*name).max(width(&item.name));
                    *value = (*value).max(width(&item.shown));
                }
            }
        }
        columns
    };
    let total = |columns: &[(usize, usize)]| {
        columns.iter().map(|(name, value)| name + 1 + value + GAP).sum::<usize>().saturating_sub(GAP)
    };
    let fitting = (2..=MOST_IN_LINE).rev().map(widths).find(|columns| total(columns) <= room);
    fitting.unwrap_or_else(|| widths(1))
}

fn group_lines(canvas: &mut TextCanvas, items: &[Item], (mut lead, columns): (String, &[(usize, usize)])) {
    let indent = width(&lead);
    let room = canvas.style.columns() - indent;
    for run in items.chunk_by(|one, next| !one.is_long(room) && !next.is_long(room)) {
        for row in run.chunks(columns.len()) {
            let only = &row[0];
            let (name, value) = columns[0];
            if row.len() == 1 && (only.is_long(room) || name + 1 + value > room) {
                long(canvas, only, &lead);
            } else {
                let cells = row.iter().zip(columns).map(|(item, (name, value))| {
                    format!("{} {}", left(&item.name, *name), left(&item.shown, *value))
                });
                let cells: Vec<String> = cells.collect();
                canvas.line(&[(Ink::Faint, &lead), (Ink::Plain, &cells.join(&" ".repeat(GAP)))]);
            }
            lead = " ".repeat(indent);
        }
    }
}

/// A figure that takes a line or several, of words as a rule.
fn long(canvas: &mut TextCanvas, item: &Item, lead: &str) {
    let indent = width(lead);
    let room = canvas.style.columns() - indent;
    let text = format!("{} {}", item.name, item.shown);
    for (index, line) in wrap(&text, room, room - 2).iter().enumerate() {
        let lead = if index == 0 { lead.to_owned() } else { " ".repeat(indent + 2) };
        canvas.line(&[(Ink::Faint, &lead), (Ink::Plain, line)]);
    }
}

pub(super) fn table(canvas: &mut TextCanvas, table: &Table, subjects: &[Subject]) {
    if !table.caption.is_empty() {
        canvas.paragraph(0, Ink::Strong, &table.caption);
    }
    let mut lines = Vec::new();
    let mut group = None;
    for row in &table.rows {
        if row.group != group {
            group.clone_from(&row.group);
            lines.extend(group.clone().map(GridLine::Group));
        }
        let cells = row_cells(table, row).collect();
        lines.push(GridLine::Row { head: row_head(row, subjects), cells });
    }
    Grid { corner: table.corner.clone(), columns: table_heads(table).collect(), lines }.write(canvas);
    table.notes.iter().for_each(|note| canvas.paragraph(0, Ink::Faint, note));
}
