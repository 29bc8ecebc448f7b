//! How warm a simulated drive was during a run, from its own readings of every virtual second.

use std::path::Path;

use drivelab_block::{Instant, Nanos};
use drivelab_documents::{
    HeatDocument, HeatLimitDocument, HeatLimitKind, Manifest, SensorDocument, ThermalCountersDocument,
};
use drivelab_record::{GaugeWriter, Readings, RecordError};
use drivelab_sim::{HeatLog, HeatReading, SimDrive};

use super::reading::{counter_gauge, temperature_gauge};
use super::throttled::{HeatSecond, judge_seconds};
use crate::simulated_health::whole_degrees;

const SECOND: Nanos = Nanos::from_secs(1);

/// What a simulated drive read of its temperature.
#[derive(Debug)]
pub(crate) struct SimulatedHeat {
    readings: Vec<HeatReading>,
    limit: Option<u64>,
    thermal: HeatLog,
}

impl SimulatedHeat {
    /// What the drive has read since its log was begun; `None` of a drive without a temperature.
    pub fn from_drive(drive: &SimDrive) -> Option<SimulatedHeat> {
        let (readings, limit) = (drive.heat_log().to_vec(), drive.thermal_limit());
        Some(SimulatedHeat { readings, limit, thermal: drive.thermal()? })
    }

    /// As the manifest has it. The drive was new at the beginning of the run: its counters are those of the run.
    pub fn document(&self) -> HeatDocument {
        let hottest = self.readings.iter().map(|reading| reading.milli_celsius).max();
        let sensor = |milli| SensorDocument { name: String::new(), hottest_celsius: degrees(milli) };
        let limit = |milli| HeatLimitDocument {
            celsius: whole_degrees(milli),
            kind: HeatLimitKind::ThermalManagement,
        };
        let counted = |count: u64| u32::try_from(count).unwrap_or(u32::MAX);
        HeatDocument {
            sensors: hottest.map(sensor).into_iter().collect(),
            limit: self.limit.map(limit),
            counted: Some(ThermalCountersDocument {
                thermal_1_transitions: counted(self.thermal.transitions),
                thermal_1_seconds: counted(self.thermal.throttled.get() / SECOND.get()),
                ..ThermalCountersDocument::default()
            }),
            ..HeatDocument::default()
        }
    }

    /// Writes the temperature of every second into this file, and for how long it throttled.
    pub fn keep_in(&self, file: &Path) -> Result<(), RecordError> {
        let mut writer = GaugeWriter::create(file, &[temperature_gauge(""), counter_gauge()])?;
        for (from, reading) in self.seconds() {
            let values = vec![Some(degrees(reading.milli_celsius)), Some(reading.throttled_seconds as f64)];
            writer.append(&Readings { from, until: reading.at, values })?;
        }
        Ok(())
    }

    /// Notes in which phases the drive throttled.
    pub fn judge(&self, manifest: &mut Manifest) {
        let mut before = 0;
        let second = |(from, reading): (Instant, &HeatReading)| {
            let moved = reading.host_bytes - std::mem::replace(&mut before, reading.host_bytes);
            let rate = moved as f64 / 1e6 / reading.at.since(from).as_secs_f64();
            HeatSecond {
                from,
                until: reading.at,
                has_moved: moved > 0,
                rate: (moved > 0).then_some(rate),
                celsius: Some(degrees(reading.milli_celsius)),
                throttled_s: Some(reading.throttled_seconds as f64),
            }
        };
        let seconds: Vec<HeatSecond> = self.seconds().map(second).collect();
        // Its seconds are those of its counter.
        judge_seconds(&seconds, 0.0, manifest);
    }

    /// The beginning of every second, and what was read at its end.
    fn seconds(&self) -> impl Iterator<Item = (Instant, &HeatReading)> {
        self.readings
            .iter()
            .map(|reading| (Instant::ORIGIN + reading.at.since(Instant::ORIGIN + SECOND), reading))
    }
}

fn degrees(milli_celsius: u64) -> f64 {
    milli_celsius as f64 / 1e3
}
