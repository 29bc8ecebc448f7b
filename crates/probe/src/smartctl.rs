//! Asks smartctl.

use std::path::{Path, PathBuf};
use std::time::Duration;

use drivelab_program as program;

use crate::{Health, NotAvailable, parse_health};

/// Asks smartctl for the health of the drive at `path`, which may be silent for as long as `patience`.
pub fn health(path: &Path, patience: Duration) -> Health {
    let Some(program) = find() else { return Health::NotAvailable(NotAvailable::NoSmartctl) };
    let Some(path) = path.to_str() else {
        return Health::NotAvailable(NotAvailable::NotRun("the drive's path is not UTF-8".to_owned()));
    };
    let arguments = ["--json=c", "--all", "--log=devstat", "--", path];
    match answer(&program, &arguments, patience) {
        Ok(answer) => parse_health(&answer),
        Err(why) => Health::NotAvailable(why),
    }
}

/// smartctl, where it is installed.
pub(crate) fn find() -> Option<PathBuf> {
    program::find("smartctl")
}

/// What `program` answers, which may be silent for as long as `patience`. Its exit status tells of the drive as
/// much as of the program, and its answer tells the same in words, so the status is not looked at.
pub(crate) fn answer(
    program: &Path,
    arguments: &[&str],
    patience: Duration,
) -> Result<Vec<u8>, NotAvailable> {
    let said = program::answer(program, arguments, None, patience).map_err(|why| match why {
        program::NoAnswer::NotRun(error) => NotAvailable::NotRun(format!("{}: {error}", program.display())),
        program::NoAnswer::Silent => NotAvailable::NotAnswering,
        program::NoAnswer::Endless => NotAvailable::NotUnderstood("it answered without end".to_owned()),
    })?;
    Ok(said.output)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_smartctl_says_is_taken_whatever_its_exit_status() {
        let said = answer(Path::new("/bin/sh"), &["-c", "echo '{}'; exit 4"], Duration::from_secs(30));
        assert_eq!(said.as_deref(), Ok(&b"{}\n"[..]));
    }
}
