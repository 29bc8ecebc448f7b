//! Why a job file is not taken.

use std::fmt;

/// Why a file is not taken: a line for each reason, with the number of the line in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobError(pub(crate) Vec<String>);

impl fmt::Display for JobError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join("\n"))
    }
}

impl std::error::Error for JobError {}

impl JobError {
    pub(crate) fn at(line: usize, why: &str) -> JobError {
        JobError(vec![format!("line {line}: {why}")])
    }

    pub(crate) fn several(line: usize, first: &str, second: &str) -> JobError {
        JobError::at(
            line,
            &format!(
                "[{second}] is a second job, after [{first}]: leave one of them, and run the other by itself"
            ),
        )
    }

    pub(crate) fn none() -> JobError {
        JobError(vec!["there is no job: begin one with its name in brackets, such as [job]".to_owned()])
    }
}
