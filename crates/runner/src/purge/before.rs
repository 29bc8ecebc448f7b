//! A purge before a test.

use std::sync::Arc;

use drivelab_documents::{Notice, Severity};
use drivelab_kinds::{CommandPurge, PurgeOption};
use drivelab_method::Interrupt;
use drivelab_purge::{Asked, Method};
use drivelab_safety::{System, Target, open_for_reading};
use drivelab_uring::Access;

use super::{Purged, plan_purge, purge};
use crate::{Failure, Real};

/// Purges a claimed drive by a command of its own, where it has the one that was asked for.
pub fn purge_before(real: &Real, asked: PurgeOption, interrupt: &Interrupt) -> Result<CommandPurge, Failure> {
    let Some(how) = command(asked) else { return Ok(CommandPurge::NotAsked) };
    let target = Target::resolve(&System::live(), &real.path)?;
    let planned = match plan_purge(&real.access, &target, how)? {
        Err(why) if how == Asked::Auto => {
            return Ok(CommandPurge::Lacks(why.to_string()));
        }
        planned => planned?,
    };
    if planned.method == Method::Discard {
        return Ok(CommandPurge::Lacks(planned.why.join("; ")));
    }
    let purged = purge(real, planned, interrupt)?;
    Ok(CommandPurge::Done(notice(&purged)))
}

/// Refuses a command that a target does not have, before anything is done to it or to another.
pub fn check_purge(target: Option<&Target>, asked: PurgeOption) -> Result<(), Failure> {
    let (true, Some(how)) = (asked.is_command(), command(asked)) else { return Ok(()) };
    match target {
        None => no_command_of_simulated(asked),
        Some(Target::File(_)) => Err(usage!(
            "--purge {} goes with a drive: a file has no such command; write --purge discard",
            asked.word()
        )),
        Some(drive @ Target::Drive(_)) => {
            let access = Access::Read(Arc::new(open_for_reading(&System::live(), drive)?));
            Ok(plan_purge(&access, drive, how)?.map(drop)?)
        }
    }
}

/// Refuses a command that a simulated drive does not have.
pub fn no_command_of_simulated(asked: PurgeOption) -> Result<(), Failure> {
    if !asked.is_command() {
        return Ok(());
    }
    Err(usage!(
        "--purge {} goes with a real drive: a simulated one has no such command; write --purge discard",
        asked.word()
    ))
}

/// The purge that was asked for; none where none was.
pub fn asked_of(asked: PurgeOption) -> Option<Asked> {
    match asked {
        PurgeOption::None => None,
        PurgeOption::Discard => Some(Asked::Discard),
        PurgeOption::Auto => Some(Asked::Auto),
        PurgeOption::Sanitize => Some(Asked::Sanitize),
        PurgeOption::Format => Some(Asked::Format),
        PurgeOption::SecureErase => Some(Asked::SecureErase),
    }
}

/// The discards before a test are a phase of it, and no command.
fn command(asked: PurgeOption) -> Option<Asked> {
    asked_of(asked).filter(|how| *how != Asked::Discard)
}

fn notice(purged: &Purged) -> Notice {
    let (severity, left) = if purged.failed() {
        (Severity::Failure, " Data is still there, although the drive reported no error: it was not purged.")
    } else {
        (Severity::Note, "")
    };
    let log = purged.log.as_ref().map(|log| format!(" The drive's log: {log}.")).unwrap_or_default();
    let (method, why) = (purged.planned.method, purged.planned.why.join("; "));
    let text = format!("Purge: {method}, because {why}. Afterwards, {}.{log}{left}", purged.read_back);
    Notice { severity, text }
}
