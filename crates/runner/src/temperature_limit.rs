//! What ends a run whose drive gets too warm, and what stands against a limit.

use std::fmt;
use std::str::FromStr;

use drivelab_documents::Notice;
use drivelab_probe::{Celsius, Roots, SensorDriver, Thermometer};
use drivelab_safety::Target;
use drivelab_sim::Profile;

use crate::Failure;

/// What ends a run whose drive gets too warm.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TemperatureLimit {
    /// The temperature that the drive's sensor suggests, where it has one.
    #[default]
    Suggested,
    /// This temperature, in degrees Celsius: nothing is done where it cannot be watched.
    At(i32),
    /// No temperature.
    Off,
}

/// Why a limit is refused for what does its work on a simulated drive in cells.
pub const NOT_ENDED_BY_HEAT: &str = "the temperature of a simulated drive does not end this test";
/// How the command line calls [`TemperatureLimit::Off`].
const OFF: &str = "none";

impl fmt::Display for TemperatureLimit {
    /// As the command line takes it; nothing of what was not given.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TemperatureLimit::Suggested => Ok(()),
            TemperatureLimit::At(celsius) => write!(f, "{celsius}"),
            TemperatureLimit::Off => f.write_str(OFF),
        }
    }
}

impl FromStr for TemperatureLimit {
    type Err = String;

    fn from_str(text: &str) -> Result<TemperatureLimit, String> {
        if text == OFF {
            return Ok(TemperatureLimit::Off);
        }
        let celsius = text.parse().map(TemperatureLimit::At);
        celsius.map_err(|_| format!("write a whole number of degrees Celsius, such as 70, or {OFF}"))
    }
}

/// Over which temperature a run stops where the user gave none: makers of SATA drives seldom allow more.
const STOP: Celsius = Celsius(75);
/// How far below its critical temperature an NVMe drive is stopped, in kelvins.
const BELOW_CRITICAL: i32 = 2;

/// Over which temperature a run stops where the user gave none. An NVMe drive throttles at 75 to 85 degrees by itself, which a
/// test is to show: it is stopped where that did not help.
fn default_stop(driver: SensorDriver, critical: Option<Celsius>) -> Celsius {
    match (driver, critical) {
        (SensorDriver::Nvme, Some(critical)) => STOP.max(Celsius(critical.0 - BELOW_CRITICAL)),
        (SensorDriver::Nvme, None) | (SensorDriver::Other, _) => STOP,
    }
}

impl TemperatureLimit {
    /// Over which temperature a run ends whose drive these sensors are of; `None` where none ends it.
    pub(crate) fn stop(self, thermometer: &Thermometer) -> Option<Celsius> {
        match self {
            TemperatureLimit::Suggested => Some(default_stop(thermometer.driver, thermometer.critical)),
            TemperatureLimit::At(celsius) => Some(Celsius(celsius)),
            TemperatureLimit::Off => None,
        }
    }

    /// Says what stands against a run under this limit: a temperature that is not known, or one that is over it already.
    pub(crate) fn check(self, sensed: &Result<Thermometer, NoSensor>) -> Result<(), Failure> {
        let thermometer = match (self, sensed) {
            (TemperatureLimit::At(_), Err(none)) => return Err(none.refused(self)),
            (_, Err(_)) => return Ok(()),
            (_, Ok(thermometer)) => thermometer,
        };
        match (thermometer.main().map(drivelab_probe::MilliCelsius::rounded), self.stop(thermometer)) {
            (Some(now), Some(limit)) if now > limit => Err(too_warm(now, limit)),
            _ => Ok(()),
        }
    }

    /// The same for a simulated drive, whose temperature at rest is `now`.
    pub(crate) fn check_simulated(self, now: Option<Celsius>) -> Result<(), Failure> {
        match (self, now) {
            (TemperatureLimit::At(_), None) => Err(NoSensor::Simulated.refused(self)),
            (TemperatureLimit::At(limit), Some(now)) if now.0 > limit => Err(too_warm(now, Celsius(limit))),
            _ => Ok(()),
        }
    }

    /// What the result of a test that writes says where no temperature ends it.
    pub(crate) fn notice(self, missing: Option<&NoSensor>) -> Option<Notice> {
        let text = match (self, missing) {
            (TemperatureLimit::Off, _) => {
                format!("No temperature ended the run (--temperature-limit {OFF}).")
            }
            // Heat harms no simulated drive: a limit would only be a question to the model.
            (_, Some(NoSensor::Simulated) | None) => return None,
            (_, Some(missing)) => format!("The temperature was not watched: {missing}."),
        };
        Some(Notice::note(text))
    }
}

fn too_warm(now: Celsius, limit: Celsius) -> Failure {
    environment!(
        "the drive is at {now}, over the limit of {limit}: let it cool down, or give a higher --temperature-limit"
    )
}

/// Why the temperature of a target is not known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NoSensor {
    /// The profile of a simulated drive has no temperature.
    Simulated,
    /// A file is on a drive, and may be on several.
    File,
    /// The kernel shows no sensor of the drive with this name.
    Drive(String),
}

impl fmt::Display for NoSensor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoSensor::Simulated => f.write_str("this simulated drive has no sensor"),
            NoSensor::File => f.write_str("a file has no sensor"),
            NoSensor::Drive(name) => write!(f, "the kernel has no sensor of {name}"),
        }
    }
}

