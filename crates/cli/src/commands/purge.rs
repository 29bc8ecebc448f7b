//! `drivelab purge`.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use drivelab_purge::{Asked, Planned};
use drivelab_runner::{
    Ending, Failure, PurgeReadBack, Purged, Real, TargetName, asked_of, check_flags, check_safety, output,
    plan_purge, purge, refuse_temperature_limit, say, signals, unlock_own, usage,
};
use drivelab_safety::{System, Target, open_for_reading};
use drivelab_uring::Access;
use schemars::JsonSchema;
use serde::Serialize;

use crate::args::PurgeArgs;

/// What a purge has done.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct PurgeDocument {
    /// The name and version of the document.
    schema: &'static str,
    /// The target as it was typed.
    target: String,
    /// How it was purged.
    method: String,
    /// Why so.
    why: Vec<String>,
    /// What the drive's log says of the end of a sanitize; null of other methods.
    log: Option<String>,
    /// How long it took.
    took_ns: u64,
    #[serde(flatten)]
    read_back: PurgeReadBack,
}

impl PurgeDocument {
    pub(super) const SCHEMA: &'static str = "drivelab.purge/1";
}

/// What a purge that is given up leaves.
const GIVEN_UP: &str =
    "what was erased stays so, and a sanitize goes on in the drive: `drivelab purge` waits for its end";

pub fn main(args: &PurgeArgs) -> Result<Ending, Failure> {
    let Some(how) = asked_of(args.purge) else {
        return Err(usage!(
            "--purge none purges nothing: write auto, sanitize, format, secure-erase or discard"
        ));
    };
    let path = path_of(&args.target)?;
    let target = Target::resolve(&System::live(), &path)?;
    if let Target::File(file) = &target
        && file.existing().is_none()
    {
        return Err(usage!("{} is not there: name a drive, or a file that there is", args.target));
    }
    refuse_temperature_limit(args.safety.temperature_limit(), "a purge is ended by no temperature")?;
    check_flags(&args.safety, &[TargetName::Path(path.clone())], None)?;
    if args.safety.dry_run {
        return dry_run(args, &target, how);
    }
    let interrupt = signals::interrupt_leaving(GIVEN_UP)?;
    unlock_own(&target, &args.safety)?;
    let real = Real::open_for_writing(&path, &args.safety, None)?;
    let planned = plan_purge(&real.access, &target, how)??;
    for note in &real.notes {
        say!("{}: {note}", args.target);
    }
    let purged = match purge(&real, planned, &interrupt) {
        // A use that began ends it, too, and is no interruption by the user.
        Err(failure) if interrupt.is_raised() && !matches!(failure, Failure::Refused(_)) => {
            say!("drivelab: {failure}");
            return Ok(Ending::Interrupted);
        }
        purged => purged?,
    };
    if args.json.is_asked {
        let Purged { planned, log, took, read_back } = &purged;
        output::print_json(&PurgeDocument {
            schema: PurgeDocument::SCHEMA,
            target: args.target.clone(),
            method: planned.method.to_string(),
            why: planned.why.clone(),
            log: log.clone(),
            took_ns: took.get(),
            read_back: *read_back,
        })?;
    } else {
        output::print(&in_words(&args.target, &purged))?;
    }
    Ok(if purged.failed() { Ending::CheckFailed } else { Ending::Passed })
}

/// A simulated drive has nothing that a purge of its own could take away.
fn path_of(target: &str) -> Result<PathBuf, Failure> {
    match TargetName::parse(target)? {
        TargetName::Path(path) => Ok(path),
        TargetName::Simulated(_) => Err(usage!(
            "{target} is new at every start, so there is nothing to purge: name a drive or a file"
        )),
    }
}

/// Says what would be done and why, and what stands against it. The drive is only asked.
fn dry_run(args: &PurgeArgs, target: &Target, how: Asked) -> Result<Ending, Failure> {
    let access = Access::Read(Arc::new(open_for_reading(&System::live(), target)?));
    let planned = plan_purge(&access, target, how)??;
    output::print(&plan_in_words(&args.target, &planned))?;
    check_safety(target, &args.safety, None::<&Path>)?;
    output::print(output::NOTHING_DONE)
}

fn plan_in_words(target: &str, planned: &Planned) -> String {
    let why: Vec<String> = planned.why.iter().map(|why| format!("{target}:   {why}\n")).collect();
    format!("{target}: {}, because\n{}", planned.method, why.concat())
}

fn in_words(target: &str, purged: &Purged) -> String {
    let log = purged.log.as_ref().map(|log| format!("the drive's log: {log}"));
    let failed = "NOT PURGED: data is still there, although the drive reported no error".to_owned();
    let lines = [
        Some(format!("done in {}", purged.took)),
        log,
        Some(purged.read_back.to_string()),
        purged.failed().then_some(failed),
    ];
    let lines: Vec<String> = lines.into_iter().flatten().map(|line| format!("{target}: {line}\n")).collect();
    plan_in_words(target, &purged.planned) + &lines.concat()
}
