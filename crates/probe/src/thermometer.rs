//! The kernel's temperature sensors of a drive: hardware monitoring by the drivers `nvme` and `drivetemp`.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::Roots;
use crate::pcie::controller_folders;

/// The sensors of a drive. Each controller of an NVMe drive shows the same ones: where the first is gone, the next is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Thermometer {
    roots: Roots,
    /// The driver behind the sensors.
    pub driver: SensorDriver,
    /// The sensors; the first one is the temperature of the whole drive.
    pub sensors: Vec<Sensor>,
    /// The folders that have them, by controller.
    folders: Vec<PathBuf>,
    /// From which temperature on the drive is too warm (`temp1_max`): its own limit, or what the host has set.
    pub warning: Option<Celsius>,
    /// From which temperature on the drive may stop working (`temp1_crit`).
    pub critical: Option<Celsius>,
}

/// The driver behind the sensors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SensorDriver {
    /// `nvme`: reads the health log by a command of the admin queue, at most once a second. I/O goes on meanwhile.
    Nvme,
    /// `drivetemp` or another: asks the drive at every read with a command that may wait for all I/O, and I/O for it.
    Other,
}

/// A sensor of a drive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sensor {
    /// What the kernel calls it: `Composite`, `Sensor 1`; empty where it has no name.
    pub label: String,
    /// The name of its file.
    file: String,
}

/// A temperature in whole degrees Celsius.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Celsius(pub i32);

impl fmt::Display for Celsius {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} °C", self.0)
    }
}

/// A temperature in thousandths of a degree Celsius, as the kernel shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct MilliCelsius(pub i32);

impl MilliCelsius {
    /// In degrees Celsius.
    pub fn degrees(self) -> f64 {
        f64::from(self.0) / 1e3
    }

    /// To the nearest degree.
    pub fn rounded(self) -> Celsius {
        Celsius(self.0.saturating_add(500).div_euclid(1000))
    }
}

/// Sensors of a drive at most: an NVMe drive has the composite temperature and eight more.
const SENSORS_MAX: u8 = 9;

impl Thermometer {
    /// The sensors of the drive with this kernel name; `None` where the kernel has none for it. Nothing is asked of the drive
    /// but one reading of the first sensor.
    pub fn find(roots: &Roots, kernel_name: &str) -> Option<Thermometer> {
        let mut with_sensors: Vec<PathBuf> = Vec::new();
        for folder in folders(roots, kernel_name) {
            let sensors = sensors_in(roots, &folder);
            // Links may lead to one folder from several.
            let place = |folder: &PathBuf| roots.path(folder).canonicalize().ok();
            let is_known = |new: &PathBuf| with_sensors.iter().any(|known| place(known) == place(new));
            with_sensors.extend(sensors.filter(|new| !is_known(new)));
        }
        let folder = with_sensors.iter().find(|folder| main_in(roots, folder).is_some())?.clone();
        let sensor = |number: u8| {
            let file = format!("temp{number}_input");
            roots.path(folder.join(&file)).exists().then(|| {
                let label = roots.text(folder.join(format!("temp{number}_label"))).unwrap_or_default();
                Sensor { label, file }
            })
        };
        let sensors: Vec<_> = (1..=SENSORS_MAX).filter_map(sensor).collect();
        let is_nvme = roots.text(folder.join("name")).as_deref() == Some("nvme");
        Some(Thermometer {
            roots: roots.clone(),
            driver: if is_nvme { SensorDriver::Nvme } else { SensorDriver::Other },
            sensors,
            folders: with_sensors,
            warning: value(roots, &folder.join("temp1_max")).map(MilliCelsius::rounded),
            critical: value(roots, &folder.join("temp1_crit")).map(MilliCelsius::rounded),
        })
    }

    /// What each sensor shows; `None` where one cannot be read.
    pub fn read(&self) -> Vec<Option<MilliCelsius>> {
        let Some(folder) = self.folder() else { return vec![None; self.sensors.len()] };
        self.sensors.iter().map(|sensor| value(&self.roots, &folder.join(&sensor.file))).collect()
    }

    /// The first folder whose sensors can be read.
    fn folder(&self) -> Option<&PathBuf> {
        self.folders.iter().find(|folder| main_in(&self.roots, folder).is_some())
    }

    /// What the first sensor shows.
    pub fn main(&self) -> Option<MilliCelsius> {
        self.folders.iter().find_map(|folder| main_in(&self.roots, folder))
    }
}

fn value(roots: &Roots, path: &Path) -> Option<MilliCelsius> {
    Some(MilliCelsius(roots.text(path)?.parse().ok()?))
}

/// What the sensor of the whole drive shows in a folder of sensors.
fn main_in(roots: &Roots, folder: &Path) -> Option<MilliCelsius> {
    value(roots, &folder.join("temp1_input"))
}

