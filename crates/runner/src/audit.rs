//! The audit log, and the words for where it cannot be written.

use std::io;
use std::time::SystemTime;

use drivelab_safety::{AuditLog, Decision, Identity, OpenLog};

use crate::Failure;

pub struct Audit(OpenLog);

/// Notes that a target was refused for what was found out after its claim. Nothing is written to it: where the log cannot be
/// written, that is said, and the refusal stands.
pub fn note_refused(identity: &Identity, why: &str) {
    let noted = Audit::open().and_then(|mut log| log.record(Decision::RefusedAfterwards(identity, why)));
    if let Err(no_line) = noted {
        say!("drivelab: {no_line}");
    }
}

impl Audit {
    /// Opens the log. A run that cannot write it changes nothing.
    pub fn open() -> Result<Audit, Failure> {
        let log = AuditLog::in_state_folder().ok_or_else(|| {
            Failure::Environment(
                "the audit log has no place, so nothing is written: set XDG_STATE_HOME or HOME to a folder's path"
                    .to_owned(),
            )
        })?;
        let opened = log.open().map_err(|error| {
            let path = log.path().display();
            environment!(
                "the audit log {path} cannot be written ({error}), so nothing is written to the target: make it a \
                 file that you may write to, or set XDG_STATE_HOME to another folder"
            )
        })?;
        Ok(Audit(opened))
    }

    /// Adds a line, and says how to go on where it cannot be written.
    pub fn record(&mut self, decision: Decision<'_>) -> Result<(), Failure> {
        self.write(decision).map_err(|error| {
            environment!(
                "the audit log has no room for a line ({error}), so nothing is written to the target: make room"
            )
        })
    }

    /// Adds a line, which is on the drive before this returns.
    pub fn write(&mut self, decision: Decision<'_>) -> io::Result<()> {
        #[expect(clippy::disallowed_methods, reason = "the audit log says when")]
        let now = humantime::format_rfc3339_seconds(SystemTime::now()).to_string();
        self.0.record(&now, decision)
    }
}
