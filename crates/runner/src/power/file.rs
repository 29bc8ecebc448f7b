//! The power over time in a run's folder, written as it is read: a killed run has it up to its end.

use std::path::Path;

use drivelab_block::Instant;
use drivelab_record::{Gauge, GaugeWriter, Readings, RecordError};
use drivelab_stats::{PowerInterval, PowerKind, PowerPoint};

use super::POWER_FILE;

/// Readings further apart have a gap between them.
const LONGEST_S: f64 = 1.0;

/// The readings of a meter among what is read beside a run.
#[derive(Debug)]
pub struct PowerFile {
    writer: GaugeWriter,
    /// The zero of the run's clock on that of the readings, in seconds.
    zero_s: f64,
    last: Option<PowerPoint>,
}

impl PowerFile {
    pub fn create(folder: &Path, zero_s: f64) -> Result<PowerFile, RecordError> {
        let gauge = Gauge { name: "power drawn".to_owned(), unit: "W".to_owned() };
        let writer = GaugeWriter::create(&folder.join(POWER_FILE), &[gauge])?;
        Ok(PowerFile { writer, zero_s, last: None })
    }

    /// Adds the mean power since the reading before.
    pub fn read(&mut self, kind: PowerKind, point: PowerPoint) -> Result<(), RecordError> {
        let last = self.last.replace(point).filter(|last| point.at_s - last.at_s <= LONGEST_S);
        let Some(last) = last.filter(|last| last.at_s < point.at_s) else { return Ok(()) };
        let mean_watts = match kind {
            PowerKind::Watts | PowerKind::Gauge => f64::midpoint(last.value, point.value),
            PowerKind::Joules => (point.value - last.value) / (point.at_s - last.at_s),
        };
        self.add(PowerInterval { from_s: last.at_s, to_s: point.at_s, mean_watts })
    }

    /// Adds the mean power of an interval; what lies before the run's zero has no place in it.
    pub fn add(&mut self, interval: PowerInterval) -> Result<(), RecordError> {
        let [from_s, to_s] = [interval.from_s, interval.to_s].map(|at_s| at_s - self.zero_s);
        if from_s < 0.0 {
            return Ok(());
        }
        let [from, until] = [from_s, to_s].map(|at_s| {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "not before zero")]
            let nanos = (at_s * 1e9).round() as u64;
            Instant::from_nanos(nanos)
        });
        self.writer.append(&Readings { from, until, values: vec![Some(interval.mean_watts)] })
    }
}
