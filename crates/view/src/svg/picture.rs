//! The whole picture: title, legend, frames and notes, one under another.

use super::FILE_START;
use super::canvas::{Anchor, Coordinate, SvgCanvas, SvgInk, escaped};
use super::frame::{self, AcrossWords, FrameWords};
use super::landmarks::{self, Flags};
use super::legend::Legend;
use super::marks::look;
use super::panels::{Panel, Panels};
use super::plane::{self, Plane};
use super::scale::AxisScale;
use super::ticks::{label, ticks};
use super::words::{HEAD_LETTERS, LABEL_LETTERS, Lettering};
use super::{heat, series};
use crate::chart::{Axis, Chart, Scale, Shape, Size, Ticks};
use crate::{Quantity, Subject};

const TITLE: Lettering = Lettering::bold(27.0);
const TITLE_LINE: f64 = 36.0;
const SUBTITLE: Lettering = Lettering::plain(19.0);
const SUBTITLE_LINE: f64 = 27.0;
const NOTE: Lettering = Lettering::plain(17.0);
const NOTE_LINE: f64 = 24.0;
/// Room around everything, and between frames, in pixels.
const MARGIN: f64 = 26.0;
const BETWEEN: f64 = 24.0;
/// The least height of the values of one frame among others, and of a single one.
const PLANE_HEIGHT_MIN: f64 = 190.0;
const SINGLE_HEIGHT_MIN: f64 = 300.0;
/// From so many frames on, two stand next to each other in a wide picture.
const COLUMNS_FROM: usize = 4;
/// How close marks of the horizontal axis are at most, and how many the vertical one has.
const TICK_WIDTH: f64 = 70.0;
const UP_TICKS: usize = 7;
const UP_TICKS_AMONG: usize = 6;

struct PictureLayout<'a> {
    panels: Panels<'a>,
    width: f64,
    height: f64,
    title: Vec<String>,
    subtitle: Vec<String>,
    notes: Vec<String>,
    legend: Legend,
    words: FrameWords,
    plane: Plane,
    /// How many frames stand next to each other, and how wide one is with its words.
    columns: usize,
    column: f64,
    /// The titles and the landmarks of frames.
    heads: Vec<(Vec<String>, Flags)>,
    /// The room above the values of every frame.
    head: f64,
}

/// A chart as a complete SVG picture with its title, axes, legend and notes. It shows the first of several horizontal axes.
/// Up to three subjects share a frame, unless their series have their colours by name; more have one each, on the same axes.
/// Values that are not finite are left out, so that lines have gaps there.
pub fn svg(chart: &Chart, subjects: &[Subject]) -> String {
    let layout = PictureLayout::new(chart, subjects);
    let mut canvas = SvgCanvas::default();
    let mut y = MARGIN;
    for line in &layout.title {
        canvas.words((MARGIN, y + 24.0), Anchor::Start, SvgInk::Strong, TITLE, line);
        y += TITLE_LINE;
    }
    for line in &layout.subtitle {
        canvas.words((MARGIN, y + 18.0), Anchor::Start, SvgInk::Muted, SUBTITLE, line);
        y += SUBTITLE_LINE;
    }
    layout.legend.draw(&mut canvas, (MARGIN, y));
    for (index, panel) in layout.panels.all.iter().enumerate() {
        canvas.begin(layout.origin(index));
        let (title, flags) = &layout.heads[index];
        frame::draw(&mut canvas, &layout.plane, &layout.words, title, flags);
        draw_values(&mut canvas, chart, &layout.plane, panel);
        canvas.end();
    }
    let first = layout.height - MARGIN - layout.notes.len() as f64 * NOTE_LINE;
    for (index, line) in layout.notes.iter().enumerate() {
        let y = first + index as f64 * NOTE_LINE + 18.0;
        canvas.words((MARGIN, y), Anchor::Start, SvgInk::Muted, NOTE, line);
    }
    enclosed(chart, &layout, &canvas.0)
}

/// The elements of a picture within their root.
fn enclosed(chart: &Chart, layout: &PictureLayout, elements: &str) -> String {
    let (width, height) = (Coordinate(layout.width), Coordinate(layout.height));
    let (title, about) = (escaped(&chart.title), escaped(&chart.about));
    format!(
        "{FILE_START}<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" role=\"img\" \
         width=\"{width}\" height=\"{height}\" font-family=\"DejaVu Sans, system-ui, sans-serif\">\n\
         <title>{title}</title>\n<desc>{about}</desc>\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"#fff\"/>\n{elements}</svg>\n"
    )
}

/// Draws what lies in one frame: shades at the bottom, then areas, lines and dots in their order.
fn draw_values(canvas: &mut SvgCanvas, chart: &Chart, plane: &Plane, panel: &Panel) {
    if let (Some(map), Some(range)) = (panel.heat, heat::count_range(chart)) {
        heat::draw(canvas, plane, map, range);
    }
    let is_here = |subject: usize| panel.subject.is_none_or(|own| own == subject);
    let here = || chart.series.iter().filter(|series| is_here(series.subject));
    let is_area = |shape: Shape| matches!(shape, Shape::Band | Shape::Bars);
    let areas = here().filter(|series| is_area(series.shape));
    let mut crosses = 0;
    for one in areas.chain(here().filter(|series| !is_area(series.shape))) {
        series::draw(canvas, plane, (one, look(chart, one), crosses));
        crosses += usize::from(one.shape == Shape::TopCrosses);
    }
}

