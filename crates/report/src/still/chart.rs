//! One small chart: figures against something, a line each.

use std::fmt::Write as _;

use crate::html::Escaped;
use crate::scale::nice_step;

/// The size of a chart and of the room around its values, in the units of its picture.
const WIDTH: f64 = 360.0;
const HEIGHT: f64 = 210.0;
const LEFT: f64 = 56.0;
const RIGHT: f64 = 14.0;
const TOP: f64 = 30.0;
const BOTTOM: f64 = 36.0;
/// Room left and right of the first and the last value.
const INSET: f64 = 8.0;
/// More points than this are a line alone.
const DOTS_MAX: usize = 32;

/// A line of a chart.
pub(crate) struct Line {
    /// Its place among all lines of a page, by which it has its colour.
    pub index: usize,
    /// Whether it is drawn dashed: the upper of two figures.
    pub dashed: bool,
    /// Its points, from left to right.
    pub points: Vec<Point>,
}

/// A figure at a value of the horizontal axis.
pub(crate) struct Point {
    /// Where it lies.
    pub x: f64,
    /// The figure.
    pub y: f64,
    /// The ends of its interval.
    pub interval: Option<(f64, f64)>,
}

/// The horizontal axis.
pub(crate) struct Across<'a> {
    /// What lies along it.
    pub label: &'a str,
    /// Whether it is logarithmic.
    pub log: bool,
    /// The values that are marked, ascending; the axis reaches from the first to the last.
    pub marks: Vec<f64>,
    /// How a mark is written.
    pub text: fn(f64) -> String,
}

/// What is drawn.
pub(crate) struct Chart<'a> {
    /// Its title.
    pub title: &'a str,
    /// The horizontal axis.
    pub across: &'a Across<'a>,
    /// Whether figures lie on a logarithmic axis.
    pub log: bool,
    /// How a mark of it is written.
    pub text: fn(f64) -> String,
    /// What the axis of figures reaches at least, so that charts can be compared.
    pub least_top: f64,
    /// The lines.
    pub lines: Vec<Line>,
}

