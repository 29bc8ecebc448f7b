//! The summary that a terminal shows.

mod canvas;
mod chart;
mod conditions;
mod figures;
mod grid;
mod plot;
mod style;
mod table;
mod verdict;
mod wrap;

pub use style::TerminalStyle;

use crate::page::Role;
use crate::{Block, Detail, Page, Section, Subject, View};
use canvas::TextCanvas;
use style::Ink;

/// The summary of a page: its sections of [`Detail::Summary`] without what is folded away, and the conditions
/// in which its subjects differ.
///
/// The text ends with a line feed. No line is wider than [`TerminalStyle::width`], or than 40 columns where that is less. What
/// marks mean is explained at the end.
pub fn terminal(page: &Page, style: TerminalStyle) -> String {
    let mut canvas = TextCanvas::new(style);
    canvas.paragraph(0, Ink::Strong, &page.title);
    for one in page.answering() {
        canvas.gap();
        canvas.paragraph(0, Ink::Plain, &one.title);
        one.answers().iter().for_each(|answer| canvas.paragraph(2, Ink::Plain, answer));
    }
    for one in &page.views {
        if page.role(one) == Role::Member {
            canvas.gap();
            canvas.paragraph(0, Ink::Strong, &one.title);
        }
        view(&mut canvas, one);
    }
    canvas.finish()
}

fn view(canvas: &mut TextCanvas, view: &View) {
    let sections = || view.sections.iter().filter(|section| is_shown(section));
    let is_judged = |index: usize| {
        let blocks = sections().flat_map(|section| &section.blocks);
        let mut verdicts = blocks.filter_map(|block| match block {
            Block::Verdict(verdict) => verdict.subject,
            _ => None,
        });
        verdicts.any(|subject| subject == index)
    };
    // What several subjects are is said with their verdicts.
    for (index, subject) in view.subjects.iter().enumerate() {
        if view.subjects.len() == 1 || !is_judged(index) {
            about(canvas, subject, &view.title);
        }
    }
    for section in sections() {
        if let Some(heading) = &section.heading {
            canvas.gap();
            canvas.paragraph(0, Ink::Strong, heading);
        }
        for (index, shown) in section.blocks.iter().filter(|block| is_in_summary(block)).enumerate() {
            if index > 0 || section.heading.is_none() {
                canvas.gap();
            }
            block(canvas, shown, &view.subjects);
        }
    }
    conditions::differing(canvas, view);
}

/// What a subject is, with its label unless the title is the same.
fn about(canvas: &mut TextCanvas, subject: &Subject, title: &str) {
    let parts = [subject.label.as_str(), subject.about.as_str()];
    let shown = parts.into_iter().filter(|part| !part.is_empty() && *part != title).collect::<Vec<_>>();
    if !shown.is_empty() {
        canvas.paragraph(0, Ink::Faint, &shown.join(", "));
    }
    subject.origin.iter().for_each(|line| canvas.paragraph(0, Ink::Faint, line));
}

fn is_shown(section: &Section) -> bool {
    section.detail == Detail::Summary && section.blocks.iter().any(is_in_summary)
}

/// A summary shows catalogues of up to as many rows.
const ROWS_MAX: usize = 40;

/// Whether the summary shows a block.
fn is_in_summary(block: &Block) -> bool {
    match block {
        Block::Text(_) | Block::Verdict(_) | Block::Table(_) | Block::Catalogue(_) => true,
        Block::Figures(figures) => !figures.rows.is_empty(),
        Block::Chart(chart) => !chart.is_empty(),
        Block::Notices(notices) => !notices.is_empty(),
        Block::Conditions(_) | Block::Fold(_) => false,
    }
}

fn block(canvas: &mut TextCanvas, block: &Block, subjects: &[Subject]) {
    match block {
        Block::Text(text) => canvas.paragraph(0, Ink::Plain, text),
        Block::Verdict(one) => verdict::verdict(canvas, one, subjects),
        Block::Figures(figures) => figures::figures(canvas, figures, subjects),
        Block::Table(table) => table::table(canvas, table, subjects),
        Block::Catalogue(catalogue) if catalogue.rows.len() > ROWS_MAX => canvas.paragraph(
            0,
            Ink::Plain,
            &format!("The page, --csv and --markdown show all {} rows.", catalogue.rows.len()),
        ),
        Block::Catalogue(catalogue) => table::table(canvas, &catalogue.table(), subjects),
        Block::Chart(chart) => chart::chart(canvas, chart, subjects),
        Block::Notices(notices) => verdict::notices(canvas, 0, notices),
        Block::Conditions(_) | Block::Fold(_) => {}
    }
}
