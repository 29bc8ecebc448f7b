//! The frame of a still picture: words, grid and axes.

use std::fmt::Write as _;

use super::axis::Axis;
use super::ink::{self, FONT, INK, LINE, MUTED};
use crate::html::Escaped;

/// A rectangle for values inside a picture, in pixels.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    pub left: f64,
    pub top: f64,
    pub width: f64,
    pub height: f64,
    pub x: Axis,
    pub y: Axis,
}

/// Room around the values, in pixels.
const LEFT: f64 = 78.0;
const RIGHT: f64 = 24.0;
const TOP: f64 = 62.0;
const BOTTOM: f64 = 44.0;
/// Pixels between two marks of an axis, at least.
const MARK_WIDTH: f64 = 100.0;
const MARK_HEIGHT: f64 = 50.0;
/// Characters of 12 pixels that fit on a line of the usual picture.
const LINE_CHARACTERS: usize = 128;

/// The size of a picture in pixels.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Size {
    pub width: f64,
    pub height: f64,
}

/// The size of a picture that stands alone.
pub(crate) const ALONE: Size = Size { width: 960.0, height: 440.0 };

impl Frame {
    /// The frame of a picture whose upper edge lies at `top`.
    pub fn within(size: Size, top: f64, x: Axis, y: Axis) -> Frame {
        Frame {
            left: LEFT,
            top: top + TOP,
            width: size.width - LEFT - RIGHT,
            height: size.height - TOP - BOTTOM,
            x,
            y,
        }
    }

    /// Where a value lies, in pixels from the left.
    pub fn at_x(&self, value: f64) -> f64 {
        self.left + self.x.place(value) * self.width
    }

    /// Where a value lies, in pixels from above.
    pub fn at_y(&self, value: f64) -> f64 {
        self.top + (1.0 - self.y.place(value)) * self.height
    }

    /// Title, line of words, grid and axes.
    pub fn draw(&self, svg: &mut String, title: &str, words: &str) {
        let (left, above) = (self.left - LEFT + 16.0, self.top - TOP);
        text(svg, (left, above + 24.0), "start", INK, 15, true, title);
        for (line, part) in broken(words).iter().enumerate() {
            text(svg, (left, above + 41.0 + line as f64 * 14.0), "start", MUTED, 12, false, part);
        }
        let (right, bottom) = (self.left + self.width, self.top + self.height);
        for mark in self.y.marks(count(self.height, MARK_HEIGHT)) {
            let y = self.at_y(mark);
            line(svg, [self.left, y, right, y], LINE);
            text(svg, (self.left - 8.0, y + 4.0), "end", MUTED, 12, false, &self.y.words(mark));
        }
        for mark in self.x.marks(count(self.width, MARK_WIDTH)) {
            let x = self.at_x(mark);
            line(svg, [x, self.top, x, bottom], LINE);
            text(svg, (x, bottom + 17.0), "middle", MUTED, 12, false, &self.x.words(mark));
        }
        line(svg, [self.left, bottom, right, bottom], MUTED);
        text(svg, (self.left + self.width / 2.0, bottom + 35.0), "middle", MUTED, 12, false, self.x.label);
        if !self.y.label.is_empty() {
            let (x, y) = (self.left - LEFT + 20.0, self.top + self.height / 2.0);
            let _ = writeln!(
                svg,
                "<text transform=\"translate({x:.0} {y:.0}) rotate(-90)\" text-anchor=\"middle\" \
                 fill=\"{MUTED}\" font-size=\"12\">{}</text>",
                Escaped(self.y.label)
            );
        }
    }
}

/// Opens a picture.
pub(crate) fn open(size: Size, title: &str) -> String {
    let Size { width, height } = size;
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" font-family=\"{FONT}\" role=\"img\">\n<title>{}</title>\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"#fff\"/>\n",
        Escaped(title)
    )
}

/// Ends a picture.
pub(crate) fn close(mut svg: String) -> String {
    svg.push_str("</svg>\n");
    svg
}

/// A line of words.
pub(crate) fn text(
    svg: &mut String,
    at: (f64, f64),
    anchor: &str,
    ink: &str,
    size: u32,
    bold: bool,
    words: &str,
) {
    let weight = if bold { " font-weight=\"bold\"" } else { "" };
    let (x, y) = at;
    let _ = writeln!(
        svg,
        "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" fill=\"{ink}\" \
         font-size=\"{size}\"{weight}>{}</text>",
        Escaped(words)
    );
}

/// A straight line.
pub(crate) fn line(svg: &mut String, [x1, y1, x2, y2]: [f64; 4], ink: &str) {
    let _ = writeln!(svg, "<path d=\"M{x1:.1} {y1:.1}L{x2:.1} {y2:.1}\" stroke=\"{ink}\"/>");
}

/// Pixels of a line of a legend.
const LEGEND_LINE: f64 = 18.0;

/// A size with room below it for a legend of so many lines.
pub(crate) fn with_legend(size: Size, lines: usize) -> Size {
    Size { height: size.height + lines as f64 * LEGEND_LINE + 8.0, ..size }
}

/// Which colour is whose, below a picture of this size.
pub(crate) fn legend<'a>(svg: &mut String, size: Size, labels: impl Iterator<Item = &'a str>) {
    for (index, label) in labels.enumerate() {
        let y = size.height + index as f64 * LEGEND_LINE + 8.0;
        let colour = ink::run(index);
        let _ = writeln!(svg, "<path d=\"M78 {:.0}h24\" stroke=\"{colour}\" stroke-width=\"2\"/>", y - 4.0);
        text(svg, (110.0, y), "start", INK, 12, false, label);
    }
}

/// Words in at most two lines, broken between the parts that a middle dot sets apart.
fn broken(words: &str) -> Vec<String> {
    let mut lines: Vec<String> = vec![String::new()];
    for part in words.split(" · ") {
        let last = lines.last_mut().expect("there always is one");
        if last.is_empty() {
            last.push_str(part);
        } else if last.chars().count() + part.chars().count() + 3 <= LINE_CHARACTERS {
            let _ = write!(last, " · {part}");
        } else {
            lines.push(part.to_owned());
        }
    }
    lines
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a few marks")]
fn count(length: f64, each: f64) -> usize {
    (length / each).max(2.0) as usize
}
