//! The summary that a terminal shows.

mod canvas;
mod chart;
mod grid;
mod style;
mod tables;
mod wrap;

pub use style::TerminalStyle;

use crate::conditions::ConditionRow;
use crate::page::{Role, verdicts};
use crate::subject::one_of_several;
use crate::{Block, Detail, Notice, Page, Section, Severity, Subject, Verdict, View};
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
        let mut verdicts = verdicts(sections().flat_map(|section| &section.blocks));
        verdicts.any(|verdict| verdict.subject == Some(index))
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
    differing(canvas, view);
}

/// What a subject is, with its label unless the title is the same.
fn about(canvas: &mut TextCanvas, subject: &Subject, title: &str) {
    let line = subject.in_line(title);
    if !line.is_empty() {
        canvas.paragraph(0, Ink::Faint, &line);
    }
    subject.origin.iter().for_each(|line| canvas.paragraph(0, Ink::Faint, line));
}

fn is_shown(section: &Section) -> bool {
    section.detail == Detail::Summary && section.blocks.iter().any(is_in_summary)
}

/// A summary shows catalogues of up to as many rows.
const ROWS_MAX: usize = 40;

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
        Block::Verdict(one) => verdict(canvas, one, subjects),
        Block::Figures(figures) => tables::figures(canvas, figures, subjects),
        Block::Table(table) => tables::table(canvas, table, subjects),
        Block::Catalogue(catalogue) if catalogue.rows.len() > ROWS_MAX => canvas.paragraph(
            0,
            Ink::Plain,
            &format!("The page, --csv and --markdown show all {} rows.", catalogue.rows.len()),
        ),
        Block::Catalogue(catalogue) => tables::table(canvas, &catalogue.table(), subjects),
        Block::Chart(chart) => chart::chart(canvas, chart, subjects),
        Block::Notices(notices) => self::notices(canvas, 0, notices),
        Block::Conditions(_) | Block::Fold(_) => {}
    }
}

/// A verdict below the label of its subject, where several are compared.
fn verdict(canvas: &mut TextCanvas, verdict: &Verdict, subjects: &[Subject]) {
    let subject = one_of_several(subjects, verdict.subject);
    let indent = if subject.is_some() { 2 } else { 0 };
    if let Some(subject) = subject {
        canvas.paragraph(0, Ink::Strong, &subject.label);
        if !subject.about.is_empty() {
            canvas.paragraph(indent, Ink::Faint, &subject.about);
        }
        subject.origin.iter().for_each(|line| canvas.paragraph(indent, Ink::Faint, line));
    }
    canvas.paragraph(
        indent,
        Ink::from_tone(verdict.tone),
        &format!("{}: {}", verdict.mark, verdict.sentence),
    );
    verdict.details.iter().for_each(|detail| canvas.paragraph(indent, Ink::Plain, detail));
    notices(canvas, indent, &verdict.notices);
}

fn notices(canvas: &mut TextCanvas, indent: usize, notices: &[Notice]) {
    for notice in notices {
        let ink = match notice.severity {
            Severity::Note => Ink::Faint,
            Severity::Warning => Ink::Caution,
            Severity::Failure => Ink::Bad,
        };
        canvas.paragraph(indent, ink, &format!("{}: {}", notice.severity.word(), notice.text));
    }
}

/// More conditions than these are counted.
const SHOWN_ROWS: usize = 20;

/// The conditions that are not the same for all subjects, a line for each; nothing where there are none.
fn differing(canvas: &mut TextCanvas, view: &View) {
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
