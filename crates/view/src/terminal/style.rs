//! Width, colour and characters of a terminal.

use crate::Tone;

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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Ink {
    #[default]
    Plain,
    Strong,
    Faint,
    Good,
    Caution,
    Bad,
    Curve,
}

impl Ink {
    fn code(self) -> Option<&'static str> {
        match self {
            Ink::Plain => None,
            Ink::Strong => Some("1"),
            Ink::Faint => Some("2"),
            Ink::Good => Some("32"),
            Ink::Caution => Some("33"),
            Ink::Bad => Some("1;31"),
            Ink::Curve => Some("36"),
        }
    }

    pub fn from_tone(tone: Tone) -> Ink {
        match tone {
            Tone::Good => Ink::Good,
            Tone::Undecided => Ink::Caution,
            Tone::Bad => Ink::Bad,
            Tone::Neutral => Ink::Strong,
        }
    }
}

/// Characters that are no ASCII, and what stands for them where only ASCII can be shown.
const IN_ASCII: &[(char, &str)] = &[
    ('≥', ">="),
    ('≤', "<="),
    ('±', "+-"),
    ('°', "deg "),
    ('µ', "u"),
    ('μ', "u"),
    ('×', "x"),
    ('·', "*"),
    ('–', "-"),
    ('—', "-"),
    ('−', "-"),
    ('…', "..."),
    ('’', "'"),
    ('‘', "'"),
    ('“', "\""),
    ('”', "\""),
    ('\u{a0}', " "),
    ('\u{202f}', " "),
];

impl TerminalStyle {
    /// The columns that a line may take.
    pub(super) fn columns(self) -> usize {
        self.width.max(40)
    }

    /// A text that was cleaned, in its colour.
    pub(super) fn paint(self, ink: Ink, text: &str) -> String {
        match ink.code() {
            Some(code) if self.colour && !text.trim().is_empty() => format!("\u{1b}[{code}m{text}\u{1b}[0m"),
            _ => text.to_owned(),
        }
    }

    /// The text without characters that steer a terminal or turn its direction, since names come from drives; in ASCII
    /// where nothing else can be shown. Line breaks and tabs become spaces.
    pub(super) fn clean(self, text: &str) -> String {
        let mut clean = String::with_capacity(text.len());
        for character in text.chars() {
            let replacement = IN_ASCII.iter().find(|(other, _)| self.ascii && *other == character);
            match (replacement, character) {
                (Some((_, ascii)), _) => clean.push_str(ascii),
                (None, '\n' | '\r' | '\t' | '\u{2028}' | '\u{2029}') => clean.push(' '),
                // They choose between shapes of the character before them, which may be wider than without.
                (None, '\u{fe00}'..='\u{fe0f}') => {}
                (None, character) if self.shows(character) => clean.push(character),
                (None, _) => clean.push('?'),
            }
        }
        clean
    }

    pub(super) fn best_mark(self) -> char {
        if self.ascii { '^' } else { '✓' }
    }

    /// What stands where a text was cut.
    pub(super) fn cut_mark(self) -> char {
        if self.ascii { '~' } else { '…' }
    }

    fn shows(self, character: char) -> bool {
        let steers = matches!(character,
            '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{61c}');
        !character.is_control() && !steers && (!self.ascii || character.is_ascii())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_cannot_steer_the_terminal() {
        let style = TerminalStyle::default();
        assert_eq!(style.clean("a\u{1b}[2Jb\u{202e}c\nd"), "a?[2Jb?c d");
        let ascii = TerminalStyle { ascii: true, ..style };
        assert_eq!(ascii.clean("≥ 5 µs ± 1, 東"), ">= 5 us +- 1, ?");
    }
}
