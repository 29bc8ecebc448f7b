//! Watches a real drive while it works: its temperature.

use std::time::{Duration, Instant};

use drivelab_method::Interrupt;
use drivelab_probe::{Celsius, Roots, Temperature, TemperatureSource, temperature};

/// How often the temperature is read.
const EVERY: Duration = Duration::from_secs(5);

/// Reads a drive's temperature now and then, and ends the run where it is over the limit.
///
/// Only the kernel's sensor is read: smartctl would put commands of its own between the I/Os.
#[derive(Debug)]
pub struct Watch {
    drive: Option<String>,
    limit: Celsius,
    read_at: Option<Instant>,
    stopped_at: Option<Celsius>,
    hottest: Option<Celsius>,
}

impl Watch {
    /// Watches the drive with this kernel name; nothing where there is none.
    pub fn new(drive: Option<String>, limit: i32) -> Watch {
        let has_sensor = |name: &String| {
            let found = temperature(&Roots::live(), name, Duration::ZERO);
            matches!(found, Temperature::Known(_, TemperatureSource::Sensor))
        };
        Watch {
            drive: drive.filter(has_sensor),
            limit: Celsius(limit),
            read_at: None,
            stopped_at: None,
            hottest: None,
        }
    }

    /// Reads the temperature where it is time to.
    #[expect(clippy::disallowed_methods, reason = "the drive warms up in wall time")]
    pub fn look(&mut self, interrupt: &Interrupt) {
        let Some(drive) = &self.drive else { return };
        if self.read_at.is_some_and(|at| at.elapsed() < EVERY) {
            return;
        }
        self.read_at = Some(Instant::now());
        let Temperature::Known(degrees, TemperatureSource::Sensor) =
            temperature(&Roots::live(), drive, Duration::ZERO)
        else {
            return;
        };
        self.hottest = self.hottest.max(Some(degrees));
        if degrees > self.limit && self.stopped_at.is_none() {
            self.stopped_at = Some(degrees);
            interrupt.raise();
        }
    }

    /// The temperature that ended the run.
    pub fn stopped_at(&self) -> Option<i32> {
        self.stopped_at.map(|degrees| degrees.0)
    }

    /// The highest temperature seen.
    pub fn hottest(&self) -> Option<i32> {
        self.hottest.map(|degrees| degrees.0)
    }
}
