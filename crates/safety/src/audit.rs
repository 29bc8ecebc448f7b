//! The log of what was granted and what was refused: one line each, kept for good.

use std::env;
use std::fmt;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::wording::shown;
use crate::{Refusal, WriteGrant};

/// A file to which a line is added for every decision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditLog {
    path: PathBuf,
}

/// A decision to be remembered.
#[derive(Clone, Copy, Debug)]
pub enum Decision<'a> {
    /// Writing was granted.
    Granted(&'a WriteGrant),
    /// The grant was given back: the run has ended.
    Released(&'a WriteGrant),
    /// Writing was refused.
    Refused(&'a Refusal),
}

impl AuditLog {
    /// The log of one run, in its folder.
    #[must_use]
    pub fn in_folder(folder: &Path) -> AuditLog {
        AuditLog { path: folder.join("audit.log") }
    }

    /// The log of this user, below `$XDG_STATE_HOME` or `~/.local/state`; `None` where there is neither.
    #[must_use]
    pub fn in_state_folder() -> Option<AuditLog> {
        let named = env::var_os("XDG_STATE_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
        let state = named.or_else(|| {
            let home = env::var_os("HOME").map(PathBuf::from).filter(|path| path.is_absolute());
            home.map(|home| home.join(".local/state"))
        })?;
        Some(AuditLog::in_folder(&state.join("drivelab")))
    }

    /// Where the log is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Adds a line, on the drive before this returns. `time` is the moment as the caller writes it.
    ///
    /// # Errors
    /// Where the folder cannot be made or the line cannot be written.
    pub fn record(&self, time: &str, decision: Decision<'_>) -> io::Result<()> {
        if let Some(folder) = self.path.parent() {
            fs::create_dir_all(folder)?;
        }
        let mut file = File::options().create(true).append(true).open(&self.path)?;
        // One write a line: lines of two runs at once do not mix.
        file.write_all(format!("{}\n", shown(format!("{time} {decision}"))).as_bytes())?;
        file.sync_data()
    }
}

impl fmt::Display for Decision<'_> {
    /// One line: what was decided, on which target, and why.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Decision::Granted(grant) => write!(f, "granted {}", grant.identity()),
            Decision::Released(grant) => write!(f, "released {}", grant.identity()),
            Decision::Refused(refusal) => {
                write!(f, "refused {}", refusal.target)?;
                refusal.reasons.iter().try_for_each(|reason| write!(f, " | {reason}"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Reason;

    #[test]
    fn every_decision_is_one_line_whatever_its_text_holds() {
        let folder = tempfile::tempdir().expect("a folder");
        let log = AuditLog::in_folder(&folder.path().join("run"));
        let reasons = vec![Reason::Claimed { what: "sda\nforged line".into() }];
        let refusal = Refusal { target: "sda".into(), reasons };
        log.record("2026-11-21T10:00:00Z", Decision::Refused(&refusal)).expect("a line");
        log.record("2026-11-21T10:00:01Z", Decision::Refused(&refusal)).expect("a line");
        let text = fs::read_to_string(log.path()).expect("the log");
        assert_eq!(text.lines().count(), 2);
        assert!(text.starts_with("2026-11-21T10:00:00Z refused sda | sda?forged line is claimed"));
    }
}
