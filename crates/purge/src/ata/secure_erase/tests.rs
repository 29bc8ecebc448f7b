use super::*;

/// A drive with the security feature set, whose power goes, or which refuses, at one of its commands.
#[derive(Clone, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a state that the specification keeps apart")]
struct Fake {
    password: Option<Vec<u8>>,
    is_locked: bool,
    is_prepared: bool,
    is_frozen: bool,
    is_erased: bool,
    /// Commands until the one that goes wrong, and how.
    trouble: Option<(u32, Trouble)>,
    commands: Vec<AtaCommand>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Trouble {
    /// It is refused.
    Refused,
    /// The power goes before it.
    CutBefore,
    /// The power goes after it, and its end is not told.
    CutAfter,
}

const ABORTED: AtaCommandError = AtaCommandError::Registers { status: 0x51, error: 0x04 };

fn no_answer() -> AtaCommandError {
    AtaCommandError::System(io::Error::other("the power is gone"))
}

impl Fake {
    fn power_cycled(&mut self) {
        (self.is_locked, self.is_prepared) = (self.password.is_some(), false);
    }

    fn obey(&mut self, command: AtaCommand) -> Result<Vec<u8>, AtaCommandError> {
        let data = command.data();
        let is_right = self.password.as_deref() == data.get(2..34);
        let was_prepared = std::mem::replace(&mut self.is_prepared, command == AtaCommand::ErasePrepare);
        match command {
            AtaCommand::Identify => {
                let mut data = data;
                data[256] = 1
                    | u8::from(self.password.is_some()) << 1
                    | u8::from(self.is_locked) << 2
                    | u8::from(self.is_frozen) << 3;
                return Ok(data);
            }
            AtaCommand::SetPassword if self.password.is_none() => self.password = Some(data[2..34].to_vec()),
            AtaCommand::Unlock if is_right => self.is_locked = false,
            AtaCommand::DisablePassword if is_right && !self.is_locked => self.password = None,
            AtaCommand::ErasePrepare => {}
            AtaCommand::EraseUnit(_) if is_right && was_prepared => {
                (self.password, self.is_locked, self.is_erased) = (None, false, true);
            }
            _ => return Err(ABORTED),
        }
        Ok(Vec::new())
    }
}

impl AtaCommands for Fake {
    fn carry_out(&mut self, command: AtaCommand) -> Result<Vec<u8>, AtaCommandError> {
        self.commands.push(command);
        let due = match &mut self.trouble {
            Some((0, trouble)) => Some(*trouble),
            Some((left, _)) => {
                *left -= 1;
                None
            }
            None => None,
        };
        match due {
            None => self.obey(command),
            Some(Trouble::Refused) => {
                self.trouble = None;
                Err(ABORTED)
            }
            // A drive that is gone stays gone.
            Some(Trouble::CutBefore) => Err(no_answer()),
            Some(Trouble::CutAfter) => {
                self.trouble = Some((0, Trouble::CutBefore));
                let _ = self.obey(command);
                Err(no_answer())
            }
        }
    }
}

fn erase(drive: &mut Fake) -> (Result<(), SecureEraseError>, Vec<Journal>) {
    let mut written = Vec::new();
    let ended = secure_erase(
        drive,
        EraseMode::Normal,
        |entry| {
            written.push(entry);
            Ok(())
        },
        || false,
    );
    (ended, written)
}

#[test]
fn a_drive_is_erased_and_has_no_password_afterwards() {
    let mut drive = Fake::default();
    let (ended, written) = erase(&mut drive);
    ended.expect("erased");
    assert!(drive.is_erased && drive.password.is_none());
    assert_eq!(written, [Journal::PasswordSet, Journal::PasswordGone]);
}

#[test]
fn whatever_goes_wrong_the_password_is_gone_or_is_told_and_the_next_purge_takes_it_away() {
    for trouble in [Trouble::Refused, Trouble::CutBefore, Trouble::CutAfter] {
        for at in 0..8 {
            let mut drive = Fake { trouble: Some((at, trouble)), ..Fake::default() };
            let (ended, written) = erase(&mut drive);
            let context = format!("{trouble:?} at command {at}: {ended:?}");
            if drive.password.is_some() {
                assert!(matches!(ended, Err(SecureEraseError::PasswordLeft { .. })), "{context}");
                assert_eq!(written, [Journal::PasswordSet], "{context}");
            }
            if let Err(SecureEraseError::Refused(..) | SecureEraseError::Failed(_)) = ended {
                assert_eq!(drive.password, None, "{context}");
            }
            drive.trouble = None;
            drive.power_cycled();
            release(&mut drive).expect(&context);
            assert!(drive.password.is_none() && !drive.is_locked, "{context}");
            let (again, _) = erase(&mut drive);
            again.expect(&context);
            assert!(drive.is_erased, "{context}");
        }
    }
}

#[test]
fn a_drive_with_a_password_of_another_user_is_left_as_it_is() {
    for is_locked in [false, true] {
        let password = Some(vec![7; 32]);
        let mut drive = Fake { password: password.clone(), is_locked, ..Fake::default() };
        let released = release(&mut drive);
        assert!(matches!(released, Err(ReleaseError::Other(_))), "{released:?}");
        let told = drive.commands.iter().filter(|command| **command != AtaCommand::Identify).count();
        assert_eq!(told, 1, "one wrong password");
        let (ended, written) = erase(&mut drive);
        assert!(matches!(ended, Err(SecureEraseError::NotReady(_))), "{ended:?}");
        assert_eq!((drive.password, drive.is_locked, drive.is_erased), (password, is_locked, false));
        assert_eq!((written.len(), drive.commands.len()), (0, 3));
    }
}

#[test]
fn a_frozen_drive_is_told_nothing() {
    let mut drive = Fake { is_frozen: true, ..Fake::default() };
    let (ended, written) = erase(&mut drive);
    assert!(matches!(ended, Err(SecureEraseError::NotReady(_))) && written.is_empty(), "{ended:?}");
    drive.password = Some(vec![7; 32]);
    assert!(!release(&mut drive).expect("nothing to be done"));
    assert!(drive.commands.iter().all(|command| *command == AtaCommand::Identify));
}

#[test]
fn a_refusal_names_the_command() {
    let mut drive = Fake { trouble: Some((1, Trouble::Refused)), ..Fake::default() };
    let error = erase(&mut drive).0.expect_err("refused").to_string();
    assert!(error.starts_with("the drive refused SECURITY SET PASSWORD (ATA status 0x51"), "{error}");
}

#[test]
fn a_drive_that_cannot_be_told_is_not_said_to_have_another_password() {
    let own = Some(AtaCommand::SetPassword.data()[2..34].to_vec());
    let mut drive = Fake { password: own, trouble: Some((1, Trouble::CutBefore)), ..Fake::default() };
    let released = release(&mut drive);
    assert!(matches!(released, Err(ReleaseError::Failed(_))), "{released:?}");
}

#[test]
fn nothing_is_set_that_was_not_written_down() {
    let mut drive = Fake::default();
    let ended = secure_erase(&mut drive, EraseMode::Normal, |_| Err(io::Error::other("full")), || false);
    assert!(matches!(ended, Err(SecureEraseError::NotWrittenDown(_))), "{ended:?}");
    assert_eq!(drive.commands, [AtaCommand::Identify]);
}

#[test]
fn an_interruption_before_the_erase_leaves_no_password() {
    for looks in 0..3 {
        let mut drive = Fake::default();
        let left = std::cell::Cell::new(looks);
        let is_interrupted = || left.replace(left.get() - 1) == 0;
        let ended = secure_erase(&mut drive, EraseMode::Normal, |_| Ok(()), is_interrupted);
        assert!(matches!(ended, Err(SecureEraseError::Interrupted)), "{looks}: {ended:?}");
        assert!(drive.password.is_none() && !drive.is_erased, "{looks}");
    }
}