impl<'a> PictureLayout<'a> {
    fn new(chart: &'a Chart, subjects: &'a [Subject]) -> PictureLayout<'a> {
        let (width, height) = match chart.size {
            Size::Wide => (1_600.0, 900.0),
            Size::Small => (780.0, 580.0),
        };
        let room = width - 2.0 * MARGIN;
        let panels = Panels::lay_out(chart, subjects);
        let columns = if chart.size == Size::Wide && panels.all.len() >= COLUMNS_FROM { 2 } else { 1 };
        let column = (room - (columns - 1) as f64 * BETWEEN) / columns as f64;
        let (plane, words) = framed(chart, column, panels.all.len());
        let heads: Vec<(Vec<String>, Flags)> = panels
            .all
            .iter()
            .map(|panel| {
                let title = HEAD_LETTERS.lines(&panels.title(panel), column);
                (title, landmarks::flags(chart, &plane, panel.subject))
            })
            .collect();
        let head =
            |(title, flags): &(Vec<String>, Flags)| frame::head_height(title, &words.label, flags.height());
        let head = heads.iter().map(head).fold(0.0, f64::max);
        let legend = Legend::lay_out(chart, &panels, &plane.y, room);
        // The subject of a picture of one has neither a legend nor a frame's title that names it.
        let subtitle = match panels.labels.as_slice() {
            [(_, label)] => SUBTITLE.lines(label, room),
            _ => Vec::new(),
        };
        let notes = chart.notes.iter().flat_map(|note| NOTE.lines(note, room)).collect();
        let title = TITLE.lines(&chart.title, room);
        let mut layout = PictureLayout {
            panels,
            width,
            height,
            title,
            subtitle,
            notes,
            legend,
            words,
            plane,
            columns,
            column,
            heads,
            head,
        };
        layout.set_heights();
        layout
    }

    /// Gives the frames the room that is left, or makes the picture higher where that is too little.
    fn set_heights(&mut self) {
        let rows = self.panels.all.len().div_ceil(self.columns) as f64;
        let around = self.head + self.words.across.height();
        let notes = self.notes.len() as f64 * NOTE_LINE;
        let used = self.top() + MARGIN + notes + 10.0 + rows * around + (rows - 1.0) * BETWEEN;
        let least = if rows > 1.0 { PLANE_HEIGHT_MIN } else { SINGLE_HEIGHT_MIN };
        self.plane.height = ((self.height - used) / rows).max(least).floor();
        self.height = used + rows * self.plane.height;
        self.words.fit_up(&self.plane);
    }

    /// Where the first frame with its words begins.
    fn top(&self) -> f64 {
        let title = self.title.len() as f64 * TITLE_LINE + self.subtitle.len() as f64 * SUBTITLE_LINE;
        MARGIN + title + self.legend.height + 8.0
    }

    /// Where the plane of a frame begins.
    fn origin(&self, index: usize) -> (f64, f64) {
        let (row, column) = (index / self.columns, index % self.columns);
        let each = self.head + self.plane.height + self.words.across.height() + BETWEEN;
        let left = MARGIN + column as f64 * (self.column + BETWEEN) + self.column - self.plane.width;
        (left - self.right(), self.top() + row as f64 * each + self.head)
    }

    /// The room to the right of a plane.
    fn right(&self) -> f64 {
        self.words.across.overhang(&self.plane).1.max(4.0)
    }
}

/// The plane of a frame that is so wide with its words, and these words. Its height is not known yet.
fn framed(chart: &Chart, column: f64, panels: usize) -> (Plane, FrameWords) {
    let across = chart.across.first().cloned();
    let across = across.unwrap_or_else(|| Axis::new("", Quantity::Number, Scale::Linear));
    let marks = if panels > 1 { UP_TICKS_AMONG } else { UP_TICKS };
    let x = AxisScale::over(&across, plane::across_values(chart).into_iter(), marks, false);
    let y = AxisScale::over(&chart.up, plane::up_values(chart).into_iter(), marks, true);
    let up = LABEL_LETTERS.lines(&label(&chart.up, &y), column);
    let mut words = FrameWords {
        across: AcrossWords { ticks: Vec::new(), label: Vec::new(), is_rising: false },
        ticks: ticks(&chart.up, &y, marks),
        label: up,
    };
    let left = words.left();
    let mut plane = Plane { width: column - left - 4.0, height: PLANE_HEIGHT_MIN, x, y };
    let is_named = matches!(across.ticks, Ticks::Named(_));
    // Words at the ends of the axis take room from the plane, which may leave less of it to the others.
    for _ in 0..3 {
        let label = LABEL_LETTERS.lines(&label(&across, &x), plane.width);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "some tens of marks")]
        let most = (plane.width / TICK_WIDTH).clamp(2.0, 12.0) as usize;
        let fitting = |count: &usize| AcrossWords::stand_apart(&ticks(&across, &x, *count), &plane);
        let count = (2..=most).rev().find(fitting).unwrap_or(2);
        words.across = AcrossWords::fitted(ticks(&across, &x, count), label, &plane, is_named);
        let (before, after) = words.across.overhang(&plane);
        plane.width = (column - left.max(before) - after.max(4.0)).floor();
    }
    (plane, words)
}
