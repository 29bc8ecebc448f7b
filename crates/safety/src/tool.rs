//! What system programs say of a drive, where they ended well.

use std::os::fd::OwnedFd;
use std::time::Duration;

use drivelab_program as program;

/// How long a program may stay silent. A drive that is dying answers late; one that is dead, never.
const PATIENCE: Duration = Duration::from_secs(20);

/// Why a program gave no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NoToolAnswer {
    /// It is not installed.
    Absent,
    /// It was started and did not answer.
    Failed(String),
}

/// Runs the program called `name` with `arguments`, `input` as its standard input; its output, where it ended
/// well.
pub(crate) fn answer(
    name: &str,
    arguments: &[&str],
    input: Option<OwnedFd>,
) -> Result<Vec<u8>, NoToolAnswer> {
    let path = program::find(name).ok_or(NoToolAnswer::Absent)?;
    let said = program::answer(&path, arguments, input, PATIENCE).map_err(|why| {
        NoToolAnswer::Failed(match why {
            program::NoAnswer::NotRun(error) => format!("{name} could not be run: {error}"),
            program::NoAnswer::Silent => format!("{name} did not answer within {} s", PATIENCE.as_secs()),
            program::NoAnswer::Endless => format!("{name} answered without end"),
        })
    })?;
    if said.status.success() {
        return Ok(said.output);
    }
    Err(NoToolAnswer::Failed(format!("{name} ended with {}", said.status)))
}
