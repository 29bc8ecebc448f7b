//! How a drive is to be brought to its fresh state before a test.

use std::str::FromStr;

use drivelab_block::worded_enum;
use drivelab_documents::Notice;
use serde::{Deserialize, Serialize};

use crate::{PlanError, RangeOption};

worded_enum! {
    /// How a drive is purged before a test.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum PurgeOption {
        /// Not at all.
        None = "none",
        /// By a discard of the range.
        Discard = "discard",
        /// By the most thorough command that the drive has and that reaches nothing but the target.
        Auto = "auto",
        /// By NVMe Sanitize.
        Sanitize = "sanitize",
        /// By NVMe Format with an erase of user data.
        Format = "format",
        /// By ATA SECURITY ERASE UNIT.
        SecureErase = "secure-erase",
    }
}

impl PurgeOption {
    /// What results say that were made before there was a choice: those of tests that purged.
    pub(crate) fn discard() -> PurgeOption {
        PurgeOption::Discard
    }

    /// Whether it is one command of the drive, which erases the whole of it.
    pub fn is_command(self) -> bool {
        matches!(self, PurgeOption::Sanitize | PurgeOption::Format | PurgeOption::SecureErase)
    }

    /// What it means for a range: where that is a part of the drive only, only discards reach nothing else, and a command that
    /// erases the whole drive is refused.
    pub(crate) fn of_range(self, range: &RangeOption) -> Result<PurgeOption, PlanError> {
        match self {
            _ if range.is_whole() => Ok(self),
            PurgeOption::Auto => Ok(PurgeOption::Discard),
            PurgeOption::None | PurgeOption::Discard => Ok(self),
            PurgeOption::Sanitize | PurgeOption::Format | PurgeOption::SecureErase => {
                Err(PlanError(format!(
                    "--purge {} erases the whole drive, and --range names a part of it: leave one of the two out",
                    self.word()
                )))
            }
        }
    }

    /// What would be done to a target, of which a discard reaches `range`, in words; none where nothing would.
    pub(crate) fn outline(self, range: &str) -> Option<String> {
        let sentence = match self {
            PurgeOption::None => return None,
            PurgeOption::Discard => format!("{range} would be discarded"),
            PurgeOption::Auto => format!(
                "the drive would be purged by its own command, or else {range} discarded (--purge auto)"
            ),
            command => format!("the whole drive would be purged (--purge {})", command.word()),
        };
        Some(sentence)
    }
}

/// What became of a purge by the drive's own command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CommandPurge {
    /// It was done; this is to be noted.
    Done(Notice),
    /// Any command would do, and the drive has none that reaches nothing else, for these reasons.
    Lacks(String),
    /// None was asked for, or the drive is simulated.
    NotAsked,
}

impl FromStr for PurgeOption {
    type Err = String;

    fn from_str(text: &str) -> Result<PurgeOption, String> {
        let found = PurgeOption::of_word(text);
        found.ok_or_else(|| "write auto, sanitize, format, secure-erase, discard or none".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RangeEnd;

    #[test]
    fn a_command_that_erases_all_is_refused_for_a_part() {
        let part = RangeOption { start: RangeEnd::Percent(0.0), end: RangeEnd::Percent(50.0) };
        let whole = RangeOption { end: RangeEnd::Percent(100.0), ..part };
        let commands = [PurgeOption::Sanitize, PurgeOption::Format, PurgeOption::SecureErase];
        for purge in [PurgeOption::None, PurgeOption::Discard, PurgeOption::Auto].into_iter().chain(commands)
        {
            assert_eq!(purge.of_range(&whole), Ok(purge));
            assert_eq!(purge.word().parse(), Ok(purge));
        }
        assert_eq!(PurgeOption::Auto.of_range(&part), Ok(PurgeOption::Discard));
        assert_eq!(PurgeOption::None.of_range(&part), Ok(PurgeOption::None));
        let refused = PurgeOption::Format.of_range(&part).expect_err("it erases all");
        assert!(refused.to_string().contains("leave one of the two out"), "{refused}");
    }
}
