//! Asks smartctl: for the health of a drive, its temperature where the kernel has no sensor of it, and its claims of TRIM.

use std::path::Path;
use std::time::Duration;

use drivelab_program as program;
use serde_json::Value;

use crate::health_json::parse_temperature;
use crate::{Celsius, Health, NotAvailable, Roots, Thermometer, parse_health};

/// Asks smartctl for the health of the drive at `path`, which may be silent for as long as `patience`.
pub fn health(path: &Path, patience: Duration) -> Health {
    match asked(path, &["--all", "--log=devstat"], patience) {
        Ok(answer) => parse_health(&answer),
        Err(why) => Health::NotAvailable(why),
    }
}

/// What smartctl answers for the drive at `path`, in JSON.
fn asked(path: &Path, words: &[&str], patience: Duration) -> Result<Vec<u8>, NotAvailable> {
    let program = program::find("smartctl").ok_or(NotAvailable::NoSmartctl)?;
    let path =
        path.to_str().ok_or_else(|| NotAvailable::NotRun("the drive's path is not UTF-8".to_owned()))?;
    answer(&program, &[&["--json=c"], words, &["--", path]].concat(), patience)
}

/// What `program` answers, which may be silent for as long as `patience`. Its exit status tells of the drive as
/// much as of the program, and its answer tells the same in words, so the status is not looked at.
fn answer(program: &Path, arguments: &[&str], patience: Duration) -> Result<Vec<u8>, NotAvailable> {
    let said = program::answer(program, arguments, None, patience).map_err(|why| match why {
        program::NoAnswer::NotRun(error) => NotAvailable::NotRun(format!("{}: {error}", program.display())),
        program::NoAnswer::Silent => NotAvailable::NotAnswering,
        program::NoAnswer::Endless => NotAvailable::NotUnderstood("it answered without end".to_owned()),
    })?;
    Ok(said.output)
}

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
    let node = roots.path("dev").join(kernel_name);
    // A drive that sleeps is not woken for its temperature: it is cold enough.
    let answer = asked(&node, &["--nocheck=standby", "--attributes"], patience)?;
    let told = parse_temperature(&answer).map(Celsius);
    told.ok_or_else(|| NotAvailable::NoSmart("it tells no temperature".to_owned()))
}

/// What is claimed; none where nobody says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TrimClaims {
    /// The most bytes that the kernel gives up in one request (`discard_max_bytes`); 0 where it passes none on.
    pub request_max_bytes: Option<u64>,
    /// Whether a trimmed block returns the same at every read (ATA: DRAT, deterministic read after TRIM).
    pub deterministic: Option<bool>,
    /// Whether it returns zeros (ATA: RZAT, read zeros after TRIM).
    pub zeros: Option<bool>,
}

/// Asks the kernel about the drive of this kernel name, and smartctl about the one at `node`, which may be silent for as
/// long as `patience`.
pub fn trim_claims(roots: &Roots, drive: &str, node: &Path, patience: Duration) -> TrimClaims {
    let most = roots.text(format!("sys/block/{drive}/queue/discard_max_bytes"));
    let said = asked(node, &["--info"], patience);
    let (deterministic, zeros) = said.map_or((None, None), |said| ata_claims(&said));
    TrimClaims { request_max_bytes: most.and_then(|text| text.parse().ok()), deterministic, zeros }
}

/// smartctl's `trim` object, which only ATA drives have.
fn ata_claims(said: &[u8]) -> (Option<bool>, Option<bool>) {
    let document: Value = serde_json::from_slice(said).unwrap_or_default();
    let claim = |name: &str| document["trim"][name].as_bool();
    (claim("deterministic"), claim("zeroed"))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn what_smartctl_says_is_taken_whatever_its_exit_status() {
        let said = answer(Path::new("/bin/sh"), &["-c", "echo '{}'; exit 4"], Duration::from_secs(30));
        assert_eq!(said.as_deref(), Ok(&b"{}\n"[..]));
    }

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

    #[test]
    fn claims_are_read_where_there_are_any() {
        let said = br#"{"trim": {"supported": true, "deterministic": true, "zeroed": false}}"#;
        assert_eq!(ata_claims(said), (Some(true), Some(false)));
        assert_eq!(ata_claims(b"{}"), (None, None));
        assert_eq!(ata_claims(b"not JSON"), (None, None));
        let folder = tempfile::tempdir().expect("a folder");
        let queue = folder.path().join("sys/block/sdx/queue");
        fs::create_dir_all(&queue).expect("folders");
        fs::write(queue.join("discard_max_bytes"), "0\n").expect("a file");
        let nowhere = Path::new("/nonexistent");
        let found = trim_claims(&Roots::at(folder.path()), "sdx", nowhere, Duration::from_secs(30));
        assert_eq!(found, TrimClaims { request_max_bytes: Some(0), ..TrimClaims::default() });
    }
}
