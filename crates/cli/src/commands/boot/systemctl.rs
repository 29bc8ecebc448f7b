//! Questions to systemd.

use std::time::Duration;

use drivelab_boot::{MANAGER_PROPERTIES, ManagerTimes, TargetTime, UNIT_PROPERTIES, UnitTimes, units};
use drivelab_program::{NoAnswer, answer, find};
use drivelab_runner::Failure;

/// How long systemd may be silent: it answers late while a machine is busy with its boot.
const PATIENCE: Duration = Duration::from_secs(30);

/// The times of this boot; none while systemd does not report any.
pub fn manager_times() -> Result<Option<ManagerTimes>, Failure> {
    let text = ask(&["show", &format!("--property={MANAGER_PROPERTIES}")])?;
    Ok(ManagerTimes::parse(&text))
}

/// All units that were started.
pub fn started_units() -> Result<Vec<UnitTimes>, Failure> {
    Ok(units(&ask(&["show", "*", &format!("--property={UNIT_PROPERTIES}")])?))
}

/// The target that the boot leads to, and when it was reached; none where it was not.
pub fn default_target() -> Result<Option<TargetTime>, Failure> {
    let text = ask(&["show", "default.target", "--property=Id,ActiveEnterTimestampMonotonic"])?;
    let value = |name: &str| text.lines().find_map(|line| line.strip_prefix(name));
    let reached = value("ActiveEnterTimestampMonotonic=").and_then(|time| time.parse().ok());
    let target = value("Id=").zip(reached.filter(|time| *time > 0));
    Ok(target.map(|(name, reached_us)| TargetTime { name: name.to_owned(), reached_us }))
}

fn ask(arguments: &[&str]) -> Result<String, Failure> {
    let failed = |why: String| Failure::Environment(format!("systemctl {}: {why}", arguments.join(" ")));
    let program = find("systemctl").ok_or_else(|| failed("it is not installed".to_owned()))?;
    match answer(&program, arguments, None, PATIENCE) {
        Ok(answer) if answer.status.success() => Ok(String::from_utf8_lossy(&answer.output).into_owned()),
        Ok(answer) => Err(failed(answer.failure())),
        Err(NoAnswer::NotRun(error)) => Err(failed(error.to_string())),
        Err(NoAnswer::Silent) => Err(failed("it does not answer".to_owned())),
        Err(NoAnswer::Endless) => Err(failed("its answer has no end".to_owned())),
    }
}
