//! The grid, the marks and the labels around a plane.

use std::fmt::Write as _;

use super::canvas::{Anchor, Coordinate, SvgCanvas, SvgInk};
use super::landmarks::Flags;
use super::plane::Plane;
use super::ticks::Tick;
use super::words::{HEAD_LETTERS, LABEL_LETTERS, TICK_LETTERS};

/// The height of a line of a label, and of a frame's title.
const LABEL_LINE: f64 = 25.0;
const HEAD_LINE: f64 = 28.0;
/// Between those and the uppermost tick of the vertical axis.
const HEAD_GAP: f64 = 14.0;
/// Pixels between two ticks' words.
const TICK_GAP: f64 = 14.0;
/// From the lower edge of the plane to the base line of its ticks' words.
const TICK_DROP: f64 = 26.0;
/// The least height of the words of a tick with the room around them.
const TICK_HEIGHT: f64 = 24.0;
/// The height of a line that rises by 45 degrees, measured across, in pixels.
const RISING: f64 = 0.72;
/// Names of ticks that stand closer to each other than this cannot be written even where they rise.
const RISING_GAP: f64 = 30.0;

#[derive(Clone, Debug)]
pub(super) struct AcrossWords {
    pub ticks: Vec<Tick>,
    pub label: Vec<String>,
    /// Whether the words of ticks rise by 45 degrees, because they are too long to stand next to each other.
    pub is_rising: bool,
}

/// The words around every frame of a picture.
#[derive(Clone, Debug)]
pub(super) struct FrameWords {
    pub across: AcrossWords,
    pub ticks: Vec<Tick>,
    pub label: Vec<String>,
}

impl AcrossWords {
    /// The words of the ticks as far as there is room for them; names rise where they have none.
    pub fn fitted(mut ticks: Vec<Tick>, label: Vec<String>, plane: &Plane, is_named: bool) -> AcrossWords {
        if is_named && !AcrossWords::stand_apart(&ticks, plane) {
            let gap = |tick: &Tick| if tick.words.is_empty() { 0.0 } else { RISING_GAP };
            keep_apart(&mut ticks, |tick| plane.across(tick.value), gap);
            return AcrossWords { ticks, label, is_rising: true };
        }
        keep_apart(
            &mut ticks,
            |tick| plane.across(tick.value),
            |tick| TICK_LETTERS.width(&tick.words) + TICK_GAP,
        );
        AcrossWords { ticks, label, is_rising: false }
    }

    /// Whether no words of ticks touch each other.
    pub fn stand_apart(ticks: &[Tick], plane: &Plane) -> bool {
        let ends = |tick: &Tick| {
            let half = TICK_LETTERS.width(&tick.words) / 2.0;
            plane.across(tick.value).map(|x| (x - half, x + half))
        };
        let ends: Vec<(f64, f64)> = ticks.iter().filter_map(ends).collect();
        ends.windows(2).all(|pair| pair[0].1 + TICK_GAP <= pair[1].0)
    }

    /// The room below the plane.
    pub fn height(&self) -> f64 {
        let widest = self.ticks.iter().map(|tick| TICK_LETTERS.width(&tick.words)).fold(0.0, f64::max);
        let ticks = if self.is_rising { widest * RISING + 26.0 } else { TICK_DROP + 8.0 };
        ticks + self.label.len() as f64 * LABEL_LINE
    }

    /// How far the words of ticks reach beyond the left and the right edge of the plane.
    pub fn overhang(&self, plane: &Plane) -> (f64, f64) {
        let (mut left, mut right) = (0.0f64, 0.0f64);
        for tick in self.ticks.iter().filter(|tick| !tick.words.is_empty()) {
            let Some(x) = plane.across(tick.value) else { continue };
            let width = TICK_LETTERS.width(&tick.words);
            let (before, after) =
                if self.is_rising { (width * RISING + 8.0, 8.0) } else { (width / 2.0, width / 2.0) };
            left = left.max(before - x);
            right = right.max(x + after - plane.width);
        }
        (left, right)
    }
}

