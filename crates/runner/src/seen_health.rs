//! What was seen of a drive's health during a stream, real or simulated.

use drivelab_block::Instant;
use drivelab_kinds::WatchedDrive;
use drivelab_kinds::watched::{HealthFindings, HealthOutcome, HealthReading, HealthSource, MovedCounters};
use drivelab_probe::{Health, HealthReport, HealthVerdict, judge};
use drivelab_sim::HealthReadings;

use crate::simulated_health::{health_report, whole_degrees};

/// What was seen of a drive's health, on the clock of the run.
#[derive(Default)]
pub struct SeenHealth {
    /// The last report, and what the first one came to; none of a drive that gave none before the stream began.
    last: Option<(Box<HealthReport>, HealthVerdict)>,
    readings: Vec<(Instant, HealthReading)>,
    temperatures: Vec<(Instant, i32)>,
    worsened: Vec<String>,
}

impl SeenHealth {
    /// Begins with what was read before the stream.
    pub fn after(first: Box<HealthReport>) -> SeenHealth {
        let verdict = verdict(&first);
        SeenHealth { last: Some((first, verdict)), ..SeenHealth::default() }
    }

    /// What a simulated drive has read, its first log from before the stream; `None` of one that keeps no health counters.
    pub fn of_simulated(readings: &HealthReadings) -> Option<SeenHealth> {
        let mut reports = readings.logs.iter().map(|(at, log)| (*at, Box::new(health_report(log))));
        let mut seen = SeenHealth::after(reports.next()?.1);
        reports.for_each(|(at, report)| seen.note(at, Health::Known(report)));
        let temperatures = readings.milli_celsius.iter();
        seen.temperatures.extend(temperatures.map(|(at, milli)| (*at, whole_degrees(*milli))));
        seen.temperatures.sort_unstable();
        Some(seen)
    }

    /// Whether the drive gave a report before the stream began; another one is not asked again.
    pub fn is_asked(&self) -> bool {
        self.last.is_some()
    }

    pub fn note_temperature(&mut self, now: Instant, degrees: i32) {
        self.temperatures.push((now, degrees));
    }

    /// Takes a reading: what moved since the one before, or why the health could not be read.
    pub fn note(&mut self, now: Instant, found: Health) {
        let Some((before, first)) = &mut self.last else { return };
        let mut note = |outcome| self.readings.push((now, HealthReading { at_s: 0.0, outcome }));
        let after = match found {
            Health::Known(after) => after,
            Health::NotAvailable(why) => return note(HealthOutcome::Unreadable { why: why.to_string() }),
        };
        let moved = before.changes(&after).into_iter();
        let changed: MovedCounters =
            moved.map(|change| (change.name, (change.before, change.after))).collect();
        note(HealthOutcome::Read { changed });
        if let Some(degrees) = after.temperature_celsius {
            self.temperatures.push((now, degrees));
        }
        self.worsened = verdict(&after).news(first).iter().map(ToString::to_string).collect();
        *before = after;
    }

    /// What was seen of a stream that started then.
    pub fn watched(self, started_at: Instant) -> WatchedDrive {
        let at_s = |at: Instant| {
            let since = i128::from(at.as_nanos()) - i128::from(started_at.as_nanos());
            since as f64 / 1e9
        };
        let readings = self.readings.into_iter();
        let temperatures = self.temperatures.into_iter();
        let health = HealthFindings {
            source: HealthSource::Asked,
            readings: readings.map(|(at, reading)| HealthReading { at_s: at_s(at), ..reading }).collect(),
            temperature_celsius: temperatures.map(|(at, degrees)| (at_s(at), degrees)).collect(),
        };
        WatchedDrive { health, worsened: self.worsened }
    }
}

fn verdict(report: &HealthReport) -> HealthVerdict {
    judge(&Health::Known(Box::new(report.clone())))
}
