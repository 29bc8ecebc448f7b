//! What each run comes to, with everything that takes from it.

use std::fmt::Write as _;

use super::Escaped;
use super::escape::unbroken;
use super::swatch::Swatch;
use crate::names::drive_line;
use crate::run::{Comparison, Notice, RunReport, Severity};
use crate::verdict::{Tone, verdict};

/// The first section: a verdict a run.
pub(super) fn section(page: &mut String, comparison: &Comparison) {
    page.push_str("<section class=\"verdicts\" aria-label=\"Verdicts\">\n");
    if comparison.runs.is_empty() {
        page.push_str("<p>There is no run to report on.</p>\n");
    }
    let shared = comparison.shared_notices();
    for (index, run) in comparison.runs.iter().enumerate() {
        card(page, run, index, &shared);
    }
    if !shared.is_empty() {
        page.push_str("<div class=\"shared\"><p class=\"fine\">All runs</p>\n");
        notices(page, &shared);
        page.push_str("</div>\n");
    }
    page.push_str("</section>\n");
}

fn card(page: &mut String, run: &RunReport, index: usize, shared: &[&Notice]) {
    let verdict = verdict(run);
    let mark = match verdict.tone {
        Tone::Steady => "Steady",
        Tone::Unsteady => "Not steady",
        Tone::Short => "Too short to judge",
        Tone::Asked => "Rate as asked",
        Tone::Replayed => "Replay",
        Tone::Nothing => "No figures",
    };
    let (swatch, tone) = (Swatch(index), verdict.tone.word());
    let _ = writeln!(
        page,
        "<article class=\"verdict {tone}\">\n<h2>{swatch}{}<span class=\"mark\">{mark}</span></h2>\n\
         <p class=\"fine\">{}</p>\n<p class=\"words\">{}.</p>",
        Escaped(&unbroken(&run.label)),
        Escaped(&drive_line(run)),
        Escaped(&unbroken(&verdict.text))
    );
    let own: Vec<&Notice> = run.notices.iter().filter(|notice| !shared.contains(notice)).collect();
    notices(page, &own);
    page.push_str("</article>\n");
}

/// The severest first: a reader may stop after one line.
fn notices(page: &mut String, notices: &[&Notice]) {
    if notices.is_empty() {
        return;
    }
    let mut sorted = notices.to_vec();
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
