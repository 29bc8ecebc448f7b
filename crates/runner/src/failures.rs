//! Why I/Os failed.

use std::collections::BTreeMap;

use drivelab_block::Status;
use drivelab_kinds::status_words;

/// Failed I/Os by the code of their status.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Failures(BTreeMap<i16, u64>);

impl Failures {
    pub fn add(&mut self, phase: &BTreeMap<i16, u64>) {
        phase.iter().for_each(|(code, count)| *self.0.entry(*code).or_default() += count);
    }

    pub fn count(&self) -> u64 {
        self.0.values().sum()
    }

    /// Those that the drive has answered.
    #[must_use]
    pub fn of_answered(&self) -> Failures {
        let answered = self.0.iter().filter(|(code, _)| !Status::from_code(**code).is_unanswered());
        Failures(answered.map(|(code, count)| (*code, *count)).collect())
    }

    pub fn are_all(&self, status: Status) -> bool {
        self.0.keys().all(|code| *code == status.code())
    }

    /// Whether more than half of them have this status.
    pub fn are_mostly(&self, status: Status) -> bool {
        self.0.get(&status.code()).is_some_and(|count| count * 2 > self.count())
    }

    /// Whether each of them is a command that the drive does not take (`EOPNOTSUPP`, `EREMOTEIO`), and none one that it failed.
    pub fn are_refusals(&self) -> bool {
        self.0.keys().all(|code| [95, 121].contains(code))
    }

    /// The errors in the system's words, the commonest first; with their counts where there are several.
    pub fn words(&self) -> String {
        let mut errors: Vec<(i16, u64)> = self.0.iter().map(|(code, count)| (*code, *count)).collect();
        errors.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        if let [(code, _)] = errors[..] {
            return status_words(Status::from_code(code));
        }
        let each =
            errors.iter().map(|(code, count)| format!("{}: {count}", status_words(Status::from_code(*code))));
        each.collect::<Vec<_>>().join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_told_in_words_and_counted_where_there_are_several() {
        let mut failures = Failures::default();
        failures.add(&BTreeMap::from([(5, 7)]));
        assert_eq!((failures.count(), failures.words()), (7, "Input/output error (os error 5)".to_owned()));
        failures.add(&BTreeMap::from([(-1, 20), (5, 1)]));
        assert!(failures.are_mostly(Status::SHORT) && !failures.are_mostly(Status::errno(5)));
        assert_eq!(failures.words(), "fewer bytes than asked for: 20, Input/output error (os error 5): 8");
        let medium = Failures(BTreeMap::from([(61, 1)]));
        assert!(
            medium.words().starts_with("medium error"),
            "not the words of an empty pipe: {}",
            medium.words()
        );
    }
}
