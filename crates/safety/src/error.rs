//! How a claim ends where it is not granted.

use std::io;
use std::path::Path;

use crate::Refusal;

/// Why there is no grant, or no access.
#[derive(Debug, thiserror::Error)]
pub enum SafetyError {
    /// Refused for safety (exit code 4).
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// There is no such drive or file (exit code 3).
    #[error("{0}")]
    NotFound(String),
    /// The system does not let it be done (exit code 3).
    #[error("{message}")]
    Environment {
        /// What could not be done, and what to do about it.
        message: String,
        /// The system's own error.
        #[source]
        source: Option<io::Error>,
    },
    /// What was asked makes no sense (exit code 2).
    #[error("{0}")]
    Usage(String),
}

impl SafetyError {
    /// An error of the system, with what was being done.
    pub(crate) fn from_io(doing: impl Into<String>, source: impl Into<io::Error>) -> SafetyError {
        let source = source.into();
        let hint = hint(source.kind(), rustix::process::geteuid().is_root());
        SafetyError::Environment {
            message: format!("{} ({source}){hint}", doing.into()),
            source: Some(source),
        }
    }

    /// An error of the system where it was to say what is at a path.
    pub(crate) fn not_looked_at(path: &Path, source: impl Into<io::Error>) -> SafetyError {
        SafetyError::from_io(format!("{} cannot be looked at", path.display()), source)
    }

    /// The exit code by which the command line tells it: 4 refused, 3 device or environment, 2 usage.
    pub fn exit_code(&self) -> u8 {
        match self {
            SafetyError::Refused(_) => 4,
            SafetyError::NotFound(_) | SafetyError::Environment { .. } => 3,
            SafetyError::Usage(_) => 2,
        }
    }
}

/// What to do about an error of the system.
fn hint(kind: io::ErrorKind, is_root: bool) -> &'static str {
    match kind {
        io::ErrorKind::PermissionDenied if is_root => {
            ": the system keeps even root from it (such as a container's rules for devices)"
        }
        io::ErrorKind::PermissionDenied => ": run as root, or as a member of the drive's group",
        io::ErrorKind::ReadOnlyFilesystem => ": name one on a file system that can be written to",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use io::ErrorKind::{NotFound, PermissionDenied, ReadOnlyFilesystem};

    #[test]
    fn who_is_root_already_is_not_told_to_become_root() {
        assert!(hint(PermissionDenied, false).contains("run as root"));
        assert!(hint(PermissionDenied, true).contains("keeps even root from it"));
        for is_root in [false, true] {
            assert!(hint(ReadOnlyFilesystem, is_root).contains("can be written to"));
            assert_eq!(hint(NotFound, is_root), "");
        }
    }
}
