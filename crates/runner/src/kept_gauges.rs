//! What was read beside a kept run: from its files of readings to what a report shows.

use std::path::Path;

use drivelab_block::Instant;
use drivelab_record::{GaugeReader, Manifest};
use drivelab_stats::{GaugeCourse, Gauged, RunSpan};

use crate::{MACHINE, POWER_FILE};

/// The files of readings in a run's folder.
const FILES: [&str; 2] = [MACHINE, POWER_FILE];

/// Everything that was read beside the run in this folder, as far as it can be read: the figures of a run do not hang on it.
/// `all_phases` is for methods whose figures are not of the last phase alone.
pub fn gauges(folder: &Path, manifest: &Manifest, all_phases: bool) -> Vec<Gauged> {
    let Some(mut span) = span_of(manifest) else { return Vec::new() };
    if all_phases {
        span.shown_from = span.began;
    }
    FILES.iter().flat_map(|file| read(&folder.join(file), span)).collect()
}

fn read(path: &Path, span: RunSpan) -> Vec<Gauged> {
    let Ok(Some(reader)) = GaugeReader::open(path) else { return Vec::new() };
    let named = |gauge: &drivelab_record::Gauge| Gauged {
        name: gauge.name.clone(),
        unit: gauge.unit.clone(),
        course: GaugeCourse::new(span),
    };
    let mut found: Vec<Gauged> = reader.gauges().iter().map(named).collect();
    for readings in reader {
        for (gauge, value) in found.iter_mut().zip(readings.values) {
            value.into_iter().for_each(|value| gauge.course.add(readings.from, readings.until, value));
        }
    }
    found
}

/// The last phase that began is the one that is shown. A killed run goes on for as long as there are readings.
fn span_of(manifest: &Manifest) -> Option<RunSpan> {
    let (first, last) = (manifest.phases.first()?, manifest.phases.last()?);
    let end = last.ended_at_ns.map_or(Instant::NEVER, Instant::from_nanos);
    Some(RunSpan {
        began: Instant::from_nanos(first.started_at_ns),
        shown_from: Instant::from_nanos(last.started_at_ns),
        shown_until: end,
        ended: end,
    })
}
