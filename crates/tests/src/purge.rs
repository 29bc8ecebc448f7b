//! The purge before a test.

use drivelab_method::{DiscardPurpose, Purge};
use drivelab_record::Severity;

use crate::{AskedPurge, DiscardOutcome, Session};

/// Purges a drive, or what of it the test may touch, and notes how. A drive that takes no discards begins as it is.
pub(crate) fn purge<S: Session>(asked: AskedPurge, discards: Purge, session: &mut S) -> Result<(), S::Error> {
    let began_as_it_was = |session: &mut S, why: String| {
        session.notice(Severity::Warning, format!("The drive was not purged{why}. It began as it was."));
    };
    if asked == AskedPurge::None {
        began_as_it_was(session, " (--purge none)".to_owned());
        return Ok(());
    }
    session.check_target()?;
    if purge_by_command(asked, session)? {
        return Ok(());
    }
    match session.discard(DiscardPurpose::Purge, discards)? {
        DiscardOutcome::Taken(_) => session.notice(Severity::Note, BY_DISCARD.to_owned()),
        DiscardOutcome::Unsupported(why) => began_as_it_was(session, format!(": {why}")),
        DiscardOutcome::Failed { count, why } => {
            began_as_it_was(session, format!(": {count} discards failed ({why})"));
        }
    }
    Ok(())
}

/// What is noted of a purge by discards.
pub const BY_DISCARD: &str = "Purge: a discard of the range stands in for a sanitize or secure erase.";

/// Purges by a command of the drive, where one was asked for and the drive has it; whether it was.
pub(crate) fn purge_by_command<S: Session>(asked: AskedPurge, session: &mut S) -> Result<bool, S::Error> {
    if !asked.is_command() && asked != AskedPurge::Auto {
        return Ok(false);
    }
    let Some(done) = session.purge_by_command(asked)? else { return Ok(false) };
    session.notice(done.severity, done.text);
    Ok(true)
}
