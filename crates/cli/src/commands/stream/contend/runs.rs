//! One run: the recorder, the competitor, and what came of both.

use std::io;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use drivelab_block::Nanos;
use drivelab_inspect::contend::{ContendRun, NoRateReason};
use drivelab_method::Interrupt;
use drivelab_program::Owner;
use drivelab_runner::{Failure, environment, nap};

use super::mechanism::SetUp;
use crate::args::StreamContendArgs;
use crate::commands::attended::{
    AttendedTask, ContendTask, ENDS_WITHIN, EndedTask, FoundByTask, TaskEnd, TaskProcess,
};

/// How long the competitor works before the recorder begins.
pub const AHEAD: Nanos = Nanos::from_secs(1);

/// How the competitor's file ends.
const ENDING: &str = ".contend";

/// The competitor's file, which is removed at the end.
pub struct CompetitorFile(PathBuf);

impl CompetitorFile {
    /// Makes the file, of whole data: holes would be answered without the drive.
    pub fn make(args: &StreamContendArgs, interrupt: &Interrupt) -> Result<CompetitorFile, Failure> {
        let owner = Owner::this_program().ok_or_else(|| environment!("/proc is not there"))?;
        let file = CompetitorFile(args.competitor_directory.join(owner.instance(0) + ENDING));
        let maker = start(ContendTask::MakeFile { file: file.0.clone() });
        finished(maker, interrupt, "the competitor's file cannot be made")?;
        Ok(file)
    }

    /// The files of programs that were killed.
    pub fn abandoned(folder: &Path) -> Vec<PathBuf> {
        let names = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
        let is_abandoned = |path: &PathBuf| {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            let owner = name.strip_suffix(ENDING).and_then(Owner::of_instance);
            owner.is_some_and(|owner| !owner.is_alive())
        };
        names.filter(is_abandoned).collect()
    }

    /// Removes them; says which.
    pub fn clear_abandoned(folder: &Path) -> Vec<String> {
        let removed =
            CompetitorFile::abandoned(folder).into_iter().filter(|path| std::fs::remove_file(path).is_ok());
        removed.map(|path| format!("the competitor's file {} is removed", path.display())).collect()
    }
}

/// A competitor at work; it ends with this.
struct Competitor(Option<TaskProcess>);

impl Drop for Competitor {
    fn drop(&mut self) {
        if let Some(process) = &mut self.0 {
            // Whether it has ended already or not, it is at work no more.
            let _ = process.kill();
        }
    }
}

impl Drop for CompetitorFile {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// Runs the recorder, which records as `record` says, beside the competitor, or alone.
pub fn run(
    record: ContendTask,
    is_contended: bool,
    set_up: &SetUp,
    (file, interrupt): (&CompetitorFile, &Interrupt),
) -> Result<ContendRun, Failure> {
    let not_competed = "the competitor cannot be run";
    let mut competitor = Competitor(None);
    if is_contended {
        let process = start(ContendTask::Compete { file: file.0.clone() });
        let process = process.map_err(|error| Failure::io(not_competed, &error))?;
        let number = process.number();
        competitor.0 = Some(process);
        set_up.take(number)?;
        nap(AHEAD, interrupt);
        if interrupt.is_raised() {
            return Err(environment!("{not_competed}: it was interrupted"));
        }
    }
    let what = "the recorder cannot be run";
    let Some(FoundByTask::Recorded { longest_write_ns, dropped, mb_s }) =
        finished(start(record), interrupt, what)?
    else {
        return Err(environment!("{what}: it did not record"));
    };
    let competed = competitor.0.take().map(|process| finished(Ok(process), interrupt, not_competed));
    let (competitor_mb_s, no_rate) = match competed {
        None => (None, Some(NoRateReason::NoCompetitor)),
        Some(Ok(Some(FoundByTask::Loaded { mb_s: Some(mb_s) }))) => (Some(mb_s), None),
        // I/Os of the competitor that failed take its rate away; what the recorder did was measured.
        Some(Ok(_) | Err(Failure::DriveFailed(_))) => (None, Some(NoRateReason::FiguresWithheld)),
        Some(Err(failure)) => return Err(failure),
    };
    Ok(ContendRun { longest_write_ns, dropped, mb_s, competitor_mb_s, competitor_mb_s_null_because: no_rate })
}

/// A process that takes part. What it says is for nobody; a kill of this program leaves it not at work on the drive.
fn start(part: ContendTask) -> io::Result<TaskProcess> {
    TaskProcess::start(AttendedTask::Contend(part), |process| {
        process.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    })
}

/// What a process has found at its end.
fn finished(
    started: io::Result<TaskProcess>,
    interrupt: &Interrupt,
    what: &str,
) -> Result<Option<FoundByTask>, Failure> {
    let ended = started.and_then(|mut process| process.wait(Some(interrupt), ENDS_WITHIN));
    match ended.map_err(|error| Failure::io(what, &error))? {
        TaskEnd::Told(ended) => found_by(ended, what),
        TaskEnd::Silent(status) => Err(environment!("{what}: {status}")),
    }
}

/// What a process has found that has said how it ended. The recorder's own check fails where it dropped frames, which is what is
/// measured.
fn found_by(ended: EndedTask, what: &str) -> Result<Option<FoundByTask>, Failure> {
    match ended.failure {
        None if ended.code <= 1 => Ok(ended.found),
        None => Err(environment!("{what}: it was interrupted")),
        Some(Failure::Environment(why)) => Err(environment!("{what}: {why}")),
        Some(Failure::DriveFailed(why)) => Err(Failure::DriveFailed(format!("{what}: {why}"))),
        Some(failure @ (Failure::Usage(_) | Failure::Refused(_))) => Err(failure),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recorder_whose_drive_failed_has_measured_nothing() {
        let found = Some(FoundByTask::Recorded { longest_write_ns: 1, dropped: 2, mb_s: 3.0 });
        let ended = |failure| found_by(EndedTask { code: 1, failure, found }, "the recorder cannot be run");
        assert!(
            matches!(ended(None), Ok(Some(FoundByTask::Recorded { dropped: 2, .. }))),
            "frames were dropped"
        );
        let failed = ended(Some(Failure::DriveFailed("a write failed".to_owned())));
        assert!(
            matches!(&failed, Err(Failure::DriveFailed(why)) if why.ends_with("run: a write failed")),
            "{failed:?}"
        );
    }
}
