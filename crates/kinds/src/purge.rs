//! The purge before a test.

use drivelab_method::{DiscardPurpose, Purge};
use drivelab_record::Severity;
use drivelab_view::format::things;

use crate::{CommandPurge, DiscardOutcome, DriveResult, DriveUnderTest, PurgeOption};

/// Purges a drive, or what of it the test may touch, and notes how. A drive that takes no discards begins as it is.
pub(crate) fn purge<S: DriveUnderTest>(
    asked: PurgeOption,
    discards: Purge,
    session: &mut S,
) -> DriveResult<S> {
    let began_as_it_was = |session: &mut S, why: String| {
        session.notice(Severity::Warning, format!("The drive was not purged{why}. It began as it was."));
    };
    if asked == PurgeOption::None {
        began_as_it_was(session, " (--purge none)".to_owned());
        return Ok(());
    }
    session.check_target()?;
    let because = match session.purge_by_command(asked)? {
        CommandPurge::Done(done) => {
            session.notice(done.severity, done.text);
            return Ok(());
        }
        CommandPurge::Lacks(why) => Some(why),
        CommandPurge::NotAsked => None,
    };
    match session.discard(DiscardPurpose::Purge, discards)? {
        DiscardOutcome::Taken(_) => session.notice(Severity::Note, by_discard(because)),
        DiscardOutcome::Unsupported(why) => {
            let more = because.map(|because| format!("; {because}")).unwrap_or_default();
            began_as_it_was(session, format!(": {why}{more}"));
        }
        DiscardOutcome::Failed { count, why } => {
            began_as_it_was(session, format!(": {} failed ({why})", things(count, "discard")));
        }
    }
    Ok(())
}

/// What is noted of a purge by discards, and why no command was used where one was asked for.
pub fn by_discard(because: Option<String>) -> String {
    let because = because.map(|because| format!(", because {because}")).unwrap_or_default();
    format!("Purge: a discard of the range stands in for a sanitize or secure erase{because}.")
}
