use std::collections::VecDeque;
use std::io;

use super::*;

/// A drive that answers each request for its log with the next of these; `None` is a controller in reset.
struct Fake {
    logs: VecDeque<Option<(u16, u16)>>,
    begun: Vec<Erasure>,
}

impl NvmeCommands for Fake {
    fn inquire(&mut self, _: NvmeQuery) -> Result<Vec<u8>, NvmeCommandError> {
        let next = self.logs.pop_front().expect("it is not asked after the end");
        let (progress, status) = next.ok_or_else(|| NvmeCommandError::System(io::Error::other("reset")))?;
        Ok(page(progress, status))
    }

    fn erase(&mut self, erasure: Erasure) -> Result<(), NvmeCommandError> {
        self.begun.push(erasure);
        Ok(())
    }
}

fn page(progress: u16, status: u16) -> Vec<u8> {
    let mut data = vec![0; 512];
    data[..2].copy_from_slice(&progress.to_le_bytes());
    data[2..4].copy_from_slice(&status.to_le_bytes());
    data
}

fn sanitized(logs: &[Option<(u16, u16)>]) -> (Result<Sanitized, SanitizeError>, Vec<Erasure>) {
    let mut drive = Fake { logs: logs.iter().copied().collect(), begun: Vec::new() };
    let ended = sanitize(&mut drive, SanitizeAction::BlockErase, |_| true);
    assert!(drive.logs.is_empty(), "it was not waited for the end");
    (ended, drive.begun)
}

#[test]
fn the_log_is_read_as_the_specification_has_it() {
    let mut data = page(0x8000, 0x0102);
    data[12..16].copy_from_slice(&90_u32.to_le_bytes());
    data[16..20].copy_from_slice(&u32::MAX.to_le_bytes());
    let log = SanitizeLog::parse(&data);
    assert_eq!((log.state, log.percent(), log.erased), (SanitizeState::InProgress, 50, true));
    assert_eq!((log.block_erase_s, log.crypto_erase_s), (Some(90), None));
    assert_eq!(SanitizeLog::parse(&page(0xffff, 5)).state, SanitizeState::Reserved(5));
}

#[test]
fn the_command_names_its_action() {
    assert_eq!((SanitizeAction::BlockErase.dword(), SanitizeAction::CryptoErase.dword()), (0x0a, 0x0c));
}

#[test]
fn a_reset_in_the_middle_is_waited_for() {
    let (ended, begun) =
        sanitized(&[Some((0xffff, 0)), Some((100, 2)), None, None, Some((200, 2)), Some((0xffff, 0x101))]);
    let ended = ended.expect("it ends well");
    assert!(!ended.was_in_progress && ended.log.erased);
    assert_eq!(begun, [Erasure::Sanitize(SanitizeAction::BlockErase)]);
}

#[test]
fn one_that_is_in_progress_is_not_begun_again() {
    let (ended, begun) = sanitized(&[Some((100, 2)), Some((200, 2)), Some((0xffff, 1))]);
    assert!(ended.expect("it ends well").was_in_progress);
    assert_eq!(begun, []);
}

#[test]
fn one_that_fails_is_not_taken_for_a_success() {
    let (ended, _) = sanitized(&[Some((0xffff, 1)), Some((100, 2)), Some((100, 3))]);
    assert!(matches!(ended, Err(SanitizeError::Failed(_))));
}

#[test]
fn a_drive_that_never_answers_again_is_given_up() {
    let mut logs = vec![Some((0, 1))];
    logs.extend(vec![None; 61]);
    assert!(matches!(sanitized(&logs).0, Err(SanitizeError::NotTold(_))));
}

#[test]
fn the_state_and_the_mark_of_an_erased_drive_are_read_apart() {
    let of = |status| {
        let log = SanitizeLog::parse(&page(0, status));
        (log.state, log.erased)
    };
    // Bits 7:3 count the passes of an overwrite.
    assert_eq!(of(0x00f9), (SanitizeState::Succeeded, false));
    assert_eq!(of(0x0101), (SanitizeState::Succeeded, true));
    assert_eq!(of(0x0002), (SanitizeState::InProgress, false));
    assert_eq!(of(0x0107), (SanitizeState::Reserved(7), true));
}

#[test]
fn a_log_says_in_words_what_became_of_the_sanitize() {
    let of = |progress, status| SanitizeLog::parse(&page(progress, status)).to_string();
    assert_eq!(of(u16::MAX, 0), "the drive was never sanitized");
    assert_eq!(of(u16::MAX, 0x101), "the last sanitize succeeded; nothing was written since");
    assert_eq!(of(0x8000, 2), "a sanitize is in progress, 50 % done");
    assert_eq!(of(u16::MAX, 3), "the last sanitize failed");
    assert_eq!(of(u16::MAX, 4), "the last sanitize succeeded and freed all blocks");
}
