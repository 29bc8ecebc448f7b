//! How a command ends, and the exit code that says so.

use std::io::{self, ErrorKind};
use std::path::Path;

use drivelab_block::EngineError;
use drivelab_files::{Occupant, ReplaceError};
use drivelab_kinds::{DriveError, Ended, Outline, PlanError, ResultKind, StoredResult};
use drivelab_method::ConductError;
use drivelab_purge::NoPurge;
use drivelab_record::RecordError;
use drivelab_safety::SafetyError;
use drivelab_sim::ProfileError;
use drivelab_stream::StreamError;
use drivelab_system_calls::image::ImageError;
use drivelab_system_calls::tracer::TracerError;
use drivelab_trace::TraceError;
use serde::{Deserialize, Serialize};

use crate::printable::one_line;

/// A command that did what it was asked.
#[derive(Clone, Debug, PartialEq)]
pub enum Ending {
    /// Exit code 0.
    Passed,
    /// The run is there, and its own check failed: I/Os failed, records were lost (exit code 1).
    CheckFailed,
    /// The user ended it; what there is was kept and reported (exit code 130).
    Interrupted,
    /// Nothing was done, and this would be, a plan a run: a dry run whose documents were asked for (exit code 0).
    Planned(Vec<PlannedTest>),
}

impl Ending {
    /// How a test with this result ends.
    pub fn from_kept<K: ResultKind>(kept: &StoredResult<K>) -> Ending {
        match kept.ended() {
            Ended::Interrupted => Ending::Interrupted,
            _ if kept.passes() => Ending::Passed,
            Ended::Whole | Ended::BrokeOff | Ended::Killed => Ending::CheckFailed,
        }
    }

    /// The exit code.
    pub fn exit_code(&self) -> u8 {
        match self {
            Ending::Passed | Ending::Planned(_) => 0,
            Ending::CheckFailed => 1,
            Ending::Interrupted => 130,
        }
    }
}

/// The plan of a test for one target.
#[derive(Clone, Debug, PartialEq)]
pub struct PlannedTest {
    /// The target as it was typed.
    pub target: String,
    /// What the result would be called.
    pub label: String,
    /// What would be done; none where that depends on a size that is not known.
    pub outline: Option<Outline>,
}

/// A command that could not do what it was asked. Each is one line that says what to do.
#[derive(Debug, Serialize, Deserialize, thiserror::Error)]
pub enum Failure {
    /// What was asked makes no sense (exit code 2).
    #[error("{0}")]
    Usage(String),
    /// The drive or the system does not allow it (exit code 3).
    #[error("{0}")]
    Environment(String),
    /// The drive failed during the run; what there is was kept and reported (exit code 1).
    #[error("{0}")]
    DriveFailed(String),
    /// Refused for safety (exit code 4).
    #[error("{0}")]
    Refused(String),
}

/// [`Failure::Usage`] with a text that is written as for `format!`.
#[macro_export]
macro_rules! usage {
    ($($text:tt)*) => { $crate::Failure::Usage(format!($($text)*)) };
}

/// [`Failure::Environment`] with a text that is written as for `format!`.
#[macro_export]
macro_rules! environment {
    ($($text:tt)*) => { $crate::Failure::Environment(format!($($text)*)) };
}

/// [`Failure::Refused`] with a text that is written as for `format!`.
#[macro_export]
macro_rules! refused {
    ($($text:tt)*) => { $crate::Failure::Refused(format!($($text)*)) };
}

impl Failure {
    /// A failure of the system while something was being done.
    pub fn io(doing: &str, error: &io::Error) -> Failure {
        environment!("{doing}: {error}")
    }

    /// A thread that could not be started, for what it is to do: there is no memory for it, or there are too many of them.
    pub fn no_thread(doing: &str, error: &io::Error) -> Failure {
        environment!(
            "{doing}, as no thread can be started ({error}): type ulimit -v unlimited and ulimit -u unlimited, or end other \
             programs"
        )
    }

    /// A file or folder that cannot be written, and what to do about it.
    pub fn not_written(path: &Path, error: &io::Error) -> Failure {
        let mend = match error.kind() {
            ErrorKind::NotFound => "the folder it lies in is not there: make it first, or name another",
            ErrorKind::NotADirectory => "a part of it that should be a folder is a file: name a folder there",
            ErrorKind::AlreadyExists => "it is a file: name a folder",
            ErrorKind::IsADirectory => "it is a folder: name a file in it",
            ErrorKind::PermissionDenied => "name a place that you may write to",
            ErrorKind::ReadOnlyFilesystem => "name a place that can be written to",
            ErrorKind::StorageFull => "make room, or name a place on another file system",
            ErrorKind::FileTooLarge => {
                "type ulimit -f unlimited first, or name a place that takes large files"
            }
            _ => "name another place",
        };
        environment!("{} cannot be written ({error}): {mend}", path.display())
    }

