//! What was read over and over alongside a run.

use crate::GaugeCourse;

/// A quantity that was read over and over alongside a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Gauged {
    /// Its name: what is read, then which part of it, as in `processors user`.
    pub name: String,
    /// The unit of its readings.
    pub unit: String,
    /// What it showed.
    pub course: GaugeCourse,
}

impl Gauged {
    /// The first word of the name: what is read.
    pub fn subject(&self) -> &str {
        self.name.split_once(' ').map_or(self.name.as_str(), |(subject, _)| subject)
    }

    /// The rest of the name: which part of it.
    pub fn part(&self) -> &str {
        self.name.split_once(' ').map_or("", |(_, part)| part)
    }

    /// Whether it ever showed anything.
    pub fn is_known(&self) -> bool {
        self.course.columns().any(|value| value.is_some())
    }
}
