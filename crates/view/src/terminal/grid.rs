//! Tables in columns that fit the terminal.

use super::canvas::TextCanvas;
use super::style::{Ink, TerminalStyle};
use super::wrap::{left, right, shorten, width, wrap};
use crate::cell_text::{CellText, Head};

/// Columns between the columns of a table.
const GAP: usize = 2;
/// Heads of columns are broken into lines where they are wider than this and than what stands below them.
const HEAD: usize = 12;

pub(super) struct Grid {
    /// What the heads of the rows are.
    pub corner: String,
    pub columns: Vec<Head>,
    pub lines: Vec<GridLine>,
}

pub(super) enum GridLine {
    /// The name of the rows that follow.
    Group(String),
    Row {
        head: String,
        cells: Vec<CellText>,
    },
}

#[derive(Clone, Copy, Default)]
struct Widths {
    main: usize,
    marks: usize,
    interval: usize,
}

impl Widths {
    fn body(self) -> usize {
        self.main + self.marks + if self.interval > 0 { self.interval + 1 } else { 0 }
    }
}

struct GridLayout {
    head: usize,
    intervals: bool,
    columns: Vec<GridColumn>,
}

struct GridColumn {
    head: Vec<String>,
    widths: Widths,
    total: usize,
}

impl Grid {
    /// Sets the table: cut into several below each other where it is too wide for the terminal.
    pub fn write(mut self, canvas: &mut TextCanvas) {
        let style = canvas.style;
        self.clean(style);
        let layout = self.layout(style.columns());
        self.rows().flat_map(|(_, cells)| cells).for_each(|cell| canvas.marks.note(cell, layout.intervals));
        let mut from = 0;
        loop {
            let until = layout.fit(from, style.columns());
            if from > 0 {
                canvas.gap();
            }
            self.write_part(canvas, &layout, from..until);
            from = until;
            if from >= self.columns.len() {
                return;
            }
        }
    }

    fn clean(&mut self, style: TerminalStyle) {
        self.corner = style.clean(&self.corner);
        self.columns.iter_mut().for_each(|column| column.text = style.clean(&column.text));
        for line in &mut self.lines {
            let GridLine::Row { head, cells } = line else { continue };
            *head = style.clean(head);
            for cell in cells {
                cell.main = style.clean(&cell.main);
                cell.interval = cell.interval.as_ref().map(|interval| style.clean(interval));
            }
        }
    }

    /// The first way to set the table that fits: with intervals or without, with long heads of rows in lines of their own or
    /// not.
    fn layout(&self, room: usize) -> GridLayout {
        let heads = self.rows().map(|(head, _)| width(head)).max().unwrap_or(0).max(width(&self.corner));
        let short = heads.min(room * 2 / 5);
        let ways = [(heads, true), (short, true), (heads, false), (short, false)];
        let mut layouts = ways.into_iter().map(|(head, intervals)| self.layout_of(head, intervals, room));
        layouts.find(|layout| layout.width() <= room).unwrap_or_else(|| self.layout_of(short, false, room))
    }

    fn layout_of(&self, head: usize, intervals: bool, room: usize) -> GridLayout {
        let most = room.saturating_sub(head + GAP).max(8);
        let columns = (0..self.columns.len()).map(|column| self.column(column, intervals, most)).collect();
        GridLayout { head, intervals, columns }
    }

    fn column(&self, index: usize, intervals: bool, most: usize) -> GridColumn {
        let mut widths = Widths::default();
        for cell in self.rows().filter_map(|(_, cells)| cells.get(index)) {
            widths.main = widths.main.max(width(&cell.main));
            widths.marks = widths.marks.max(usize::from(cell.is_few) + 2 * usize::from(cell.is_best));
            let interval = cell.interval.as_ref().filter(|_| intervals).map_or(0, |interval| width(interval));
            widths.interval = widths.interval.max(interval);
        }
        // Numbers are never so wide: only words are cut, and only where they are wider than the terminal.
        let more = widths.body() - widths.main;
        widths.main = widths.main.min(most.saturating_sub(more).max(4));
        let longest = self.columns[index].text.split_whitespace().map(width).max().unwrap_or(0);
        let room = widths.body().max(HEAD).max(longest.min(2 * HEAD)).min(most);
        let head = wrap(&self.columns[index].text, room, room);
        let total = head.iter().map(|line| width(line)).max().unwrap_or(0).max(widths.body());
        GridColumn { head, widths, total }
    }

