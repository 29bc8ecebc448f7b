//! Sensors of the kernel's hardware monitoring: `/sys/class/hwmon` (Documentation/hwmon/sysfs-interface.rst).

use std::path::{Path, PathBuf};

use crate::{MeterError, sysfs};

/// A sensor that tells power, or a current beside a voltage that is known.
#[derive(Debug)]
pub(crate) struct Hwmon {
    file: PathBuf,
    /// Watts for each of its units: microwatts, or milliamperes at a voltage.
    scale: f64,
}

impl Hwmon {
    /// The sensor with this name; the error says what is there instead, and what to do.
    pub(crate) fn find(root: &Path, name: &str, volts: Option<f64>) -> Result<Hwmon, String> {
        let class = root.join("sys/class/hwmon");
        let all: Vec<(String, String)> = sysfs::names(&class)
            .into_iter()
            .map(|folder| (sysfs::text(&class.join(&folder).join("name")).unwrap_or_default(), folder))
            .collect();
        let fits: Vec<&String> = all
            .iter()
            .filter(|(called, folder)| called == name || folder == name)
            .map(|(_, at)| at)
            .collect();
        match fits[..] {
            [folder] => Hwmon::open(&class.join(folder), name, volts),
            [] => {
                let known: Vec<String> =
                    all.iter().map(|(called, folder)| format!("{called} ({folder})")).collect();
                let known = if known.is_empty() { "there is none".to_owned() } else { known.join(", ") };
                Err(format!("no sensor of hwmon is called {name:?}: {known}"))
            }
            _ => Err(format!(
                "several sensors are called {name:?}: name one by its folder, such as hwmon:{}",
                fits[0]
            )),
        }
    }

    fn open(folder: &Path, name: &str, volts: Option<f64>) -> Result<Hwmon, String> {
        match (sysfs::first(folder, &["power1_input", "power1_average"]), volts) {
            (Some(_), Some(_)) => Err(format!("{name} tells power by itself: leave out --volts")),
            (Some(file), None) => Ok(Hwmon { file, scale: 1e-6 }),
            (None, _) => match (sysfs::first(folder, &["curr1_input"]), volts) {
                (Some(file), Some(volts)) => Ok(Hwmon { file, scale: volts / 1e3 }),
                (Some(_), None) => Err(format!("{name} tells a current: say at what voltage with --volts")),
                (None, _) => {
                    Err(format!("{name} tells neither power (power1_input) nor a current (curr1_input)"))
                }
            },
        }
    }

    pub(crate) fn watts(&self) -> Result<f64, MeterError> {
        Ok(sysfs::figure(&self.file)? as f64 * self.scale)
    }
}
