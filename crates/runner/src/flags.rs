//! Flags of a target that is not there: a serial names a drive and a size a file, so one that finds neither
//! was meant for something else, and is no reason to go on.

use drivelab_safety::{System, Target};

use super::TargetName;
use crate::Failure;
use crate::{SafetyOptions, check_temperature_limit};

/// Refuses `--serial`, `--file-size` and `--assume-unused` where no target takes them, and a `--temperature-limit` that cannot be
/// kept. `reading` names what is asked where that writes nothing.
pub fn check_flags(
    safety: &SafetyOptions,
    targets: &[TargetName],
    reading: Option<&str>,
) -> Result<(), Failure> {
    let flags = [
        ("--assume-unused", safety.assume_unused, "is for a file", is_file as fn(&Target) -> bool),
        ("--serial", !safety.serial.is_empty(), "confirms a drive", is_drive),
        ("--file-size", safety.file_size.is_some(), "is for a file", is_file),
    ];
    for (flag, _, purpose, fits) in flags.into_iter().filter(|(_, given, ..)| *given) {
        if let Some(reading) = reading {
            let message =
                format!("{flag} goes with writing, and nothing is written by {reading}: leave it out");
            return Err(Failure::Usage(message));
        }
        if !any(targets, fits)? {
            let message = format!("{flag} {purpose}, and no target here is one: leave it out");
            return Err(Failure::Usage(message));
        }
    }
    check_serials(&safety.serial, targets)?;
    check_temperature_limit(safety.temperature_limit, targets)
}

/// Refuses a serial that fits no target beside one that does. Where none fits, the safety rules say what would.
fn check_serials(given: &[String], targets: &[TargetName]) -> Result<(), Failure> {
    if given.len() < 2 {
        return Ok(());
    }
    let mut expected = Vec::new();
    for target in targets {
        if let TargetName::Path(path) = target
            && let Target::Drive(drive) = Target::resolve(&System::live(), path)?
        {
            expected.push(drive.identity().confirmation().to_owned());
        }
    }
    let (fitting, surplus): (Vec<&String>, Vec<&String>) =
        given.iter().partition(|serial| expected.contains(serial));
    match surplus.first() {
        Some(serial) if !fitting.is_empty() => {
            Err(Failure::Usage(format!("--serial {serial} is that of no target here: leave it out")))
        }
        _ => Ok(()),
    }
}

fn is_drive(target: &Target) -> bool {
    matches!(target, Target::Drive(_))
}

fn is_file(target: &Target) -> bool {
    matches!(target, Target::File(_))
}

fn any(targets: &[TargetName], fits: fn(&Target) -> bool) -> Result<bool, Failure> {
    for target in targets {
        if let TargetName::Path(path) = target
            && fits(&Target::resolve(&System::live(), path)?)
        {
            return Ok(true);
        }
    }
    Ok(false)
}