/// Takes the words from ticks that are too close to one before them, but never from the first and the last one.
fn keep_apart(ticks: &mut [Tick], place: impl Fn(&Tick) -> Option<f64>, room: impl Fn(&Tick) -> f64) {
    let spans: Vec<Option<(f64, f64)>> =
        ticks.iter().map(|tick| place(tick).map(|at| (at, room(tick) / 2.0))).collect();
    let is_free = |one: Option<(f64, f64)>, other: Option<(f64, f64)>| match (one, other) {
        (Some((at, half)), Some((next, other_half))) => (next - at).abs() >= half.max(0.0) + other_half,
        _ => false,
    };
    let last = spans.len().saturating_sub(1);
    let mut kept = 0;
    for index in 1..spans.len() {
        let is_last = index == last;
        if is_free(spans[kept], spans[index]) && (is_last || is_free(spans[index], spans[last])) {
            kept = index;
        } else {
            ticks[index].words.clear();
        }
    }
}

impl FrameWords {
    /// Leaves words to as many ticks of the vertical axis as have room.
    pub fn fit_up(&mut self, plane: &Plane) {
        keep_apart(&mut self.ticks, |tick| plane.down(tick.value), |_| TICK_HEIGHT);
    }

    /// The width of the words of the vertical axis's ticks.
    pub fn left(&self) -> f64 {
        self.ticks.iter().map(|tick| TICK_LETTERS.width(&tick.words)).fold(30.0, f64::max) + 12.0
    }
}

/// The room above the plane: its title, the label of the vertical axis, and the names of landmarks.
pub(super) fn head_height(title: &[String], label: &[String], flags: f64) -> f64 {
    title.len() as f64 * HEAD_LINE + label.len() as f64 * LABEL_LINE + flags + HEAD_GAP
}

/// Draws everything around the values, in coordinates of the plane.
pub(super) fn draw(
    canvas: &mut SvgCanvas,
    plane: &Plane,
    words: &FrameWords,
    title: &[String],
    flags: &Flags,
) {
    let left = -words.left();
    let mut y = -head_height(title, &words.label, flags.height());
    for line in title {
        y += HEAD_LINE;
        canvas.words((left, y - 9.0), Anchor::Start, SvgInk::Strong, HEAD_LETTERS, line);
    }
    for line in &words.label {
        y += LABEL_LINE;
        canvas.words((left, y - 7.0), Anchor::Start, SvgInk::Muted, LABEL_LETTERS, line);
    }
    grid(canvas, plane, words);
    tick_words(canvas, plane, words);
    let base = plane.height + words.across.height() - words.across.label.len() as f64 * LABEL_LINE;
    for (index, line) in words.across.label.iter().enumerate() {
        let y = base + index as f64 * LABEL_LINE + 18.0;
        canvas.words((plane.width / 2.0, y), Anchor::Middle, SvgInk::Muted, LABEL_LETTERS, line);
    }
    flags.draw(canvas, plane);
}

fn grid(canvas: &mut SvgCanvas, plane: &Plane, words: &FrameWords) {
    let (width, height) = (Coordinate(plane.width), Coordinate(plane.height));
    let rows = words.ticks.iter().filter_map(|tick| plane.down(tick.value));
    let columns = words.across.ticks.iter().filter_map(|tick| plane.across(tick.value));
    let mut lines = String::new();
    for y in rows {
        let _ = write!(lines, "M0 {}H{width}", Coordinate(y));
    }
    for x in columns {
        let _ = write!(lines, "M{} 0V{height}", Coordinate(x));
    }
    canvas.stroke(&lines, SvgInk::Grid, 1.5, "");
    canvas.stroke(&format!("M0 {height}H{width}"), SvgInk::Muted, 1.5, "");
}

fn tick_words(canvas: &mut SvgCanvas, plane: &Plane, words: &FrameWords) {
    for tick in words.ticks.iter().filter(|tick| !tick.words.is_empty()) {
        if let Some(y) = plane.down(tick.value) {
            canvas.words((-12.0, y + 6.0), Anchor::End, SvgInk::Muted, TICK_LETTERS, &tick.words);
        }
    }
    for tick in words.across.ticks.iter().filter(|tick| !tick.words.is_empty()) {
        let Some(x) = plane.across(tick.value) else { continue };
        if words.across.is_rising {
            canvas.rising_words((x + 5.0, plane.height + 18.0), SvgInk::Muted, TICK_LETTERS, &tick.words);
        } else {
            let at = (x, plane.height + TICK_DROP);
            canvas.words(at, Anchor::Middle, SvgInk::Muted, TICK_LETTERS, &tick.words);
        }
    }
}
