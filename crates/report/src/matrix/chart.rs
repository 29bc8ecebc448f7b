//! One small chart: a figure against threads, a line a file system.

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

/// A line of a chart.
pub(super) struct Line {
    /// Its place among the file systems, by which it has its colour.
    pub index: usize,
    /// Whether it is drawn dashed: the upper of two figures.
    pub dashed: bool,
    /// Its points.
    pub points: Vec<Point>,
}

/// A figure at a number of threads.
pub(super) struct Point {
    /// The threads.
    pub threads: u16,
    /// The figure.
    pub value: f64,
    /// The ends of its interval.
    pub interval: Option<(f64, f64)>,
}

/// What is drawn.
pub(super) struct Chart<'a> {
    /// Its title.
    pub title: &'a str,
    /// Whether figures lie on a logarithmic axis.
    pub log: bool,
    /// How a mark of it is written.
    pub text: fn(f64) -> String,
    /// The lines.
    pub lines: Vec<Line>,
    /// The numbers of threads of all lines.
    pub threads: &'a [u16],
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
            let _ = write!(
                picture,
                "<path class=\"grid\" d=\"M{LEFT} {y:.1}H{:.1}\"/><text class=\"mark\" x=\"{:.1}\" y=\"{:.1}\" \
                 text-anchor=\"end\">{}</text>",
                WIDTH - RIGHT,
                LEFT - 6.0,
                y + 3.5,
                Escaped(&(self.text)(mark))
            );
        }
        for threads in self.threads {
            let _ = write!(
                picture,
                "<text class=\"mark\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{threads}</text>",
                self.x(*threads),
                HEIGHT - BOTTOM + 16.0
            );
        }
        let _ = write!(
            picture,
            "<text class=\"mark\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">threads</text>",
            LEFT + (WIDTH - LEFT - RIGHT) / 2.0,
            HEIGHT - 4.0
        );
        self.lines.iter().for_each(|line| self.line(&mut picture, line, low, high));
        picture.push_str("</svg>\n");
        picture
    }

    fn line(&self, picture: &mut String, line: &Line, low: f64, high: f64) {
        let dash = if line.dashed { " dashed" } else { "" };
        let mut path = String::new();
        for (number, Point { threads, value, interval }) in line.points.iter().enumerate() {
            let (x, y) = (self.x(*threads), self.y(*value, low, high));
            let _ = write!(path, "{}{x:.1} {y:.1}", if number == 0 { "M" } else { "L" });
            let _ = write!(
                picture,
                "<circle class=\"f{}{dash}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"2.6\"/>",
                line.index
            );
            if let Some((bottom, top)) = interval {
                let (from, to) = (self.y(*bottom, low, high), self.y(*top, low, high));
                let _ = write!(picture, "<path class=\"s{}\" d=\"M{x:.1} {from:.1}V{to:.1}\"/>", line.index);
            }
        }
        let _ = write!(picture, "<path class=\"s{}{dash}\" d=\"{path}\"/>", line.index);
    }

    /// The figures at the lower and the upper end of the axis.
    fn ends(&self) -> (f64, f64) {
        let points = self.lines.iter().flat_map(|line| &line.points);
        let all =
            points.flat_map(|point| [Some(point.value), point.interval.map(|(_, high)| high)]).flatten();
        let (mut least, mut most) = (f64::INFINITY, 0.0f64);
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
            return exponents
                .take_while(|exponent| *exponent <= decades)
                .map(|one| low * 10f64.powf(one))
                .collect();
        }
        let step = nice_step(high - low, 4);
        (0..=8)
            .map(|index| low + f64::from(index) * step)
            .take_while(|mark| *mark <= high * 1.000_001)
            .collect()
    }

    /// Threads lie on a logarithmic axis: they are powers of two, mostly.
    fn x(&self, threads: u16) -> f64 {
        let log = |threads: u16| f64::from(threads.max(1)).ln();
        let ends = self.threads.first().zip(self.threads.last());
        let (low, high) = ends.map_or((0.0, 0.0), |(low, high)| (log(*low), log(*high)));
        let share = if high > low { (log(threads) - low) / (high - low) } else { 0.5 };
        let room = WIDTH - LEFT - RIGHT - 16.0;
        LEFT + 8.0 + share * room
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

#[cfg(test)]
mod tests {
    use super::*;

    fn chart(log: bool, values: &[f64]) -> Chart<'static> {
        let points = values.iter().map(|value| Point { threads: 1, value: *value, interval: None }).collect();
        let lines = vec![Line { index: 0, dashed: false, points }];
        Chart { title: "", log, text: |value| value.to_string(), lines, threads: &[1] }
    }

    #[test]
    fn axes_hold_every_figure_and_never_none() {
        assert_eq!(chart(false, &[37.0, 95.0]).ends(), (0.0, 100.0));
        assert_eq!(chart(true, &[37.0, 9_500.0]).ends(), (10.0, 10_000.0));
        assert_eq!(chart(true, &[100.0]).ends(), (100.0, 1_000.0));
        assert_eq!(chart(false, &[]).ends(), (0.0, 1.0));
        assert!(chart(true, &[1.0, 1e12]).marks(1.0, 1e12).len() <= 7);
        assert!(!chart(true, &[0.0]).svg().contains("NaN"));
    }
}