/// Where the sensors of a drive may be. SATA drives keep theirs in a folder of its own, NVMe drives with the controller's
/// files; the namespace's own `device` may be the controller or, with native multipath, the subsystem of several.
fn folders(roots: &Roots, kernel_name: &str) -> Vec<PathBuf> {
    let device = roots.drive_folder(kernel_name).join("device");
    let of_device = [device.join("hwmon"), device.clone(), device.join("device/hwmon")];
    let of_controllers = controller_folders(roots, kernel_name);
    let in_folders = |folder: PathBuf| [folder.join("hwmon"), folder];
    of_device.into_iter().chain(of_controllers.into_iter().flat_map(in_folders)).collect()
}

/// The first folder of sensors in a folder that has a temperature.
fn sensors_in(roots: &Roots, folder: &Path) -> Option<PathBuf> {
    let is_sensor =
        |name: &&String| name.strip_prefix("hwmon").is_some_and(|rest| rest.parse::<u32>().is_ok());
    let names = roots.names(folder);
    let found = names.iter().filter(is_sensor).map(|name| folder.join(name));
    found.into_iter().find(|sensors| roots.path(sensors.join("temp1_input")).exists())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::controllers::fixture;
    use std::fs;

    fn put(root: &Path, folder: &str, files: &[(&str, &str)]) {
        let folder = root.join("sys/class/block/sda").join(folder);
        fs::create_dir_all(&folder).expect("a folder");
        files.iter().for_each(|(name, text)| fs::write(folder.join(name), text).expect("a file"));
    }

    #[test]
    fn sensors_have_the_names_that_the_kernel_gives_them() {
        let root = tempfile::tempdir().expect("a folder");
        let files = [
            ("name", "nvme\n"),
            ("temp1_input", "37850\n"),
            ("temp1_label", "Composite\n"),
            ("temp1_max", "84850\n"),
            ("temp1_crit", "89850\n"),
            ("temp3_input", "51850\n"),
            ("temp3_label", "Sensor 2\n"),
        ];
        put(root.path(), "device/hwmon2", &files);
        let found = Thermometer::find(&Roots::at(root.path()), "sda").expect("sensors");
        let labels: Vec<&str> = found.sensors.iter().map(|sensor| sensor.label.as_str()).collect();
        assert_eq!(labels, ["Composite", "Sensor 2"]);
        assert_eq!(found.read(), [Some(MilliCelsius(37_850)), Some(MilliCelsius(51_850))]);
        assert_eq!(found.driver, SensorDriver::Nvme);
        assert_eq!((found.warning, found.critical), (Some(Celsius(85)), Some(Celsius(90))));
        fs::write(root.path().join("sys/class/block/sda/device/hwmon2/temp3_input"), "hot\n")
            .expect("a file");
        assert_eq!(found.read(), [Some(MilliCelsius(37_850)), None]);
    }

    #[test]
    fn a_drive_with_several_controllers_is_read_through_one_that_is_there() {
        let root = tempfile::tempdir().expect("a folder");
        fixture::head(root.path(), 2);
        for (number, milli) in [(0, "49850\n"), (1, "50850\n")] {
            let folder = format!("{}/hwmon{number}", fixture::controller(number));
            fixture::write(root.path(), &format!("{folder}/name"), "nvme\n");
            fixture::write(root.path(), &format!("{folder}/temp1_input"), milli);
        }
        let found = Thermometer::find(&Roots::at(root.path()), "nvme0n1").expect("sensors");
        assert_eq!((found.driver, found.main()), (SensorDriver::Nvme, Some(MilliCelsius(49_850))));
        fs::remove_dir_all(root.path().join(fixture::controller(0))).expect("pulled");
        assert_eq!(found.read(), [Some(MilliCelsius(50_850))]);
        let again = Thermometer::find(&Roots::at(root.path()), "nvme0n1").expect("sensors");
        assert_eq!(again.main(), Some(MilliCelsius(50_850)));
        fs::remove_dir_all(root.path().join(fixture::controller(1))).expect("pulled");
        assert_eq!((found.main(), found.read()), (None, vec![None]));
    }

    #[test]
    fn a_sensor_that_cannot_be_read_is_none() {
        let root = tempfile::tempdir().expect("a folder");
        put(root.path(), "device/hwmon/hwmon0", &[("name", "drivetemp\n"), ("temp1_input", "\n")]);
        assert_eq!(Thermometer::find(&Roots::at(root.path()), "sda"), None);
        put(root.path(), "device/hwmon/hwmon0", &[("temp1_input", "-1500\n")]);
        let found = Thermometer::find(&Roots::at(root.path()), "sda").expect("a sensor");
        assert_eq!((found.driver, found.main()), (SensorDriver::Other, Some(MilliCelsius(-1_500))));
        assert_eq!(MilliCelsius(-1_501).rounded(), Celsius(-2));
    }
}
