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

#[cfg(test)]
mod tests {
    use drivelab_block::Instant;

    use super::*;
    use crate::RunSpan;

    #[test]
    fn a_gauge_is_told_by_the_first_word_of_its_name_and_known_by_a_reading() {
        let at = |seconds: u64| Instant::from_nanos(seconds * 1_000_000_000);
        let span = RunSpan { began: at(0), shown_from: at(0), shown_until: at(9), ended: at(9) };
        let gauged = |name: &str| Gauged {
            name: name.to_owned(),
            unit: "%".to_owned(),
            course: GaugeCourse::new(span),
        };
        let mut user = gauged("processors user time");
        assert_eq!((user.subject(), user.part(), user.is_known()), ("processors", "user time", false));
        user.course.add(at(1), at(2), 0.0);
        assert!(user.is_known());
        let plain = gauged("temperature");
        assert_eq!((plain.subject(), plain.part()), ("temperature", ""));
    }
}
