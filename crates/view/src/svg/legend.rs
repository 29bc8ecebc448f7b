//! Which mark, line or shade means what.

use super::canvas::{Anchor, Coordinate, SvgCanvas, SvgInk};
use super::heat;
use super::marks::{self, BAND, BAR, LINE_WIDTH, Look, MarkPath, RING_RADIUS, arrow, look};
use super::panels::Panels;
use super::plane;
use super::scale::AxisScale;
use super::words::Lettering;
use crate::chart::{Chart, Colours, Series, Shape};
use crate::palette::SHADE_COUNT;

const LETTERS: Lettering = Lettering::plain(19.0);
const LINE: f64 = 28.0;
/// The width of a sample with the gap behind it, and of the gap between two entries.
const SAMPLE: f64 = 44.0;
const GAP: f64 = 30.0;
/// The width of a shade of the colour scale.
const SHADE: f64 = 11.0;

#[derive(Clone, Debug, PartialEq)]
enum Sample {
    /// The shapes of a series of this look.
    Series(Vec<Shape>, Look),
    /// A value for which a logarithmic axis has no place.
    Hollow,
    /// The end of an interval that reaches beyond the axis.
    Arrow,
    /// Shades of a heat map between two counts.
    Shades(String, String),
}

#[derive(Clone, Debug)]
struct LegendEntry {
    sample: Sample,
    lines: Vec<String>,
    left: f64,
    top: f64,
}

#[derive(Clone, Debug)]
pub(super) struct Legend {
    entries: Vec<LegendEntry>,
    pub height: f64,
}

impl Legend {
    /// The legend of a chart within so many pixels of width.
    pub fn lay_out(chart: &Chart, panels: &Panels, y: &AxisScale, width: f64) -> Legend {
        let mut samples = series_samples(chart, panels);
        // One series needs no legend: the title says what it is.
        if samples.len() < 2 && panels.labels.len() < 2 {
            samples.clear();
        }
        if plane::has_hollow(chart, y) {
            samples.push((Sample::Hollow, "zero, below the logarithmic axis".to_owned()));
        }
        if plane::has_cut(chart, y) {
            samples.push((Sample::Arrow, "the interval reaches beyond the axis".to_owned()));
        }
        samples.extend(shades(chart));
        let mut legend = Legend { entries: Vec::new(), height: 0.0 };
        let mut left = 0.0;
        for (sample, words) in samples {
            let lines = LETTERS.lines(&words, width - SAMPLE);
            let widest = lines.iter().map(|line| LETTERS.width(line)).fold(0.0, f64::max);
            let needed = sample.width() + widest;
            if left > 0.0 && (left + needed > width || lines.len() > 1 || sample.is_wide()) {
                (left, legend.height) = (0.0, legend.height + LINE);
            }
            let below = if sample.is_wide() { LINE * lines.len() as f64 } else { 0.0 };
            let top = legend.height + if needed > width { below } else { 0.0 };
            legend.height = top + LINE * lines.len().saturating_sub(1) as f64;
            legend.entries.push(LegendEntry { sample, lines, left, top });
            left += needed + GAP;
        }
        if left > 0.0 {
            legend.height += LINE + 8.0;
        }
        legend
    }

    /// Draws the entries from a place on.
    pub fn draw(&self, canvas: &mut SvgCanvas, (x, y): (f64, f64)) {
        for entry in &self.entries {
            let (left, middle) = (x + entry.left, y + entry.top + LINE / 2.0);
            entry.sample.draw(canvas, left, middle);
            for (index, line) in entry.lines.iter().enumerate() {
                let at = (left + entry.sample.width(), middle + 6.0 + index as f64 * LINE);
                canvas.words(at, Anchor::Start, SvgInk::Strong, LETTERS, line);
            }
        }
    }
}

/// The series of a chart, those that share name and colour as one.
fn series_samples(chart: &Chart, panels: &Panels) -> Vec<(Sample, String)> {
    let mut found: Vec<(Sample, String)> = Vec::new();
    for series in chart.series.iter().filter(|series| !series.ys.is_empty()) {
        let mut look = look(chart, series);
        if chart.colours == Colours::OfSubjects && panels.has_frame_per_subject() {
            look.ink = SvgInk::Muted;
            look.mark = crate::palette::Mark::Disc;
        }
        let Some(words) = words_of(chart, series, panels) else { continue };
        let same = found.iter_mut().find_map(|(sample, other)| match sample {
            Sample::Series(shapes, known) if known.ink == look.ink && *other == words => Some(shapes),
            _ => None,
        });
        match same {
            Some(shapes) if shapes.contains(&series.shape) => {}
            Some(shapes) => shapes.push(series.shape),
            None => found.push((Sample::Series(vec![series.shape], look), words)),
        }
    }
    found
}