    fn rows(&self) -> impl Iterator<Item = (&str, &[CellText])> {
        self.lines.iter().filter_map(|line| match line {
            GridLine::Row { head, cells } => Some((head.as_str(), cells.as_slice())),
            GridLine::Group(_) => None,
        })
    }

    fn write_part(&self, canvas: &mut TextCanvas, layout: &GridLayout, columns: std::ops::Range<usize>) {
        self.write_heads(canvas, layout, columns.clone());
        for line in &self.lines {
            match line {
                GridLine::Group(name) => canvas.paragraph(0, Ink::Strong, name),
                GridLine::Row { head, cells } => {
                    let mut head = head.as_str();
                    if width(head) > layout.head {
                        canvas.paragraph(0, Ink::Plain, head);
                        head = "";
                    }
                    self.write_row(canvas, layout, head, (columns.clone(), cells));
                }
            }
        }
    }

    fn write_heads(&self, canvas: &mut TextCanvas, layout: &GridLayout, columns: std::ops::Range<usize>) {
        let corner = wrap(&self.corner, layout.head.max(2), layout.head.max(2));
        let tallest =
            layout.columns[columns.clone()].iter().map(|column| column.head.len()).max().unwrap_or(0);
        let tallest = tallest.max(corner.len());
        for row in 0..tallest {
            // Heads stand on their column: short ones begin further down.
            let line_of = |lines: &[String]| {
                let above = tallest - lines.len();
                row.checked_sub(above).map_or_else(String::new, |line| lines[line].clone())
            };
            let mut line = left(&line_of(&corner), layout.head);
            for index in columns.clone() {
                let column = &layout.columns[index];
                let text = line_of(&column.head);
                // The head of numbers ends where the numbers end, not where their marks do.
                let behind =
                    if self.columns[index].is_number { column.widths.body() - column.widths.main } else { 0 };
                let until = column.total - behind.min(column.total - width(&text));
                let text = if self.columns[index].is_number { right(&text, until) } else { text };
                line.push_str(&" ".repeat(GAP));
                line.push_str(&left(&text, column.total));
            }
            canvas.line(&[(Ink::Faint, line.trim_end())]);
        }
    }

    fn write_row(
        &self,
        canvas: &mut TextCanvas,
        layout: &GridLayout,
        head: &str,
        (columns, cells): (std::ops::Range<usize>, &[CellText]),
    ) {
        let style = canvas.style;
        let mut pieces: Vec<(Ink, String)> = vec![(Ink::Plain, left(head, layout.head))];
        for index in columns {
            let (column, nothing) = (&layout.columns[index], CellText::default());
            let cell = cells.get(index).unwrap_or(&nothing);
            let main = shorten(&cell.main, column.widths.main, style.cut_mark());
            let text = format!("{main}{}", if cell.is_few { "*" } else { "" });
            let best = if cell.is_best { format!(" {}", style.best_mark()) } else { String::new() };
            let interval = cell.interval.as_ref().filter(|_| layout.intervals);
            let interval = interval.map_or_else(String::new, |interval| format!(" {interval}"));
            let used = width(&main);
            let before = if self.columns[index].is_number {
                column.widths.main - used + (column.total - column.widths.body())
            } else {
                0
            };
            let marks = width(&text) - used + width(&best);
            let ink = ink_of(cell);
            pieces.push((Ink::Plain, " ".repeat(GAP + before)));
            pieces.push((ink, text));
            pieces.push((ink, best));
            pieces.push((Ink::Plain, " ".repeat(column.widths.marks - marks)));
            pieces.push((Ink::Faint, interval.clone()));
            let taken = before + used + column.widths.marks + width(&interval);
            pieces.push((Ink::Plain, " ".repeat(column.total.saturating_sub(taken))));
        }
        let pieces: Vec<(Ink, &str)> = pieces.iter().map(|(ink, text)| (*ink, text.as_str())).collect();
        canvas.line(&pieces);
    }
}

fn ink_of(cell: &CellText) -> Ink {
    match cell.tone {
        Some(tone) => Ink::from_tone(tone),
        None if cell.is_best => Ink::Good,
        None => Ink::Plain,
    }
}

impl GridLayout {
    fn width(&self) -> usize {
        self.head + self.columns.iter().map(|column| GAP + column.total).sum::<usize>()
    }

    /// Behind the last column that fits beside the one at `from`; at least that one.
    fn fit(&self, from: usize, room: usize) -> usize {
        let mut used = self.head;
        let fits = self.columns[from..].iter().take_while(|column| {
            used += GAP + column.total;
            used <= room
        });
        (from + fits.count()).max(from + 1).min(self.columns.len())
    }
}
