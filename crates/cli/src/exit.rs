//! How a command ends, and the exit code that says so.

use std::process::ExitCode;

use drivelab_block::EngineError;
use drivelab_method::{ConductError, LoadError};
use drivelab_record::RecordError;
use drivelab_safety::SafetyError;
use drivelab_sim::ProfileError;

/// A command that did what it was asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Exit code 0.
    Passed,
    /// The run is there, and its own check failed: I/Os failed, records were lost (exit code 1).
    CheckFailed,
    /// The user ended it; what there is was kept and reported (exit code 130).
    Interrupted,
}

/// A command that could not do what it was asked. Each is one line that says what to do.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// What was asked makes no sense (exit code 2).
    #[error("{0}")]
    Usage(String),
    /// The drive or the system does not allow it (exit code 3).
    #[error("{0}")]
    Environment(String),
    /// Refused for safety (exit code 4).
    #[error("{0}")]
    Refused(String),
}

impl Failure {
    /// A failure of the system while something was being done.
    pub fn io(doing: &str, error: &std::io::Error) -> Failure {
        Failure::Environment(format!("{doing}: {error}"))
    }
}

impl From<Ending> for ExitCode {
    fn from(ending: Ending) -> ExitCode {
        match ending {
            Ending::Passed => ExitCode::SUCCESS,
            Ending::CheckFailed => ExitCode::from(1),
            Ending::Interrupted => ExitCode::from(130),
        }
    }
}

impl From<Failure> for ExitCode {
    fn from(failure: Failure) -> ExitCode {
        ExitCode::from(match failure {
            Failure::Usage(_) => 2,
            Failure::Environment(_) => 3,
            Failure::Refused(_) => 4,
        })
    }
}

/// An error with what lies behind it, on one line.
fn with_sources(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        text = format!("{text}: {error}");
        source = error.source();
    }
    text
}

impl From<SafetyError> for Failure {
    fn from(error: SafetyError) -> Failure {
        match &error {
            SafetyError::Refused(refusal) => Failure::Refused(refusal.to_string()),
            SafetyError::Usage(message) => Failure::Usage(message.clone()),
            SafetyError::NotFound(_) | SafetyError::Environment { .. } => {
                Failure::Environment(with_sources(&error))
            }
        }
    }
}

impl From<RecordError> for Failure {
    fn from(error: RecordError) -> Failure {
        match &error {
            RecordError::NotARun { .. } | RecordError::Manifest { .. } | RecordError::NotEmpty { .. } => {
                Failure::Usage(error.to_string())
            }
            RecordError::Io { .. } | RecordError::Segment { .. } => Failure::Environment(error.to_string()),
        }
    }
}

impl From<ConductError> for Failure {
    fn from(error: ConductError) -> Failure {
        match &error {
            ConductError::Engine(engine) => Failure::Environment(with_sources(engine)),
            ConductError::Thread(_) => Failure::Environment(error.to_string()),
        }
    }
}

impl From<EngineError> for Failure {
    fn from(error: EngineError) -> Failure {
        Failure::Environment(with_sources(&error))
    }
}

impl From<LoadError> for Failure {
    fn from(error: LoadError) -> Failure {
        Failure::Usage(error.to_string())
    }
}

impl From<ProfileError> for Failure {
    fn from(error: ProfileError) -> Failure {
        Failure::Usage(error.to_string())
    }
}