impl Chart<'_> {
    /// The chart as a picture in a page; the page's style sheet gives it its colours.
    pub fn svg(&self) -> String {
        let (low, high) = self.ends();
        let mut picture = format!(
            "<svg class=\"chart\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{}\">",
            Escaped(self.title)
        );
        let _ = write!(picture, "<text class=\"title\" x=\"0\" y=\"14\">{}</text>", Escaped(self.title));
        for mark in self.marks(low, high) {
            let y = self.y(mark, low, high);
            let right = WIDTH - RIGHT;
            let _ = write!(picture, "<path class=\"grid\" d=\"M{LEFT} {y:.1}H{right:.1}\"/>");
            word(&mut picture, (LEFT - 6.0, y + 3.5), "end", &(self.text)(mark));
        }
        for mark in &self.across.marks {
            let at = (self.x(*mark), HEIGHT - BOTTOM + 16.0);
            word(&mut picture, at, "middle", &(self.across.text)(*mark));
        }
        let middle = LEFT + (WIDTH - LEFT - RIGHT) / 2.0;
        word(&mut picture, (middle, HEIGHT - 4.0), "middle", self.across.label);
        self.lines.iter().for_each(|line| self.line(&mut picture, line, low, high));
        picture.push_str("</svg>\n");
        picture
    }

    fn line(&self, picture: &mut String, line: &Line, low: f64, high: f64) {
        let (dash, index) = (if line.dashed { " dashed" } else { "" }, line.index);
        let mut path = String::new();
        for (number, Point { x, y, interval }) in line.points.iter().enumerate() {
            let (x, y) = (self.x(*x), self.y(*y, low, high));
            let _ = write!(path, "{}{x:.1} {y:.1}", if number == 0 { "M" } else { "L" });
            if line.points.len() <= DOTS_MAX {
                let _ = write!(
                    picture,
                    "<circle class=\"f{index}{dash}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"2.6\"/>"
                );
            }
            if let Some((bottom, top)) = interval {
                let (from, to) = (self.y(*bottom, low, high), self.y(*top, low, high));
                let _ = write!(picture, "<path class=\"s{index}\" d=\"M{x:.1} {from:.1}V{to:.1}\"/>");
            }
        }
        let _ = write!(picture, "<path class=\"s{index}{dash}\" d=\"{path}\"/>");
    }

    /// The figures at the lower and the upper end of the axis.
    fn ends(&self) -> (f64, f64) {
        let points = self.lines.iter().flat_map(|line| &line.points);
        let all = points.flat_map(|point| [Some(point.y), point.interval.map(|(_, high)| high)]).flatten();
        let (mut least, mut most) = (f64::INFINITY, self.least_top);
        all.filter(|value| *value > 0.0 && value.is_finite()).for_each(|value| {
            least = least.min(value);
            most = most.max(value);
        });
        if most <= 0.0 {
            return if self.log { (1.0, 10.0) } else { (0.0, 1.0) };
        }
        if self.log {
            let (low, high) = (least.log10().floor(), most.log10().ceil());
            return (10f64.powf(low), 10f64.powf(high.max(low + 1.0)));
        }
        let step = nice_step(most, 4);
        (0.0, (most / step).ceil() * step)
    }

    fn marks(&self, low: f64, high: f64) -> Vec<f64> {
        if self.log {
            let decades = (high / low).log10().round();
            // Not more than six fit.
            let step = (decades / 6.0).ceil().max(1.0);
            let exponents = (0..=6).map(|index| f64::from(index) * step);
            let inside = exponents.take_while(|exponent| *exponent <= decades);
            return inside.map(|exponent| low * 10f64.powf(exponent)).collect();
        }
        let step = nice_step(high - low, 4);
        let marks = (0..=8).map(|index| low + f64::from(index) * step);
        marks.take_while(|mark| *mark <= high * 1.000_001).collect()
    }

    fn x(&self, value: f64) -> f64 {
        let placed = |value: f64| if self.across.log { value.max(1e-12).ln() } else { value };
        let ends = self.across.marks.first().zip(self.across.marks.last());
        let (low, high) = ends.map_or((0.0, 0.0), |(low, high)| (placed(*low), placed(*high)));
        let share = if high > low { (placed(value) - low) / (high - low) } else { 0.5 };
        LEFT + INSET + share * (WIDTH - LEFT - RIGHT - 2.0 * INSET)
    }

    fn y(&self, value: f64, low: f64, high: f64) -> f64 {
        let share = match self.log {
            true if value <= 0.0 => 0.0,
            true => (value / low).ln() / (high / low).ln(),
            false => (value - low) / (high - low),
        };
        HEIGHT - BOTTOM - share.clamp(0.0, 1.0) * (HEIGHT - TOP - BOTTOM)
    }
}

fn word(picture: &mut String, (x, y): (f64, f64), anchor: &str, text: &str) {
    let text = Escaped(text);
    let _ = write!(
        picture,
        "<text class=\"mark\" x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{text}</text>"
    );
}

/// Round values from nought to the first that is not below `most`, about `count` of them.
pub(crate) fn marks_to(most: f64, count: usize) -> Vec<f64> {
    let step = nice_step(most.max(1e-9), count);
    let number = (most.max(1e-9) / step).ceil();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "about `count`")]
    let marks = (0..=number as usize).map(|index| index as f64 * step);
    marks.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ends_of(log: bool, values: &[f64]) -> ((f64, f64), String) {
        let across = Across { label: "", log: false, marks: vec![1.0], text: |value| value.to_string() };
        let points = values.iter().map(|value| Point { x: 1.0, y: *value, interval: None }).collect();
        let lines = vec![Line { index: 0, dashed: false, points }];
        let chart =
            Chart { title: "", across: &across, log, text: |value| value.to_string(), least_top: 0.0, lines };
        (chart.ends(), chart.svg())
    }

    #[test]
    fn axes_hold_every_figure_and_never_none() {
        assert_eq!(ends_of(false, &[37.0, 95.0]).0, (0.0, 100.0));
        assert_eq!(ends_of(true, &[37.0, 9_500.0]).0, (10.0, 10_000.0));
        assert_eq!(ends_of(true, &[100.0]).0, (100.0, 1_000.0));
        assert_eq!(ends_of(false, &[]).0, (0.0, 1.0));
        assert!(!ends_of(true, &[0.0]).1.contains("NaN"));
        assert_eq!(marks_to(240.0, 5), [0.0, 50.0, 100.0, 150.0, 200.0, 250.0]);
    }
}
