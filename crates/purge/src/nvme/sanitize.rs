//! Sanitize: its command, its status log, and waiting for its end.

use std::fmt;

use drivelab_decode::{dword, word};

use super::action::SanitizeAction;
use super::command::{Erasure, NvmeCommandError, NvmeCommands, NvmeQuery};

/// What became of the last sanitize (SSTAT, bits 2:0).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SanitizeState {
    /// There was none.
    Never,
    /// It succeeded.
    Succeeded,
    /// It goes on.
    InProgress,
    /// It failed.
    Failed,
    /// It succeeded, and freed blocks although that was to be left out.
    SucceededAndFreed,
    /// A value that the specification reserves.
    Reserved(u8),
}

/// The sanitize status log (NVM Express Base Specification 2.0, 5.16.1.25).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SanitizeLog {
    /// What became of the last sanitize.
    pub state: SanitizeState,
    /// How far it is: a numerator over 65,536 (SPROG).
    pub progress: u16,
    /// Whether nothing was written since (SSTAT bit 8).
    pub erased: bool,
    /// Seconds that a block erase is estimated to take (bytes 15:12).
    pub block_erase_s: Option<u32>,
    /// Seconds that a crypto erase is estimated to take (bytes 19:16).
    pub crypto_erase_s: Option<u32>,
}

impl SanitizeLog {
    /// Reads the log page.
    pub fn parse(data: &[u8]) -> SanitizeLog {
        let status = word(data, 2);
        let estimate = |at: usize| Some(dword(data, at)).filter(|seconds| *seconds != u32::MAX);
        let state = match (status & 0b111) as u8 {
            0 => SanitizeState::Never,
            1 => SanitizeState::Succeeded,
            2 => SanitizeState::InProgress,
            3 => SanitizeState::Failed,
            4 => SanitizeState::SucceededAndFreed,
            other => SanitizeState::Reserved(other),
        };
        SanitizeLog {
            state,
            progress: word(data, 0),
            erased: status & 1 << 8 != 0,
            block_erase_s: estimate(12),
            crypto_erase_s: estimate(16),
        }
    }

    /// How far it is, in whole per cent.
    pub fn percent(&self) -> u32 {
        u32::from(self.progress) * 100 / 0x1_0000
    }
}

impl fmt::Display for SanitizeLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.state {
            SanitizeState::Never => f.write_str("the drive was never sanitized"),
            SanitizeState::Succeeded => f.write_str("the last sanitize succeeded"),
            SanitizeState::InProgress => write!(f, "a sanitize is in progress, {} % done", self.percent()),
            SanitizeState::Failed => f.write_str("the last sanitize failed"),
            SanitizeState::SucceededAndFreed => {
                f.write_str("the last sanitize succeeded and freed all blocks")
            }
            SanitizeState::Reserved(value) => write!(f, "the last sanitize has the reserved state {value}"),
        }?;
        f.write_str(if self.erased { "; nothing was written since" } else { "" })
    }
}

/// A sanitize that has ended well.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sanitized {
    /// It was in progress before it was asked for.
    pub was_in_progress: bool,
    /// The log at its end.
    pub log: SanitizeLog,
}

/// Why a sanitize is not known to have ended well.
#[derive(Debug, thiserror::Error)]
pub enum SanitizeError {
    /// The command was refused.
    #[error("the drive refused the sanitize ({0}): it was not begun; try --purge format")]
    Refused(NvmeCommandError),
    /// The log could not be read for a long time.
    #[error(
        "the sanitize status log cannot be read ({0}): the sanitize may go on; once the drive answers again, run \
         drivelab purge again, which waits for it"
    )]
    NotTold(NvmeCommandError),
    /// It ended otherwise.
    #[error(
        "the sanitize did not succeed ({0}): run drivelab purge again, and use the drive only when one has succeeded"
    )]
    Failed(SanitizeLog),
    /// The user did not want to wait.
    #[error(
        "interrupted at {0} %: the sanitize goes on in the drive; run drivelab purge again to wait for its end"
    )]
    Interrupted(u32),
}

/// How often in a row the log may not be readable: a controller that is reset answers again after a while.
const UNREADABLE_MAX: u32 = 60;

/// Sanitizes, or waits for a sanitize that is in progress. `wait` is called with each log that is not the last; it
/// returns `false` where the user does not want to wait.
///
/// # Errors
/// Where it is not known to have ended well.
pub fn sanitize<D: NvmeCommands>(
    drive: &mut D,
    action: SanitizeAction,
    mut wait: impl FnMut(Option<SanitizeLog>) -> bool,
) -> Result<Sanitized, SanitizeError> {
    let data = drive.inquire(NvmeQuery::SanitizeLog).map_err(SanitizeError::NotTold)?;
    if SanitizeLog::parse(&data).state == SanitizeState::InProgress {
        return awaited(drive, wait).map(|log| Sanitized { was_in_progress: true, log });
    }
    drive.erase(Erasure::Sanitize(action)).map_err(SanitizeError::Refused)?;
    awaited(drive, &mut wait).map(|log| Sanitized { was_in_progress: false, log })
}

/// Waits for the end of a sanitize that was begun.
///
/// # Errors
/// Where it is not known to have ended well.
pub fn awaited<D: NvmeCommands>(
    drive: &mut D,
    mut wait: impl FnMut(Option<SanitizeLog>) -> bool,
) -> Result<SanitizeLog, SanitizeError> {
    let (mut unreadable, mut percent) = (0, 0);
    loop {
        let goes_on = match drive.inquire(NvmeQuery::SanitizeLog) {
            Ok(data) => {
                let log = SanitizeLog::parse(&data);
                match log.state {
                    SanitizeState::Succeeded | SanitizeState::SucceededAndFreed => return Ok(log),
                    SanitizeState::InProgress => (unreadable, percent) = (0, log.percent()),
                    _ => return Err(SanitizeError::Failed(log)),
                }
                wait(Some(log))
            }
            Err(error) if unreadable == UNREADABLE_MAX => return Err(SanitizeError::NotTold(error)),
            Err(_) => {
                unreadable += 1;
                wait(None)
            }
        };
        if !goes_on {
            return Err(SanitizeError::Interrupted(percent));
        }
    }
}

#[cfg(test)]
mod tests;