    /// A file that was to be replaced, under the name that a message has for it: what is there is something else, or the system
    /// refused.
    pub fn not_replaced(named: &str, path: &Path, error: ReplaceError) -> Failure {
        match error {
            ReplaceError::Io(error) => Failure::not_written(path, &error),
            ReplaceError::Occupied(Occupant::Folder) => usage!("{named} is a folder: name a file in it"),
            ReplaceError::Occupied(occupant) => {
                usage!("{named} {occupant}: name a file that is not there yet")
            }
        }
    }

    /// A phase that broke off. Of a real drive the kernel's log may have the reason; a simulated one has no such log.
    pub fn of_phase(error: &ConductError, has_kernel_log: bool) -> Failure {
        match error {
            ConductError::Engine(engine) => Failure::Environment(with_sources(engine)),
            ConductError::Thread(_) => Failure::Environment(error.to_string()),
            ConductError::AllFailed(_) | ConductError::Unanswered(_) if has_kernel_log => {
                Failure::DriveFailed(format!("{error}: look at the kernel's log (dmesg) for the reason"))
            }
            ConductError::AllFailed(_) | ConductError::Unanswered(_) => {
                Failure::DriveFailed(error.to_string())
            }
        }
    }

    /// All complaints as one failure.
    pub fn all(complaints: impl IntoIterator<Item = Failure>) -> Result<(), Failure> {
        let mut complaints = complaints.into_iter();
        complaints.next().map_or(Ok(()), |first| Err(first.with(complaints)))
    }

    /// This and other complaints in one, so that none hides another: what concerns safety first, and nothing
    /// twice.
    #[must_use]
    pub fn with(self, others: impl IntoIterator<Item = Failure>) -> Failure {
        let mut all = vec![self];
        all.extend(others);
        all.sort_by_key(|complaint| !matches!(complaint, Failure::Refused(_)));
        let mut texts: Vec<String> = Vec::new();
        for text in all.iter().map(ToString::to_string) {
            if !texts.contains(&text) {
                texts.push(text);
            }
        }
        let text = texts.join("\n");
        match all.swap_remove(0) {
            Failure::Refused(_) => Failure::Refused(text),
            Failure::Usage(_) => Failure::Usage(text),
            Failure::Environment(_) => Failure::Environment(text),
            Failure::DriveFailed(_) => Failure::DriveFailed(text),
        }
    }

    /// The exit code.
    pub fn exit_code(&self) -> u8 {
        match self {
            Failure::Usage(_) => 2,
            Failure::Environment(_) => 3,
            Failure::DriveFailed(_) => 1,
            Failure::Refused(_) => 4,
        }
    }
}

/// An error with what lies behind it, on one line and nothing twice.
fn with_sources(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        let more = error.to_string();
        if !text.contains(&more) {
            text = format!("{text}: {more}");
        }
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
            RecordError::Io { .. } | RecordError::Segment { .. } | RecordError::UnderWay { .. } => {
                Failure::Environment(error.to_string())
            }
        }
    }
}

impl From<TraceError> for Failure {
    fn from(error: TraceError) -> Failure {
        match error {
            TraceError::Environment(_) | TraceError::Output(_) => Failure::Environment(error.to_string()),
            TraceError::Records(error) => error.into(),
            // What was asked makes no sense for the trace that is there.
            TraceError::Usage(_) | TraceError::Interrupted => Failure::Usage(error.to_string()),
        }
    }
}

impl From<EngineError> for Failure {
    fn from(error: EngineError) -> Failure {
        Failure::Environment(with_sources(&error))
    }
}

impl From<ImageError> for Failure {
    fn from(error: ImageError) -> Failure {
        let text = one_line(&error.to_string());
        match error {
            ImageError::Attached { .. } => Failure::Refused(text),
            ImageError::Environment(_) => Failure::Environment(text),
            ImageError::Usage(_) => Failure::Usage(text),
        }
    }
}

impl From<NoPurge> for Failure {
    fn from(error: NoPurge) -> Failure {
        match error {
            NoPurge::Lacks(why) => Failure::Environment(why),
            NoPurge::Reaches(why) => Failure::Refused(why),
        }
    }
}

impl From<StreamError> for Failure {
    fn from(error: StreamError) -> Failure {
        match error {
            StreamError::Usage(message) => Failure::Usage(message),
            StreamError::Engine(error) => error.into(),
            error => Failure::Environment(error.to_string()),
        }
    }
}

/// Errors that are always one kind of failure, in their own words.
macro_rules! failures {
    ($($kind:ident: $($error:ty),+;)+) => {
        $($(impl From<$error> for Failure {
            fn from(error: $error) -> Failure {
                Failure::$kind(error.to_string())
            }
        })+)+
    };
}

failures! {
    Usage: PlanError, ProfileError;
    Environment: DriveError, TracerError;
}