/// What the legend calls a series; nothing where its frame already has its name.
fn words_of(chart: &Chart, series: &Series, panels: &Panels) -> Option<String> {
    let label = panels.label(series.subject);
    if chart.colours == Colours::OfNames || panels.labels.len() < 2 {
        return Some(series.name.clone());
    }
    if panels.has_frame_per_subject() {
        return (series.name != label).then(|| series.name.clone());
    }
    let names_differ =
        chart.series.iter().any(|other| other.subject == series.subject && other.name != series.name);
    match series.name == label || !names_differ || label.is_empty() {
        true if label.is_empty() => Some(series.name.clone()),
        true => Some(label.to_owned()),
        false => Some(format!("{label}: {}", series.name)),
    }
}

/// The colour scale of a chart's heat maps.
fn shades(chart: &Chart) -> Option<(Sample, String)> {
    let ((low, high), first) = (heat::count_range(chart)?, chart.heats.first()?);
    let words = |count: u32| first.quantity.text(f64::from(count));
    Some((Sample::Shades(words(low), words(high)), first.unit.clone()))
}

impl Sample {
    /// The width of a sample with the gap behind it.
    fn width(&self) -> f64 {
        match self {
            Sample::Shades(low, high) => {
                LETTERS.width(low) + LETTERS.width(high) + SHADE * SHADE_COUNT as f64 + 24.0
            }
            _ => SAMPLE,
        }
    }

    /// Whether it begins a row.
    fn is_wide(&self) -> bool {
        matches!(self, Sample::Shades(..))
    }

    fn draw(&self, canvas: &mut SvgCanvas, left: f64, y: f64) {
        let middle = left + SAMPLE / 2.0 - 5.0;
        match self {
            Sample::Series(shapes, look) => {
                shapes.iter().for_each(|shape| draw_shape(canvas, *shape, *look, (left, middle, y)));
            }
            Sample::Hollow => marks::hollow(canvas, std::iter::once((middle, y + 5.0)), SvgInk::Muted),
            Sample::Arrow => {
                let mut path = String::new();
                arrow(&mut path, (middle, y - 6.0), true);
                canvas.fill(&path, SvgInk::Muted, "");
            }
            Sample::Shades(low, high) => {
                canvas.words((left, y + 6.0), Anchor::Start, SvgInk::Strong, LETTERS, low);
                let first = left + LETTERS.width(low) + 8.0;
                for shade in 0..SHADE_COUNT {
                    let x = Coordinate((first + shade as f64 * SHADE).round());
                    let path = format!("M{x} {}h11v16h-11z", Coordinate((y - 8.0).round()));
                    canvas.fill(&path, SvgInk::Shade(shade), "shape-rendering=\"crispEdges\"");
                }
                let x = first + SHADE * SHADE_COUNT as f64 + 8.0;
                canvas.words((x, y + 6.0), Anchor::Start, SvgInk::Strong, LETTERS, high);
            }
        }
    }
}

/// Draws the sample of a shape at the height `y`.
fn draw_shape(canvas: &mut SvgCanvas, shape: Shape, look: Look, (left, middle, y): (f64, f64, f64)) {
    let (from, to) = (Coordinate(left), Coordinate(middle * 2.0 - left));
    let at = |offset: f64| Coordinate(y + offset);
    let dot = |canvas: &mut SvgCanvas, radius: f64| {
        let mut marks = MarkPath::new(look.mark, radius);
        marks.add((middle, y));
        marks.fill(canvas, look.ink, "");
    };
    let dashes = look.dashes.map_or_else(String::new, |dashes| format!("stroke-dasharray=\"{dashes}\""));
    match shape {
        Shape::Dots => dot(canvas, 5.5),
        Shape::SmallDots => dot(canvas, 3.2),
        Shape::Rings => marks::rings(canvas, std::iter::once((middle, y)), RING_RADIUS, look),
        Shape::TopCrosses => marks::crosses(canvas, std::iter::once((middle, y)), look),
        Shape::Line | Shape::DashedLine | Shape::DottedLine => {
            canvas.stroke(&format!("M{from} {}H{to}", at(0.0)), look.ink, LINE_WIDTH, &dashes);
            if shape == Shape::DottedLine {
                dot(canvas, 5.5);
            }
        }
        Shape::Steps => {
            let path = format!("M{from} {}H{}V{}H{to}", at(5.0), Coordinate(middle), at(-5.0));
            canvas.stroke(&path, look.ink, LINE_WIDTH, &dashes);
        }
        Shape::Bars => canvas.fill(&bar(&from, &to, &at(-8.0)), look.ink, BAR),
        Shape::Band => canvas.fill(&bar(&from, &to, &at(-8.0)), look.ink, BAND),
    }
}

fn bar(from: &Coordinate, to: &Coordinate, top: &Coordinate) -> String {
    format!("M{from} {top}H{to}v16H{from}z")
}
