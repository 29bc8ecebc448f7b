//! A meter that is open.

use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::battery::Battery;
use crate::hwmon::Hwmon;
use crate::rapl::Rapl;
use crate::scpi::Scpi;
use crate::{MeterError, MeterSpec};

/// The most that is believed of any meter, in watts: a whole rack.
const MOST_WATTS: f64 = 100_000.0;

/// What a meter said.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Reading {
    /// The power at this moment, in watts, measured because it was asked for. A little below zero where a meter's noise is.
    Watts(f64),
    /// The same as a gauge shows it, which measures in its own time.
    Gauge(f64),
    /// The energy since the meter was opened, in joules.
    Joules(f64),
}

/// A meter that answered when it was opened.
#[derive(Debug)]
pub struct Meter {
    source: MeterSource,
}

#[derive(Debug)]
enum MeterSource {
    Battery(Battery),
    Rapl(Rapl),
    Hwmon(Hwmon),
    Scpi(Box<Scpi>),
}

impl Meter {
    /// Opens a meter of the machine whose `/sys` lies below `root`, and reads it once. An instrument has `patience` for
    /// each answer. `volts` is what an ammeter needs.
    ///
    /// # Errors
    /// Where it is not there, or gives no figure: a line that says what to do.
    pub fn open(
        spec: &MeterSpec,
        root: &Path,
        volts: Option<f64>,
        patience: Duration,
    ) -> Result<Meter, String> {
        let refused = |why: &dyn Display| format!("--meter {spec}: {why}");
        if volts.is_some() && !spec.may_be_ammeter() {
            return Err(refused(&"--volts goes with an ammeter (hwmon: or scpi:), this meter tells power"));
        }
        let source = match spec {
            MeterSpec::Battery => {
                let found = Battery::find(root);
                MeterSource::Battery(
                    found.ok_or_else(|| refused(&"this machine has no battery that tells its power"))?,
                )
            }
            MeterSpec::Rapl => {
                let not_allowed = |(path, error): (PathBuf, std::io::Error)| {
                    refused(&format_args!("{} cannot be read ({error}): root may read it", path.display()))
                };
                let found = Rapl::find(root).map_err(not_allowed)?;
                let none = "this machine shows no processor package's energy (/sys/class/powercap)";
                MeterSource::Rapl(found.ok_or_else(|| refused(&none))?)
            }
            MeterSpec::Hwmon(name) => {
                MeterSource::Hwmon(Hwmon::find(root, name, volts).map_err(|why| refused(&why))?)
            }
            MeterSpec::Scpi(place) => {
                let opened = Scpi::open(place.clone(), volts, patience);
                MeterSource::Scpi(Box::new(opened.map_err(|why| refused(&why))?))
            }
            MeterSpec::Csv(_) => return Err(refused(&"a file is read after the run")),
            MeterSpec::Sim => {
                return Err(refused(&"only a simulated drive has this meter: use a sim: target"));
            }
        };
        let mut meter = Meter { source };
        match (meter.read(Duration::MAX), volts) {
            (Ok(_), _) => Ok(meter),
            (Err(why @ MeterError::Silent), None) if matches!(spec, MeterSpec::Scpi(_)) => Err(refused(
                &format_args!("{why} to MEAS:POW?; an ammeter needs --volts, to be asked for MEAS:CURR?"),
            )),
            (Err(why), _) => Err(refused(&why)),
        }
    }

    /// The meter that this machine has, for one who named none: the batteries while they discharge, else the processor
    /// packages. An instrument has to be named.
    pub fn of_machine(root: &Path) -> Option<MeterSpec> {
        let battery = Battery::find(root).filter(|battery| battery.watts().is_ok());
        let battery = battery.map(|_| MeterSpec::Battery);
        battery.or_else(|| Rapl::find(root).ok().flatten().map(|_| MeterSpec::Rapl))
    }

    /// What the meter says now; its last figure is at most `since` ago, by which a counter that was set back is known.
    ///
    /// # Errors
    /// Why it says nothing that can be believed. The next reading may be well again.
    pub fn read(&mut self, since: Duration) -> Result<Reading, MeterError> {
        match &mut self.source {
            MeterSource::Rapl(rapl) => rapl.joules(since).map(Reading::Joules),
            MeterSource::Battery(battery) => possible(battery.watts()?).map(Reading::Gauge),
            MeterSource::Hwmon(sensor) => possible(sensor.watts()?).map(Reading::Gauge),
            MeterSource::Scpi(instrument) => possible(instrument.watts()?).map(Reading::Watts),
        }
    }

    /// What an instrument calls itself (`*IDN?`).
    pub fn identity(&self) -> Option<&str> {
        match &self.source {
            MeterSource::Scpi(instrument) => Some(&instrument.identity),
            _ => None,
        }
    }
}

fn possible(watts: f64) -> Result<f64, MeterError> {
    if watts.abs() > MOST_WATTS { Err(MeterError::Impossible(format!("{watts} W"))) } else { Ok(watts) }
}
