//! The batteries of the machine: `/sys/class/power_supply` (Documentation/ABI/testing/sysfs-class-power).

use std::path::{Path, PathBuf};

use crate::{MeterError, sysfs};

/// The batteries that feed the machine itself.
#[derive(Debug)]
pub(crate) struct Battery {
    folders: Vec<PathBuf>,
}

impl Battery {
    /// The batteries below `root`; `None` where there is none that tells its power.
    pub(crate) fn find(root: &Path) -> Option<Battery> {
        let class = root.join("sys/class/power_supply");
        let folders: Vec<PathBuf> =
            sysfs::names(&class).iter().map(|name| class.join(name)).filter(|folder| feeds(folder)).collect();
        (!folders.is_empty()).then_some(Battery { folders })
    }

    /// What the machine draws from all batteries that discharge, in watts.
    pub(crate) fn watts(&self) -> Result<f64, MeterError> {
        let mut sum = None;
        let mut status = String::new();
        for folder in &self.folders {
            status = sysfs::text(&folder.join("status")).unwrap_or_default();
            match status.as_str() {
                "Discharging" => *sum.get_or_insert(0.0) += read(folder)?,
                // What goes into one battery may come out of another: their sum is not what the machine draws.
                "Charging" => return Err(MeterError::NotDischarging(status)),
                _ => {}
            }
        }
        sum.ok_or(MeterError::NotDischarging(status))
    }
}

/// Whether it is a battery of the machine, not of a mouse, and tells its power.
fn feeds(folder: &Path) -> bool {
    let says = |name: &str| sysfs::text(&folder.join(name)).unwrap_or_default();
    let tells = |name: &str| folder.join(name).exists();
    says("type") == "Battery"
        && says("scope") != "Device"
        && (tells("power_now") || (tells("current_now") && tells("voltage_now")))
}

/// The power of one battery: microwatts, or microamperes times microvolts. Some drivers tell a discharge as negative.
fn read(folder: &Path) -> Result<f64, MeterError> {
    if let Some(power) = sysfs::first(folder, &["power_now"]) {
        return Ok(sysfs::figure(&power)?.unsigned_abs() as f64 / 1e6);
    }
    let current = sysfs::figure(&folder.join("current_now"))?.unsigned_abs() as f64 / 1e6;
    Ok(current * sysfs::figure(&folder.join("voltage_now"))?.unsigned_abs() as f64 / 1e6)
}
