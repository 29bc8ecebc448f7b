//! Why nothing is recorded or read.

use std::{fmt, io};

use drivelab_block::EngineError;

/// What stands in the way of recording or reading.
#[derive(Debug, thiserror::Error)]
pub enum StreamError {
    /// What was asked makes no sense.
    #[error("{0}")]
    Usage(String),
    /// There is no recording on the target.
    #[error("no stream recording is here: `drivelab stream record` makes one")]
    NoRecording,
    /// A recording of a later version of drivelab, or one whose superblocks make no sense.
    #[error("both superblocks are unusable ({0}): nothing can be found without them")]
    Superblocks(String),
    /// A source cannot be read.
    #[error("{name} cannot be read ({source}){hint}")]
    Source {
        /// What it is called.
        name: String,
        /// The system's own error.
        source: io::Error,
        /// What to do about it.
        hint: &'static str,
    },
    /// What was found could not be given on.
    #[error("what was found cannot be written: {0}")]
    Output(io::Error),
    /// The engine itself broke.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The system did not give what is needed.
    #[error("{doing}: {source}")]
    System {
        /// What was being done.
        doing: &'static str,
        /// The system's own error.
        source: io::Error,
    },
}

impl StreamError {
    pub(crate) fn source(name: impl fmt::Display, source: impl Into<io::Error>) -> StreamError {
        let source = source.into();
        let hint = match source.kind() {
            io::ErrorKind::NotFound => ": name what is there, such as a pipe made with mkfifo",
            io::ErrorKind::IsADirectory => ": name a file or a pipe in it",
            io::ErrorKind::AddrInUse => ": something is there already: name another place, or remove it",
            io::ErrorKind::PermissionDenied => ": name one that you may read",
            _ => "",
        };
        StreamError::Source { name: name.to_string(), source, hint }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_that_may_not_be_read_is_refused_with_what_to_name() {
        let refused = StreamError::source("/dev/video0", io::ErrorKind::PermissionDenied);
        assert_eq!(
            refused.to_string(),
            "/dev/video0 cannot be read (permission denied): name one that you may read"
        );
    }
}
