//! What each run comes to, with everything that takes from it.

use std::fmt::Write as _;

use super::Escaped;
use crate::names::drive_line;
use crate::run::{Comparison, Notice, RunReport, Severity};
use crate::verdict::{Tone, verdict};

/// The first section: a verdict a run.
pub(super) fn section(page: &mut String, comparison: &Comparison) {
    page.push_str("<section class=\"verdicts\" aria-label=\"Verdicts\">\n");
    if comparison.runs.is_empty() {
        page.push_str("<p>There is no run to report on.</p>\n");
    }
    for (index, run) in comparison.runs.iter().enumerate() {
        card(page, run, index);
    }
    page.push_str("</section>\n");
}

fn card(page: &mut String, run: &RunReport, index: usize) {
    let verdict = verdict(run);
    let mark = match verdict.tone {
        Tone::Steady => "Steady",
        Tone::Unsteady => "Not steady",
        Tone::Nothing => "No figures",
    };
    let tone = verdict.tone.word();
    let _ = writeln!(
        page,
        "<article class=\"verdict {tone}\">\n<h2><span class=\"swatch\" data-run=\"{index}\" aria-hidden=\"true\"></span>\
         {}<span class=\"mark\">{mark}</span></h2>\n<p class=\"fine\">{}</p>\n<p class=\"words\">{}.</p>",
        Escaped(&run.label),
        Escaped(&drive_line(run)),
        Escaped(&unbroken(&verdict.text))
    );
    notices(page, &run.notices);
    page.push_str("</article>\n");
}

/// The severest first: a reader may stop after one line.
fn notices(page: &mut String, notices: &[Notice]) {
    if notices.is_empty() {
        return;
    }
    let mut sorted: Vec<&Notice> = notices.iter().collect();
    sorted.sort_by_key(|notice| std::cmp::Reverse(notice.severity));
    page.push_str("<ul class=\"notices\">\n");
    for notice in sorted {
        let (class, word) = match notice.severity {
            Severity::Note => ("note", "Note"),
            Severity::Warning => ("warning", "Warning"),
            Severity::Severe => ("severe", "Severe"),
        };
        let text = Escaped(&notice.text);
        let _ = writeln!(page, "<li class=\"{class}\"><b>{word}.</b> {text}</li>");
    }
    page.push_str("</ul>\n");
}

/// A number and its unit stay on one line.
fn unbroken(text: &str) -> String {
    text.replace(" %", "\u{a0}%")
        .replace(" IOPS", "\u{a0}IOPS")
        .replace(" GB", "\u{a0}GB")
        .replace(" s ", "\u{a0}s ")
}
