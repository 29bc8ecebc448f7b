//! The frames of a picture: one for all subjects, or one for each.

use crate::Subject;
use crate::chart::{Chart, Colours, Heat};

/// So many subjects share a frame.
const SHARING_MAX: usize = 3;

/// A frame and what lies in it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Panel<'a> {
    /// Whose values it shows; none for those of all subjects.
    pub subject: Option<usize>,
    pub heat: Option<&'a Heat>,
}

/// The frames of a picture in their order.
#[derive(Clone, Debug)]
pub(super) struct Panels<'a> {
    pub all: Vec<Panel<'a>>,
    /// The subjects that the chart shows, in ascending order, with their labels.
    pub labels: Vec<(usize, &'a str)>,
}

impl<'a> Panels<'a> {
    pub fn lay_out(chart: &'a Chart, subjects: &'a [Subject]) -> Panels<'a> {
        let of_series = chart.series.iter().map(|series| series.subject);
        let mut present: Vec<usize> = of_series.chain(chart.heats.iter().map(|heat| heat.subject)).collect();
        present.sort_unstable();
        present.dedup();
        let label = |subject: &usize| (*subject, subjects.get(*subject).map_or("", |one| one.label.as_str()));
        let labels: Vec<(usize, &str)> = present.iter().map(label).collect();
        let is_shared = chart.colours == Colours::OfSubjects && present.len() <= SHARING_MAX;
        let mut all = Vec::new();
        if present.is_empty() || is_shared && chart.heats.is_empty() {
            all.push(Panel { subject: None, heat: None });
        } else {
            present.iter().for_each(|subject| all.extend(panels_of(chart, *subject)));
        }
        Panels { all, labels }
    }

    /// The label of a subject; empty where it has none.
    pub fn label(&self, subject: usize) -> &'a str {
        self.labels.iter().find(|(one, _)| *one == subject).map_or("", |(_, label)| label)
    }

    /// Whether each subject has frames of its own.
    pub fn has_frame_per_subject(&self) -> bool {
        self.all.iter().all(|panel| panel.subject.is_some())
    }

    /// The title of a frame; empty where there is only one.
    pub fn title(&self, panel: &Panel) -> String {
        let name = panel.heat.map_or("", |heat| heat.name.as_str());
        let label = panel.subject.map_or("", |subject| self.label(subject));
        match self.all.len() {
            0 | 1 => String::new(),
            _ if self.labels.len() < 2 && !name.is_empty() || label.is_empty() => name.to_owned(),
            _ if name.is_empty() || name == label => label.to_owned(),
            _ => format!("{label}: {name}"),
        }
    }
}

/// The frames of a subject: one for each of its heat maps, or one if it has none.
fn panels_of(chart: &Chart, subject: usize) -> Vec<Panel<'_>> {
    let heats = chart.heats.iter().filter(|heat| heat.subject == subject);
    let panels: Vec<Panel> = heats.map(|heat| Panel { subject: Some(subject), heat: Some(heat) }).collect();
    if panels.is_empty() { vec![Panel { subject: Some(subject), heat: None }] } else { panels }
}
