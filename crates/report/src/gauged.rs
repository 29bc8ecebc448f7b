//! What was read beside a run: grouped into panels, each with lines of one unit.

use drivelab_analysis::Gauged;
use serde::{Deserialize, Serialize};

use crate::format::rate;

/// Gauges of one subject and one unit.
pub(crate) struct Panel<'a> {
    pub subject: &'a str,
    pub unit: &'a str,
    pub gauges: Vec<&'a Gauged>,
}

/// The panels of a run, in the order of its gauges.
pub(crate) fn panels(gauges: &[Gauged]) -> Vec<Panel<'_>> {
    let mut found: Vec<Panel<'_>> = Vec::new();
    for gauge in gauges.iter().filter(|gauge| gauge.is_known()) {
        let (subject, unit) = (gauge.subject(), gauge.unit.as_str());
        match found.iter_mut().find(|panel| (panel.subject, panel.unit) == (subject, unit)) {
            Some(panel) => panel.gauges.push(gauge),
            None => found.push(Panel { subject, unit, gauges: vec![gauge] }),
        }
    }
    found
}

/// A reading with its unit.
pub(crate) fn reading(value: Option<f64>, unit: &str) -> String {
    value.map_or_else(|| "-".to_owned(), |value| format!("{} {unit}", rate(value)))
}

/// What a gauge showed, as other programs read it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GaugeDocument {
    /// Its name.
    pub name: String,
    /// Its unit.
    pub unit: String,
    /// Its mean in the seconds before the run's first phase; `None` where it was not read then.
    pub before: Option<f64>,
    /// Its mean over the measured phase.
    pub during: Option<f64>,
    /// Its mean in the seconds after the run's last phase.
    pub after: Option<f64>,
}

impl GaugeDocument {
    /// The document of each gauge that showed anything.
    pub(crate) fn all(gauges: &[Gauged]) -> Vec<GaugeDocument> {
        let known = gauges.iter().filter(|gauge| gauge.is_known());
        known
            .map(|gauge| GaugeDocument {
                name: gauge.name.clone(),
                unit: gauge.unit.clone(),
                before: gauge.course.before(),
                during: gauge.course.during(),
                after: gauge.course.after(),
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use drivelab_analysis::{GaugeCourse, RunSpan};
    use drivelab_block::Instant;

    use super::*;

    #[test]
    fn gauges_of_one_subject_and_unit_share_a_panel_and_silent_ones_have_none() {
        let at = |seconds: u64| Instant::from_nanos(seconds * 1_000_000_000);
        let span = RunSpan { began: at(0), shown_from: at(0), shown_until: at(2), ended: at(2) };
        let gauge = |name: &str, unit: &str, value: Option<f64>| {
            let mut course = GaugeCourse::new(span);
            value.into_iter().for_each(|value| course.add(at(0), at(1), value));
            Gauged { name: name.to_owned(), unit: unit.to_owned(), course }
        };
        let gauges = [
            gauge("processors user", "%", Some(1.0)),
            gauge("device read", "MB/s", Some(2.0)),
            gauge("processors I/O wait", "%", Some(3.0)),
            gauge("device busy", "%", Some(4.0)),
            gauge("pressure I/O some", "%", None),
        ];
        let panels = panels(&gauges);
        let heads: Vec<_> =
            panels.iter().map(|panel| (panel.subject, panel.unit, panel.gauges.len())).collect();
        assert_eq!(heads, [("processors", "%", 2), ("device", "MB/s", 1), ("device", "%", 1)]);
        assert_eq!(panels[0].gauges[1].part(), "I/O wait");
        assert_eq!(GaugeDocument::all(&gauges).len(), 4);
    }
}
