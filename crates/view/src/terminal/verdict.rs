//! Verdicts and notices on the terminal.

use super::canvas::TextCanvas;
use super::style::Ink;
use crate::{Notice, Severity, Subject, Verdict};

/// A verdict below the label of its subject, where several are compared.
pub(super) fn verdict(canvas: &mut TextCanvas, verdict: &Verdict, subjects: &[Subject]) {
    let subject = verdict.subject.and_then(|subject| subjects.get(subject)).filter(|_| subjects.len() > 1);
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

/// Notices, each with what it is.
pub(super) fn notices(canvas: &mut TextCanvas, indent: usize, notices: &[Notice]) {
    for notice in notices {
        let (word, ink) = match notice.severity {
            Severity::Note => ("note", Ink::Faint),
            Severity::Warning => ("warning", Ink::Caution),
            Severity::Failure => ("failure", Ink::Bad),
        };
        canvas.paragraph(indent, ink, &format!("{word}: {}", notice.text));
    }
}
