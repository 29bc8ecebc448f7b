//! The lines of a summary, as they come into being.

use super::style::{Ink, TerminalStyle};
use super::wrap::wrap;
use crate::cell_text::UsedMarks;

/// The text so far, and which marks it has used.
pub(super) struct TextCanvas {
    pub style: TerminalStyle,
    pub marks: UsedMarks,
    text: String,
}

impl TextCanvas {
    pub fn new(style: TerminalStyle) -> TextCanvas {
        TextCanvas { style, marks: UsedMarks::default(), text: String::new() }
    }

    /// An empty line, unless there is one already or nothing at all.
    pub fn gap(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with("\n\n") {
            self.text.push('\n');
        }
    }

    /// A text in lines that begin with so many spaces, and with two more from the second on.
    pub fn paragraph(&mut self, indent: usize, ink: Ink, text: &str) {
        let text = self.style.clean(text);
        let room = self.style.columns() - indent;
        for (index, line) in wrap(&text, room, room - 2).iter().enumerate() {
            let indent = indent + if index > 0 { 2 } else { 0 };
            self.line(&[(Ink::Plain, &" ".repeat(indent)), (ink, line)]);
        }
    }

    /// A line of pieces that were cleaned and fit, each in its colour.
    pub fn line(&mut self, pieces: &[(Ink, &str)]) {
        // Spaces at the end are left out: whole pieces of them, then those of the last one that is more.
        let blank = pieces.iter().rev().take_while(|(_, piece)| piece.trim_end().is_empty()).count();
        let shown = pieces.len() - blank;
        for (index, (ink, piece)) in pieces[..shown].iter().enumerate() {
            let piece = if index + 1 == shown { piece.trim_end() } else { piece };
            self.text.push_str(&self.style.paint(*ink, piece));
        }
        self.text.push('\n');
    }

    /// The text, with its marks explained at its end.
    pub fn finish(mut self) -> String {
        let best = format!("{} This is the best value.", self.style.best_mark());
        let explained = self.marks.explained([
            "* Fewer than ten I/Os lie beyond this percentile.",
            &best,
            "± or (a to b): 95 % confidence interval.",
            "Confidence intervals are left out: they need a wider terminal.",
        ]);
        if !explained.is_empty() {
            self.gap();
        }
        explained.iter().for_each(|line| self.paragraph(0, Ink::Faint, line));
        self.text
    }
}
