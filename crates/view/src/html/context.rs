//! What blocks have to know of the page around them: the colours and marks of subjects, and the names of elements, by which links
//! and the page's program find them.

use maud::{Markup, html};
use serde::Serialize;

use crate::format::each_once;
use crate::{Page, View};

/// What a block has to know of the page around it.
pub(super) struct Context<'a> {
    pub view: &'a View,
    /// The name of the view in links.
    pub anchor: &'a str,
    pub looks: &'a Looks<'a>,
    /// The level of the headings of charts.
    pub heading: u8,
}

impl Context<'_> {
    /// The mark of a subject, where several are told apart.
    pub(super) fn mark(&self, subject: Option<usize>) -> Markup {
        let subject = subject.and_then(|place| self.view.subjects.get(place));
        html! { @if let Some(subject) = subject { (self.looks.mark(&subject.label)) } }
    }
}

/// A name for each view, unique on the page: that of its kind, with a number from the second one of a kind on.
pub(super) fn anchors(page: &Page) -> Vec<String> {
    let names: Vec<&str> = page.views.iter().map(|view| view.name).collect();
    let earlier = |place: usize| names[..place].iter().filter(|name| **name == names[place]).count();
    let anchor = |place: usize| match earlier(place) {
        0 => names[place].to_owned(),
        earlier => format!("{}-{}", names[place], earlier + 1),
    };
    (0..names.len()).map(anchor).collect()
}

/// The name of the element that holds a catalogue, or that a chart is drawn into.
pub(super) fn place(anchor: &str, id: &str) -> String {
    format!("{anchor}-{id}")
}

/// How many colours the style sheet has (`page/src/light.css` and `dark.css`).
const COLOURS: usize = 10;

/// The outline of a mark.
#[derive(Clone, Copy, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "Mark"))]
pub(super) struct MarkShape {
    /// An SVG path around 0 that reaches from -1 to 1.
    pub path: &'static str,
    /// Whether only the outline is drawn.
    #[serde(rename = "hollow")]
    pub is_hollow: bool,
}

/// Colours alone do not tell ten subjects apart for every reader, and after the tenth they repeat: so marks have shapes.
/// Eight shapes and ten colours make forty combinations before the first one comes again.
pub(super) const SHAPES: [MarkShape; 8] = [
    MarkShape { path: "M0-1A1 1 0 1 1 0 1A1 1 0 1 1 0-1Z", is_hollow: false },
    MarkShape { path: "M-.88-.88H.88V.88H-.88Z", is_hollow: false },
    MarkShape { path: "M0-1L1 .85H-1Z", is_hollow: false },
    MarkShape { path: "M0-1.1L1.1 0L0 1.1L-1.1 0Z", is_hollow: false },
    MarkShape { path: "M0-.8A.8 .8 0 1 1 0 .8A.8 .8 0 1 1 0-.8Z", is_hollow: true },
    MarkShape { path: "M-.72-.72H.72V.72H-.72Z", is_hollow: true },
    MarkShape { path: "M0 1L1-.85H-1Z", is_hollow: false },
    MarkShape { path: "M-.8-.8L.8 .8M.8-.8L-.8 .8", is_hollow: true },
];

/// The labels of a page's subjects, in the order in which they are met: a label's place gives it colour and mark.
pub(super) struct Looks<'a>(Vec<&'a str>);

impl<'a> Looks<'a> {
    pub(super) fn of_page(page: &'a Page) -> Looks<'a> {
        let subjects = page.views.iter().flat_map(|view| &view.subjects);
        Looks(each_once(subjects.map(|subject| subject.label.as_str())))
    }

    /// The number of a label's look; a label that no view has looks like the first one.
    pub(super) fn find(&self, label: &str) -> usize {
        self.0.iter().position(|other| *other == label).unwrap_or(0)
    }

    pub(super) fn mark(&self, label: &str) -> Markup {
        let look = self.find(label);
        let (colour, shape) = (look % COLOURS, &SHAPES[look % SHAPES.len()]);
        let class = format!("mark {} c{colour}", if shape.is_hollow { "hollow" } else { "full" });
        html! { svg class=(class) viewBox="-1.2 -1.2 2.4 2.4" aria-hidden="true" { path d=(shape.path) {} } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The numbered colours of a style sheet, from 0 on, and its ground.
    fn colours(style: &str) -> (Vec<[f64; 3]>, [f64; 3]) {
        let named = |name: &str| {
            let line = style.lines().find_map(|line| line.trim().strip_prefix(&format!("--{name}: #")));
            let digits = line.unwrap_or_else(|| panic!("there is a colour {name}"));
            [0, 2, 4].map(|at| {
                let channel = u8::from_str_radix(&digits[at..at + 2], 16).expect("two hexadecimal digits");
                f64::from(channel) / 255.0
            })
        };
        ((0..COLOURS).map(|number| named(&format!("c{number}"))).collect(), named("ground"))
    }

    /// The relative luminance of a colour (WCAG 2.2).
    fn luminance(colour: [f64; 3]) -> f64 {
        let linear = |channel: f64| match channel {
            low if low <= 0.04045 => low / 12.92,
            high => ((high + 0.055) / 1.055).powf(2.4),
        };
        0.2126 * linear(colour[0]) + 0.7152 * linear(colour[1]) + 0.0722 * linear(colour[2])
    }

    /// How far two colours are apart in the perceptual space Oklab.
    fn distance(one: [f64; 3], other: [f64; 3]) -> f64 {
        let lab = |colour: [f64; 3]| {
            let linear = colour.map(|channel| ((channel + 0.055) / 1.055).powf(2.4));
            let mix = |r: f64, g: f64, b: f64| (r * linear[0] + g * linear[1] + b * linear[2]).cbrt();
            let (l, m, s) = (
                mix(0.412_2, 0.536_3, 0.051_4),
                mix(0.211_9, 0.680_7, 0.107_4),
                mix(0.088_3, 0.281_7, 0.629_9),
            );
            [
                0.210_5 * l + 0.793_6 * m - 0.004_1 * s,
                1.978 * l - 2.428_6 * m + 0.450_6 * s,
                0.025_9 * l + 0.782_8 * m - 0.808_7 * s,
            ]
        };
        let (one, other) = (lab(one), lab(other));
        one.iter().zip(other).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
    }

    #[test]
    fn colours_are_told_from_the_ground_and_from_each_other_by_day_and_by_night() {
        for style in [include_str!("../../page/src/light.css"), include_str!("../../page/src/dark.css")] {
            let (colours, ground) = colours(style);
            for (number, colour) in colours.iter().enumerate() {
                let (one, other) = (luminance(*colour) + 0.05, luminance(ground) + 0.05);
                let contrast = one.max(other) / one.min(other);
                assert!(contrast >= 3.0, "colour {number} has a contrast of {contrast:.2} to the ground");
                for (further, next) in colours.iter().enumerate().skip(number + 1) {
                    let apart = distance(*colour, *next);
                    assert!(apart >= 0.075, "colours {number} and {further} are only {apart:.3} apart");
                }
            }
        }
    }

    #[test]
    fn twenty_subjects_differ_in_colour_or_mark() {
        let looks: std::collections::HashSet<(usize, usize)> =
            (0..20).map(|look| (look % COLOURS, look % SHAPES.len())).collect();
        assert_eq!(looks.len(), 20);
    }
}
