//! Everything that a page shows, as Markdown in the style of GitHub.

mod chart;
mod escape;
mod grid;
mod tables;

use std::fmt::Write as _;
use std::iter;

use crate::cell_text::{Head, UsedMarks};
use crate::format::capitalised;
use crate::page::Role;
use crate::subject::one_of_several;
use crate::{Block, Fold, Notice, Page, Subject, Verdict, View};
use escape::{html, inline, paragraph};
use grid::MarkdownGrid;

/// A page as Markdown: sections of every detail, conditions, and what is folded away (`<details>`).
///
/// A chart is a table of at most 24 rows. Texts are escaped: none of them can begin a tag, a list or a cell.
pub fn markdown(page: &Page) -> String {
    let mut document = MarkdownDocument::default();
    document.heading(1, &page.title);
    for view in page.answering() {
        let answer = view.answers().join(" ");
        document.paragraph(&paragraph(&format!("{}. {answer}", view.title)));
    }
    for view in &page.views {
        let is_titled = page.role(view) != Role::Member;
        let level = if is_titled { 1 } else { 2 };
        if !is_titled {
            document.heading(level, &view.title);
        }
        document.view(view, level + 1);
    }
    let few = "\\* Fewer than ten I/Os lie beyond this percentile.";
    let interval = "± or (a to b) is a 95 % confidence interval.";
    let explained = document.marks.explained([few, "Bold values are the best ones.", interval, ""]);
    document.paragraph(&explained.join(" "));
    document.text.truncate(document.text.trim_end().len());
    document.text.push('\n');
    document.text
}

#[derive(Default)]
struct MarkdownDocument {
    text: String,
    marks: UsedMarks,
}

impl MarkdownDocument {
    /// A paragraph of a text that is escaped already; nothing for an empty one.
    fn paragraph(&mut self, escaped: &str) {
        if !escaped.is_empty() {
            let _ = writeln!(self.text, "{escaped}\n");
        }
    }

    fn heading(&mut self, level: usize, text: &str) {
        let heading = format!("{} {}", "#".repeat(level), inline(text));
        self.paragraph(&heading);
    }

    fn view(&mut self, view: &View, level: usize) {
        self.subjects(view);
        for section in &view.sections {
            if let Some(heading) = &section.heading {
                self.heading(level, heading);
            }
            section.blocks.iter().for_each(|block| self.block(block, &view.subjects));
        }
    }

    /// What is compared: a table of several, a line for one.
    fn subjects(&mut self, view: &View) {
        if let [only] = view.subjects.as_slice() {
            self.paragraph(&paragraph(&only.in_line(&view.title)));
            only.origin.iter().for_each(|line| self.paragraph(&paragraph(line)));
            return;
        }
        let mut grid = MarkdownGrid::new(["Compared", "What it is"].map(Head::words));
        for one in &view.subjects {
            let lines = iter::once(&one.about).chain(&one.origin).filter(|line| !line.is_empty());
            grid.row([inline(&one.label), inline(&lines.map(String::as_str).collect::<Vec<_>>().join("; "))]);
        }
        grid.write(&mut self.text);
    }

    fn block(&mut self, block: &Block, subjects: &[Subject]) {
        match block {
            Block::Text(text) => self.paragraph(&paragraph(text)),
            Block::Verdict(verdict) => self.verdict(verdict, subjects),
            Block::Figures(figures) => self.figures(figures, subjects),
            Block::Table(table) => self.table(table, subjects),
            Block::Catalogue(catalogue) => self.table(&catalogue.table(), subjects),
            Block::Chart(chart) => self.chart(chart, subjects),
            Block::Notices(notices) => self.notices(notices),
            Block::Conditions(conditions) => self.conditions(conditions, subjects),
            Block::Fold(fold) => self.fold(fold, subjects),
        }
    }

    fn verdict(&mut self, verdict: &Verdict, subjects: &[Subject]) {
        let subject = one_of_several(subjects, verdict.subject);
        let label = subject.map_or_else(String::new, |subject| format!(" ({})", inline(&subject.label)));
        let line = format!("**{}**{label}: {}", inline(&verdict.mark), inline(&verdict.sentence));
        self.paragraph(&line);
        verdict.details.iter().for_each(|detail| self.paragraph(&paragraph(detail)));
        self.notices(&verdict.notices);
    }

    fn notices(&mut self, notices: &[Notice]) {
        for notice in notices {
            let word = capitalised(notice.severity.word());
            let _ = writeln!(self.text, "- **{word}**: {}", inline(&notice.text));
        }
        if !notices.is_empty() {
            self.text.push('\n');
        }
    }

    /// The tags stand in lines of their own, with empty lines around what they hold, which is Markdown again then.
    fn fold(&mut self, fold: &Fold, subjects: &[Subject]) {
        let opening = format!("<details>\n<summary>{}</summary>", html(&fold.summary));
        self.paragraph(&opening);
        fold.blocks.iter().for_each(|block| self.block(block, subjects));
        self.paragraph("</details>");
    }

    fn notes(&mut self, notes: &[String]) {
        notes.iter().for_each(|note| self.paragraph(&paragraph(note)));
    }
}
