//! Format NVM with an erase.

use super::action::NvmeFormat;
use super::command::{Erasure, NvmeCommandError, NvmeCommands};

/// Formats the target's namespace. `before` is called before each command. Returns the format that was carried out, and the
/// refusal of the one before it.
///
/// # Errors
/// What the drive says of the last one, and the error of `before`.
pub fn format<D: NvmeCommands, E>(
    drive: &mut D,
    first: NvmeFormat,
    mut before: impl FnMut(NvmeFormat) -> Result<(), E>,
) -> Result<(NvmeFormat, Option<NvmeCommandError>), FormatError<E>> {
    let mut carry_out = |format| {
        before(format).map_err(FormatError::NotBegun)?;
        drive
            .erase(Erasure::Format(format))
            .map(|()| format)
            .map_err(|error| FormatError::Refused(vec![error]))
    };
    match (carry_out(first), first.next()) {
        (Ok(format), _) => Ok((format, None)),
        (Err(FormatError::Refused(first)), Some(next)) if is_no_such_erase(&first[0]) => {
            match carry_out(next) {
                Ok(format) => Ok((format, first.into_iter().next())),
                Err(FormatError::Refused(second)) => {
                    Err(FormatError::Refused(first.into_iter().chain(second).collect()))
                }
                Err(error) => Err(error),
            }
        }
        (Err(error), _) => Err(error),
    }
}

/// Why a namespace was not formatted.
#[derive(Debug)]
pub enum FormatError<E> {
    /// The command was not sent.
    NotBegun(E),
    /// The drive refused each that was sent, in their order; at least one.
    Refused(Vec<NvmeCommandError>),
}

/// Whether the refusal is Invalid Field in Command (02h), or Invalid Format (10Ah), and no failure of a format that was begun.
fn is_no_such_erase(error: &NvmeCommandError) -> bool {
    // Bits 10:0: the status code and its type.
    matches!(error, NvmeCommandError::Status(status) if matches!(status & 0x7ff, 0x002 | 0x10a))
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::super::action::FormatErase;
    use super::super::command::NvmeQuery;
    use super::super::identify::FormattedAs;
    use super::*;

    const USER_DATA: NvmeFormat =
        NvmeFormat { blocks: FormattedAs::PLAIN, erase: FormatErase::UserData, instead: None };

    /// A drive that answers the formats in turn, and keeps which they were.
    struct Answers(Vec<Result<(), u16>>, Vec<FormatErase>);

    impl NvmeCommands for Answers {
        fn inquire(&mut self, _: NvmeQuery) -> Result<Vec<u8>, NvmeCommandError> {
            unreachable!("a format asks for nothing")
        }

        fn erase(&mut self, erasure: Erasure) -> Result<(), NvmeCommandError> {
            let Erasure::Format(format) = erasure else { unreachable!("no sanitize") };
            self.1.push(format.erase);
            self.0.remove(0).map_err(NvmeCommandError::Status)
        }
    }

    fn formatted(has_crypto_erase: bool, answers: &[Result<(), u16>]) -> (Option<FormatErase>, usize) {
        let mut drive = Answers(answers.to_vec(), Vec::new());
        let mut told = Vec::new();
        let instead = has_crypto_erase.then_some(FormatErase::Crypto);
        let first = NvmeFormat { instead, ..USER_DATA };
        let ended = format(&mut drive, first, |format| {
            told.push(format.erase);
            Ok::<(), Infallible>(())
        });
        assert_eq!(told, drive.1, "each command is told before it is sent");
        (ended.ok().map(|(format, _)| format.erase), drive.1.len())
    }

    #[test]
    fn a_crypto_erase_is_for_drives_that_know_no_other() {
        let (user_data, crypto) = (Some(FormatErase::UserData), Some(FormatErase::Crypto));
        assert_eq!(formatted(true, &[Ok(())]), (user_data, 1));
        for refusal in [0x4002, 0x0002, 0x410a] {
            assert_eq!(formatted(true, &[Err(refusal), Ok(())]), (crypto, 2), "{refusal:#x}");
            assert_eq!(formatted(false, &[Err(refusal)]), (None, 1), "{refusal:#x}");
        }
        assert_eq!(formatted(true, &[Err(0x4002), Err(0x4002)]), (None, 2));
        let mut drive = Answers(vec![Err(0x4002), Err(0x0006)], Vec::new());
        let first = NvmeFormat { instead: Some(FormatErase::Crypto), ..USER_DATA };
        let ended = format(&mut drive, first, |_| Ok::<(), Infallible>(()));
        assert!(matches!(ended, Err(FormatError::Refused(all)) if all.len() == 2), "both refusals are told");
        let mut drive = Answers(vec![Err(0x4002), Ok(())], Vec::new());
        let ended = format(&mut drive, first, |_| Ok::<(), Infallible>(()));
        let last = NvmeFormat { erase: FormatErase::Crypto, instead: None, ..USER_DATA };
        assert!(matches!(ended, Ok((format, Some(_))) if format == last), "nothing is taken in its stead");
        // Internal Error, and a sanitize in progress: a second command would not mend that.
        for refusal in [0x0006, 0x001d] {
            assert_eq!(formatted(true, &[Err(refusal)]), (None, 1), "{refusal:#x}");
        }
    }

    #[test]
    fn nothing_is_sent_that_could_not_be_written_into_the_audit_log() {
        let mut drive = Answers(vec![Ok(())], Vec::new());
        let ended = format(&mut drive, USER_DATA, |_| Err("the log cannot be written"));
        assert!(matches!(ended, Err(FormatError::NotBegun(_))), "{ended:?}");
        assert_eq!(drive.1, []);
    }
}
