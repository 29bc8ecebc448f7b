//! Flags of a target that is not there: a serial names a drive and a size a file, so one that finds neither
//! was meant for something else, and is no reason to go on.

use drivelab_probe::Celsius;
use drivelab_safety::{Confirming, DriveIdentity, Flag, System, Target};
use drivelab_sim::SimDrive;

use crate::simulated_health::whole_degrees;
use crate::temperature_limit::{NoSensor, sensed_of};
use crate::{Failure, SafetyOptions, TargetName, TemperatureLimit};

/// Refuses `--serial`, `--file-size` and `--assume-unused` where no target takes them, and a `--temperature-limit` that cannot be
/// kept. `reading` names what is asked where that writes nothing.
pub fn check_flags(
    safety: &SafetyOptions,
    targets: &[TargetName],
    reading: Option<&str>,
) -> Result<(), Failure> {
    let flags = [
        ("--assume-unused", safety.assume_unused, "is for a file", is_file as fn(&Target) -> bool),
        ("--serial", !safety.serial.is_empty(), "confirms a drive", |target| !is_file(target)),
        ("--file-size", safety.file_size.is_some(), "is for a file", is_file),
    ];
    for (flag, _, purpose, fits) in flags.into_iter().filter(|(_, given, ..)| *given) {
        if let Some(reading) = reading {
            return Err(usage!(
                "{flag} goes with writing, and nothing is written by {reading}: leave it out"
            ));
        }
        if !resolve(targets)?.iter().any(fits) {
            return Err(usage!("{flag} {purpose}, and no target here is one: leave it out"));
        }
    }
    check_serials(&safety.serial, targets)?;
    check_temperature_limit(safety.temperature_limit(), targets)
}

/// Refuses a serial that fits no target, where another one does, and one serial for several drives. Where none fits, the safety
/// rules say what would.
pub fn check_serials(given: &[String], targets: &[TargetName]) -> Result<(), Failure> {
    let mut drives: Vec<DriveIdentity> = Vec::new();
    for target in resolve(targets)? {
        if let Target::Drive(drive) = target
            && !drives.iter().any(|known| known.number == drive.identity().number)
        {
            drives.push(drive.identity().clone());
        }
    }
    if given.is_empty() {
        return Ok(());
    }
    let confirming: Vec<Confirming> =
        drives.iter().map(|drive| Confirming::list(&System::live(), drive)).collect();
    let mut left: Vec<&String> = given.iter().collect();
    let (mut confirmed, mut lacking) = (0_usize, Vec::new());
    for (drive, confirming) in drives.iter().zip(&confirming) {
        let fitting = left.iter().position(|serial| confirming.is_met_by(serial));
        match fitting {
            Some(place) => {
                left.remove(place);
                confirmed += 1;
            }
            // Another target has taken the one that would fit.
            None if given.iter().any(|serial| confirming.is_met_by(serial)) => {
                lacking.push((drive, confirming));
            }
            None => {}
        }
    }
    if let Some((drive, confirming)) = lacking.first() {
        let (name, flag) = (&drive.kernel_name, Flag::Serial(confirming.shortest()));
        return Err(refused!(
            "one --serial confirms one target, and there is none left for {name}: add {flag} once more for it"
        ));
    }
    match left.first() {
        Some(serial) if confirming.iter().any(|drive| drive.is_met_by(serial)) => {
            Err(usage!("--serial {serial} is one too many: each target has its own already, so leave it out"))
        }
        Some(serial) if confirmed > 0 => {
            Err(usage!("--serial {serial} is that of no target here: leave it out"))
        }
        _ => Ok(()),
    }
}

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

/// Refuses `--until-warm` of a target whose temperature is not known: before anything is done.
pub fn check_until_warm(name: &TargetName, target: Option<&Target>) -> Result<(), Failure> {
    let missing = match (name, target) {
        (TargetName::Simulated(profile), _) => (!profile.has_temperature()).then_some(NoSensor::Simulated),
        (TargetName::Path(_), Some(target)) => sensed_of(target).err(),
        (TargetName::Path(_), None) => None,
    };
    let Some(missing) = missing else { return Ok(()) };
    let remedy = missing.remedy();
    Err(environment!("--until-warm needs a temperature sensor, and {missing}: leave the option out{remedy}"))
}

fn is_file(target: &Target) -> bool {
    matches!(target, Target::File(_))
}

/// The real ones of these targets, looked up.
fn resolve(targets: &[TargetName]) -> Result<Vec<Target>, Failure> {
    let resolved = |target: &TargetName| match target {
        TargetName::Path(path) => Some(Target::resolve(&System::live(), path).map_err(Failure::from)),
        TargetName::Simulated(_) => None,
    };
    targets.iter().filter_map(resolved).collect()
}
