//! Writes the elements of a picture: paths and words in colours.

use std::fmt::{self, Write as _};

use super::words::Lettering;
use crate::palette;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SvgInk {
    /// Words that matter most.
    Strong,
    /// Words of less weight, and lines that mean something.
    Muted,
    Grid,
    /// The colour with this place in the palette.
    Hue(usize),
    /// A shade of the colour scale of heat maps.
    Shade(usize),
}

/// Where words begin, seen from their place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// A coordinate with at most four significant digits and at most one decimal.
pub(super) struct Coordinate(pub f64);

impl fmt::Display for Coordinate {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = if self.0.is_finite() { self.0 } else { 0.0 };
        let tenths = (value * 10.0).round() + 0.0;
        if value.abs() >= 999.95 || tenths % 10.0 == 0.0 {
            return write!(out, "{:.0}", (tenths / 10.0).round() + 0.0);
        }
        write!(out, "{:.1}", tenths / 10.0)
    }
}

/// The elements of a picture so far, as text.
#[derive(Default)]
pub(super) struct SvgCanvas(pub String);

impl SvgCanvas {
    /// Begins a group whose origin lies at a place.
    pub fn begin(&mut self, (x, y): (f64, f64)) {
        let _ = writeln!(self.0, "<g transform=\"translate({} {})\">", Coordinate(x), Coordinate(y));
    }

    pub fn end(&mut self) {
        self.0.push_str("</g>\n");
    }

    /// A line of words whose base line begins, ends or has its middle at a place.
    pub fn words(
        &mut self,
        (x, y): (f64, f64),
        anchor: Anchor,
        ink: SvgInk,
        letters: Lettering,
        words: &str,
    ) {
        let at = format!("x=\"{}\" y=\"{}\"", Coordinate(x), Coordinate(y));
        self.words_at(&at, anchor, ink, letters, words);
    }

    /// Words that end at a place and rise towards it by 45 degrees.
    pub fn rising_words(&mut self, (x, y): (f64, f64), ink: SvgInk, letters: Lettering, words: &str) {
        let at = format!("transform=\"translate({} {})rotate(-45)\"", Coordinate(x), Coordinate(y));
        self.words_at(&at, Anchor::End, ink, letters, words);
    }

    fn words_at(&mut self, at: &str, anchor: Anchor, ink: SvgInk, letters: Lettering, words: &str) {
        let anchor = match anchor {
            Anchor::Start => "",
            Anchor::Middle => " text-anchor=\"middle\"",
            Anchor::End => " text-anchor=\"end\"",
        };
        let weight = if letters.is_bold { " font-weight=\"bold\"" } else { "" };
        let (size, paint) = (Coordinate(letters.size), paint("fill", ink));
        let words = escaped(words);
        let _ = writeln!(self.0, "<text {at}{anchor} font-size=\"{size}\"{weight} {paint}>{words}</text>");
    }

    /// A line along a path, with further attributes.
    pub fn stroke(&mut self, path: &str, ink: SvgInk, width: f64, more: &str) {
        if !path.is_empty() {
            let (paint, width) = (paint("stroke", ink), Coordinate(width));
            let space = if more.is_empty() { "" } else { " " };
            let _ = writeln!(
                self.0,
                "<path d=\"{path}\" fill=\"none\" {paint} stroke-width=\"{width}\"{space}{more}/>"
            );
        }
    }

    /// The area within a path, with further attributes.
    pub fn fill(&mut self, path: &str, ink: SvgInk, more: &str) {
        if !path.is_empty() {
            let (paint, space) = (paint("fill", ink), if more.is_empty() { "" } else { " " });
            let _ = writeln!(self.0, "<path d=\"{path}\" {paint}{space}{more}/>");
        }
    }
}

/// The attribute that colours an element.
fn paint(property: &str, ink: SvgInk) -> String {
    let colour = match ink {
        SvgInk::Strong => "#16191d",
        SvgInk::Muted => "#5a626b",
        SvgInk::Grid => "#e4e5e3",
        SvgInk::Hue(index) => palette::hue(index),
        SvgInk::Shade(step) => return format!("{property}=\"{}\"", palette::shade(step)),
    };
    format!("{property}=\"{colour}\"")
}

/// Words as XML text or as the value of an attribute; characters that XML forbids become replacement characters.
pub(super) fn escaped(words: &str) -> String {
    let mut out = String::with_capacity(words.len());
    for character in words.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\t' | '\n' | '\r' => out.push(' '),
            '\0'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            other => out.push(other),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coordinates_have_at_most_four_digits() {
        let found =
            [0.0, -0.01, 12.34, 12.96, 999.94, 1_234.56, f64::NAN].map(|at| Coordinate(at).to_string());
        assert_eq!(found, ["0", "0", "12.3", "13", "999.9", "1235", "0"]);
    }
}
