//! Width, colour and characters of a terminal.

use std::fmt::Write as _;

/// How a terminal's text is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TerminalStyle {
    /// Columns of the terminal; below 40 lines are set as if there were 40.
    pub width: usize,
    /// Whether colours are understood and wanted.
    pub colour: bool,
    /// Whether only ASCII characters can be shown.
    pub ascii: bool,
}

impl Default for TerminalStyle {
    /// 80 columns of plain Unicode.
    fn default() -> TerminalStyle {
        TerminalStyle { width: 80, colour: false, ascii: false }
    }
}

/// What a piece of text means, as a colour.
#[derive(Clone, Copy, Debug)]
pub(super) enum Ink {
    Strong,
    Faint,
    Good,
    Caution,
    Bad,
    Curve,
}

impl Ink {
    fn code(self) -> &'static str {
        match self {
            Ink::Strong => "1",
            Ink::Faint => "2",
            Ink::Good => "32",
            Ink::Caution => "33",
            Ink::Bad => "1;31",
            Ink::Curve => "36",
        }
    }
}

impl TerminalStyle {
    /// The text without control characters (a drive's model must not steer the terminal), in its colour.
    pub(super) fn paint(self, ink: Ink, text: &str) -> String {
        let text = self.clean(text);
        if self.colour && !text.is_empty() { format!("\u{1b}[{}m{text}\u{1b}[0m", ink.code()) } else { text }
    }

    /// Writes a line that has no colour, broken between words.
    pub(crate) fn wrap_plain(self, text: &mut String, indent: &str, line: &str) {
        self.wrap(text, indent, &self.clean(line), line);
    }

    /// Writes `painted`, broken between words where `plain`, the same without colour, is too wide.
    ///
    /// Words that belong together are set apart by one space, groups by two: a break between groups is
    /// preferred, and the lines that follow the first are indented by two more.
    pub(super) fn wrap(self, text: &mut String, indent: &str, painted: &str, plain: &str) {
        let plain = self.clean(plain);
        let room = self.width.max(40) - indent.len();
        if plain.chars().count() <= room {
            let _ = writeln!(text, "{indent}{painted}");
            return;
        }
        let (before, after) = painted.split_once(plain.as_str()).unwrap_or(("", ""));
        let separator = if plain.contains("  ") { "  " } else { " " };
        let mut line = String::new();
        let mut lead = "";
        for piece in plain.split(separator) {
            let added = line.chars().count() + separator.len() + piece.chars().count();
            if !line.is_empty() && lead.len() + added > room {
                let _ = writeln!(text, "{indent}{lead}{before}{line}{after}");
                line.clear();
                lead = "  ";
            }
            if !line.is_empty() {
                line.push_str(separator);
            }
            line.push_str(piece);
        }
        let _ = writeln!(text, "{indent}{lead}{before}{line}{after}");
    }

    /// The text, cut to `width` characters with a mark where it was cut.
    pub(super) fn shorten(self, text: &str, width: usize) -> String {
        let text = self.clean(text);
        if text.chars().count() <= width {
            return text;
        }
        let mark = if self.ascii { '~' } else { '…' };
        text.chars().take(width - 1).chain([mark]).collect()
    }

    pub(crate) fn clean(self, text: &str) -> String {
        let shown = |character: char| !character.is_control() && (!self.ascii || character.is_ascii());
        text.chars().map(|character| if shown(character) { character } else { '?' }).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_broken_and_keep_their_colour() {
        let style = TerminalStyle { width: 40, colour: true, ascii: false };
        let plain = "one two three four five six seven eight nine ten";
        let mut text = String::new();
        style.wrap(&mut text, "  ", &style.paint(Ink::Good, plain), plain);
        assert_eq!(
            text,
            "  \u{1b}[32mone two three four five six seven\u{1b}[0m\n    \u{1b}[32meight nine ten\u{1b}[0m\n"
        );
    }

    #[test]
    fn a_model_cannot_steer_the_terminal() {
        let style = TerminalStyle::default();
        assert_eq!(style.paint(Ink::Strong, "a\u{1b}[2Jb"), "a?[2Jb");
        assert_eq!(TerminalStyle { ascii: true, ..style }.paint(Ink::Strong, "µ"), "?");
    }
}
