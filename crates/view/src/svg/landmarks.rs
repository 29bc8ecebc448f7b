//! Places on the horizontal axis that have a name.

use super::canvas::{Anchor, Coordinate, SvgCanvas, SvgInk};
use super::plane::Plane;
use super::words::TICK_LETTERS;
use crate::Chart;
use crate::chart::Landmark;

/// The height of a row of names above the frame.
const ROW: f64 = 23.0;
/// Pixels between two names, and between a name and a line.
const GAP: f64 = 10.0;
/// Pixels between a line and the words beside it.
const ASIDE: f64 = 4.0;

/// The names of landmarks in rows above a frame, none over another or over the line that leads to it.
#[derive(Debug, Default)]
pub(super) struct Flags(Vec<LandmarkFlag>);

#[derive(Debug)]
struct LandmarkFlag {
    at: f64,
    /// Where its words begin, and their width.
    left: f64,
    width: f64,
    /// The rows that its words take, counted from the frame upwards.
    first: usize,
    lines: Vec<String>,
    /// Whether its line reaches up to its words.
    is_joined: bool,
    ink: SvgInk,
}

/// The landmarks of the subjects that a frame shows: those of one subject, or all. Those beyond the axis are left out.
pub(super) fn flags(chart: &Chart, plane: &Plane, subject: Option<usize>) -> Flags {
    let is_shown = |mark: &&Landmark| subject.is_none() || mark.subject.is_none() || mark.subject == subject;
    let place = |mark: &Landmark| {
        let at = mark.at.first().copied().filter(|at| plane.x.holds(*at))?;
        plane.across(at)
    };
    let all = chart.landmarks.iter().filter(is_shown);
    let mut places: Vec<(f64, &Landmark)> = all.filter_map(|mark| Some((place(mark)?, mark))).collect();
    // Words stand to the right of their lines and are placed from right to left, so that no line runs through words that are
    // placed already. Those that have no room at the right edge stand to the left of their lines, and are placed first and from
    // left to right.
    let order = |(at, mark): &(f64, &Landmark)| {
        let is_at_edge = at + TICK_LETTERS.width(&mark.label) + ASIDE > plane.width;
        if is_at_edge { (0, *at) } else { (1, -at) }
    };
    places.sort_by(|one, other| order(one).partial_cmp(&order(other)).expect("places are numbers"));
    let mut flags = Flags::default();
    for (at, mark) in places {
        let lines = TICK_LETTERS.lines(&mark.label, plane.width);
        let width = lines.iter().map(|line| TICK_LETTERS.width(line)).fold(0.0, f64::max);
        let ink = mark.subject.map_or(SvgInk::Muted, SvgInk::Hue);
        flags.add(LandmarkFlag { at, left: 0.0, width, first: 0, lines, is_joined: true, ink }, plane.width);
    }
    flags
}

impl Flags {
    pub fn height(&self) -> f64 {
        self.0.iter().map(|flag| flag.first + flag.lines.len()).max().unwrap_or(0) as f64 * ROW
    }

    /// Puts a flag into the lowest row in which it collides with no other one.
    fn add(&mut self, mut flag: LandmarkFlag, width: f64) {
        let sides = [flag.at + ASIDE, flag.at - flag.width - ASIDE, flag.at - flag.width / 2.0];
        let room = sides.into_iter().find(|left| *left >= 0.0 && left + flag.width <= width);
        flag.left = room.unwrap_or((width - flag.width).max(0.0));
        let top = self.0.iter().map(|other| other.first + other.lines.len()).max().unwrap_or(0);
        for first in 0..=top {
            flag.first = first;
            if self.0.iter().all(|other| !other.collides(&flag)) {
                return self.0.push(flag);
            }
        }
        // Above all others there is room for its words, if not for a line down from them.
        (flag.first, flag.is_joined) = (top, false);
        self.0.push(flag);
    }

    /// Draws words and lines in coordinates of the plane.
    pub fn draw(&self, canvas: &mut SvgCanvas, plane: &Plane) {
        for flag in &self.0 {
            let above = if flag.is_joined { -(flag.first as f64) * ROW - 8.0 } else { 0.0 };
            let (x, top) = (Coordinate(flag.at), Coordinate(above));
            let bottom = Coordinate(plane.height);
            let path = format!("M{x} {top}V{bottom}");
            canvas.stroke(&path, flag.ink, 2.0, "stroke-dasharray=\"7 5\" opacity=\"0.8\"");
            for (index, line) in flag.lines.iter().rev().enumerate() {
                let y = -((flag.first + index) as f64) * ROW - 12.0;
                canvas.words((flag.left, y), Anchor::Start, flag.ink, TICK_LETTERS, line);
            }
        }
    }
}

impl LandmarkFlag {
    fn rows(&self) -> std::ops::Range<usize> {
        self.first..self.first + self.lines.len()
    }

    fn collides(&self, other: &LandmarkFlag) -> bool {
        let share_row = self.rows().start < other.rows().end && other.rows().start < self.rows().end;
        let overlap = self.left < other.left + other.width + GAP && other.left < self.left + self.width + GAP;
        (share_row && overlap) || self.crosses(other) || other.crosses(self)
    }

    /// Whether the line up to this flag's words runs through the words of another flag, further down.
    fn crosses(&self, other: &LandmarkFlag) -> bool {
        let is_within = self.at > other.left - 1.0 && self.at < other.left + other.width + 1.0;
        self.is_joined && other.first < self.first && is_within
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::{Axis, Scale};
    use crate::svg::scale::AxisScale;
    use crate::{Chart, Quantity};

    #[test]
    fn names_of_close_landmarks_do_not_collide() {
        let axis = Axis::new("Time", Quantity::Seconds, Scale::Linear);
        let scale = AxisScale::over(&axis, [0.0, 600.0].into_iter(), 6, false);
        let plane = Plane { width: 600.0, height: 300.0, x: scale, y: scale };
        let mut chart = Chart::new("rate", "Rate", vec![axis.clone()], axis);
        for (index, at) in [100.0, 104.0, 108.0, 590.0, 595.0, 700.0, f64::NAN].into_iter().enumerate() {
            let label = format!("cliff of drive {index}");
            chart.landmarks.push(Landmark { label, subject: Some(index), at: vec![at] });
        }
        let flags = flags(&chart, &plane, None);
        assert_eq!(flags.0.len(), 5, "those beyond the axis are left out");
        assert!(flags.0.iter().all(|flag| flag.is_joined), "{flags:?}");
        for (index, one) in flags.0.iter().enumerate() {
            assert!(one.left >= 0.0 && one.left + one.width <= 600.0);
            assert!(flags.0[..index].iter().all(|other| !one.collides(other)), "{index}: {flags:?}");
        }
    }
}
