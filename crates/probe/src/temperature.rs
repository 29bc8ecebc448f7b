//! How warm a drive is, as cheaply as the machine can tell.

use std::time::Duration;

use crate::health_json::parse_temperature;
use crate::{Celsius, NotAvailable, Roots, Thermometer, smartctl};

/// Who told a temperature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TemperatureSource {
    /// The kernel's sensor of the drive (`drivetemp`, `nvme`): a read of one small file.
    Sensor,
    /// smartctl: a program to start and a command to the drive, which may delay its I/O.
    Smartctl,
}

/// A drive's temperature, or why it is not known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Temperature {
    /// So warm, by this source.
    Known(Celsius, TemperatureSource),
    /// Not known.
    NotAvailable(NotAvailable),
}

/// The temperature of the drive with this kernel name: of the kernel's sensor where there is one, else of
/// smartctl, which may be silent for as long as `patience`.
pub fn temperature(roots: &Roots, kernel_name: &str, patience: Duration) -> Temperature {
    if let Some(found) = Thermometer::find(roots, kernel_name).and_then(|sensors| sensors.main()) {
        return Temperature::Known(found.rounded(), TemperatureSource::Sensor);
    }
    match of_smartctl(roots, kernel_name, patience) {
        Ok(degrees) => Temperature::Known(degrees, TemperatureSource::Smartctl),
        Err(why) => Temperature::NotAvailable(why),
    }
}

fn of_smartctl(roots: &Roots, kernel_name: &str, patience: Duration) -> Result<Celsius, NotAvailable> {
    let program = smartctl::find().ok_or(NotAvailable::NoSmartctl)?;
    let node = roots.path("dev").join(kernel_name);
    let node =
        node.to_str().ok_or_else(|| NotAvailable::NotRun("the drive's path is not UTF-8".to_owned()))?;
    // A drive that sleeps is not woken for its temperature: it is cold enough.
    let arguments = ["--json=c", "--nocheck=standby", "--attributes", "--", node];
    let answer = smartctl::answer(&program, &arguments, patience)?;
    let told = parse_temperature(&answer).map(Celsius);
    told.ok_or_else(|| NotAvailable::NoSmart("it tells no temperature".to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn machine_with_sensor(folder: &str) -> tempfile::TempDir {
        let root = tempfile::tempdir().expect("a folder");
        let sensor = root.path().join("sys/class/block/sda").join(folder);
        fs::create_dir_all(&sensor).expect("a sensor");
        fs::write(sensor.join("temp1_input"), "37850\n").expect("a temperature");
        root
    }

    #[test]
    fn the_sensor_is_found_wherever_the_driver_puts_it() {
        for folder in ["device/hwmon/hwmon3", "device/hwmon1", "device/device/hwmon/hwmon12"] {
            let root = machine_with_sensor(folder);
            let seen = temperature(&Roots::at(root.path()), "sda", Duration::from_secs(1));
            assert_eq!(seen, Temperature::Known(Celsius(38), TemperatureSource::Sensor), "{folder}");
        }
    }

    #[test]
    fn no_sensor_and_no_drive_is_an_answer() {
        let root = tempfile::tempdir().expect("a folder");
        let seen = temperature(&Roots::at(root.path()), "sda", Duration::from_secs(30));
        assert!(matches!(seen, Temperature::NotAvailable(_)));
    }
}
