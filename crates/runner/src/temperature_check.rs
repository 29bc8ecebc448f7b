//! A temperature limit that was given is looked at before anything is done.

use drivelab_probe::Celsius;
use drivelab_safety::{System, Target};
use drivelab_sim::SimDrive;

use crate::simulated_health::whole_degrees;
use crate::temperature_limit::sensed_of;
use crate::{Failure, TargetName, TemperatureLimit};

/// Refuses a limit that was given and cannot be kept on one of these targets, before anything is done.
pub fn check_temperature_limit(limit: TemperatureLimit, targets: &[TargetName]) -> Result<(), Failure> {
    if !matches!(limit, TemperatureLimit::At(_)) {
        return Ok(());
    }
    for target in targets {
        match target {
            TargetName::Simulated(profile) => {
                let now = SimDrive::resting_milli_celsius(profile);
                limit.check_simulated(now.map(|milli| Celsius(whole_degrees(milli))))?;
            }
            TargetName::Path(path) => limit.check(&sensed_of(&Target::resolve(&System::live(), path)?))?,
        }
    }
    Ok(())
}