impl NoSensor {
    /// What can be done about it, as the end of a sentence that offers something else before.
    pub fn remedy(&self) -> &'static str {
        match self {
            NoSensor::Simulated => ", or give the drive a thermal_resistance and a heat_capacity",
            NoSensor::File => ", or name a drive",
            NoSensor::Drive(_) => "; the sensor of a SATA drive is there after `modprobe drivetemp`",
        }
    }

    fn refused(&self, limit: TemperatureLimit) -> Failure {
        refused(limit, &self.to_string(), self.remedy())
    }
}

fn refused(limit: TemperatureLimit, why: &str, remedy: &str) -> Failure {
    environment!(
        "--temperature-limit {limit} cannot be kept, as {why}: write --temperature-limit {OFF}{remedy}"
    )
}

/// The sensors of the whole drive with this kernel name; a file has none.
pub(crate) fn sensed(whole_name: Option<&str>) -> Result<Thermometer, NoSensor> {
    let name = whole_name.ok_or(NoSensor::File)?;
    Thermometer::find(&Roots::live(), name).ok_or_else(|| NoSensor::Drive(name.to_owned()))
}

/// The sensors of a target, which was looked up.
pub(crate) fn sensed_of(target: &Target) -> Result<Thermometer, NoSensor> {
    match target {
        Target::Drive(drive) => sensed(Some(drive.identity().whole_name())),
        Target::File(_) => sensed(None),
    }
}

/// What the result of a test that writes to a simulated drive says where no temperature ends it, and what watches none.
pub fn unwatched_simulated(limit: TemperatureLimit, profile: &Profile) -> Option<Notice> {
    let missing = (!profile.has_temperature()).then_some(NoSensor::Simulated);
    limit.notice(missing.as_ref())
}

/// Refuses a limit that was given for what is ended by no temperature; `why` says why it is not.
pub fn refuse_temperature_limit(limit: TemperatureLimit, why: &str) -> Result<(), Failure> {
    match limit {
        TemperatureLimit::At(_) => Err(refused(limit, why, "")),
        TemperatureLimit::Suggested | TemperatureLimit::Off => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn thermometer(milli: &str) -> (tempfile::TempDir, Result<Thermometer, NoSensor>) {
        let root = tempfile::tempdir().expect("a folder");
        let sensor = root.path().join("sys/class/block/nvme0n1/device/hwmon1");
        fs::create_dir_all(&sensor).expect("a sensor");
        for (name, text) in [("name", "nvme\n"), ("temp1_input", milli), ("temp1_crit", "82850\n")] {
            fs::write(sensor.join(name), text).expect("a file");
        }
        let found = Thermometer::find(&Roots::at(root.path()), "nvme0n1").expect("a sensor");
        (root, Ok(found))
    }

    #[test]
    fn a_run_stops_below_the_critical_temperature_of_an_nvme_drive() {
        let of = |driver, critical: Option<i32>| default_stop(driver, critical.map(Celsius)).0;
        assert_eq!(of(SensorDriver::Nvme, Some(90)), 88);
        assert_eq!(of(SensorDriver::Nvme, Some(70)), 75);
        assert_eq!((of(SensorDriver::Nvme, None), of(SensorDriver::Other, Some(100))), (75, 75));
    }

    #[test]
    fn a_limit_is_a_number_or_none() {
        assert_eq!("70".parse(), Ok(TemperatureLimit::At(70)));
        assert_eq!("none".parse(), Ok(TemperatureLimit::Off));
        for wrong in ["", "70 C", "off", "70.5"] {
            let error = wrong.parse::<TemperatureLimit>().expect_err(wrong);
            assert!(error.contains("or none"), "{error}");
        }
        assert_eq!(TemperatureLimit::At(-5).to_string().parse(), Ok(TemperatureLimit::At(-5)));
    }

    #[test]
    fn a_limit_that_was_given_needs_a_sensor_and_one_that_was_not_does_not() {
        let missing = Err(NoSensor::Drive("sda".to_owned()));
        let refused = TemperatureLimit::At(60).check(&missing).expect_err("no sensor");
        assert!(matches!(refused, Failure::Environment(_)));
        let text = refused.to_string();
        assert!(text.contains("no sensor of sda") && text.contains("--temperature-limit none"), "{text}");
        for limit in [TemperatureLimit::Suggested, TemperatureLimit::Off] {
            limit.check(&missing).expect("no limit was given");
            assert!(limit.notice(missing.as_ref().err()).is_some());
        }
        assert_eq!(TemperatureLimit::Suggested.notice(None), None);
        TemperatureLimit::At(60).check_simulated(None).expect_err("no temperature");
        TemperatureLimit::At(60).check_simulated(Some(Celsius(40))).expect("it is cooler");
    }

    #[test]
    fn a_drive_that_is_too_warm_already_is_told_with_both_temperatures() {
        let (_machine, sensed) = thermometer("50850\n");
        let text = TemperatureLimit::At(40).check(&sensed).expect_err("warmer").to_string();
        assert!(text.contains("at 51 °C") && text.contains("limit of 40 °C"), "{text}");
        TemperatureLimit::At(51).check(&sensed).expect("it is not over it");
        TemperatureLimit::Suggested.check(&sensed).expect("it is cool");
        let (_machine, sensed) = thermometer("82850\n");
        let text = TemperatureLimit::Suggested.check(&sensed).expect_err("warmer").to_string();
        assert!(text.contains("at 83 °C") && text.contains("limit of 81 °C"), "{text}");
        TemperatureLimit::Off.check(&sensed).expect("no limit");
        TemperatureLimit::At(40).check_simulated(Some(Celsius(45))).expect_err("warmer");
    }
}
