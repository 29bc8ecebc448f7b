//! One run: the recorder, the competitor, and what came of both.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use drivelab_inspect::InspectionDocument;
use drivelab_inspect::contend::{ContendRun, NoRateReason};
use drivelab_inspect::stream::{RecordFindings, StreamFindings};
use drivelab_kinds::Document;
use drivelab_kinds::load::LoadFindings;
use drivelab_program::Owner;
use drivelab_runner::{Failure, TemperatureLimit};
use serde::de::DeserializeOwned;

use super::mechanism::{Mechanism, SetUp};
use crate::args::StreamContendArgs;

/// How long the competitor works before the recorder begins.
const AHEAD: Duration = Duration::from_secs(1);

/// How the competitor's file ends.
const ENDING: &str = ".contend";

/// The competitor's file, which is removed at the end.
pub struct CompetitorFile(PathBuf);

impl CompetitorFile {
    /// Makes the file, of whole data: holes would be answered without the drive.
    pub fn make(args: &StreamContendArgs) -> Result<CompetitorFile, Failure> {
        let owner =
            Owner::this_program().ok_or_else(|| Failure::Environment("/proc is not there".to_owned()))?;
        let path = args.competitor_directory.join(owner.instance(0) + ENDING);
        let file = CompetitorFile(path);
        let size = format!("{}B", args.competitor_size.get());
        let mut command = program()?;
        command.arg("load").arg(&file.0).args([
            "--rw",
            "write",
            "--block-size",
            "1MiB",
            "--queue-depth",
            "4",
        ]);
        command.args(["--file-size", &size, "--bytes", &size, "--json"]);
        finished(command.stdout(Stdio::null()).spawn(), "the competitor's file cannot be made")?;
        Ok(file)
    }

    fn path(&self) -> &Path {
        &self.0
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
struct Competitor(Option<Child>);

impl Competitor {
    /// What it said at its end.
    fn finished(mut self) -> Result<LoadFindings, Failure> {
        let child = self.0.take().ok_or_else(|| std::io::Error::other("it is gone"));
        let document: Document<LoadFindings> = document(child, "the competitor cannot be run")?;
        Ok(document.findings)
    }
}

impl Drop for Competitor {
    fn drop(&mut self) {
        if let Some(child) = &mut self.0 {
            // Whether it has ended already or not, it is at work no more.
            let _ = child.kill().and_then(|()| child.wait());
        }
    }
}

impl Drop for CompetitorFile {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// This very program.
fn program() -> Result<Command, Failure> {
    let path =
        std::env::current_exe().map_err(|error| Failure::io("this program cannot be found", &error))?;
    let mut command = Command::new(path);
    // A kill of this program leaves nobody at work on the drive.
    command.args(["--end-with-parent", &std::process::id().to_string()]);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    Ok(command)
}

/// Runs the recorder beside the competitor, or alone.
pub fn run(
    args: &StreamContendArgs,
    mechanism: &Mechanism,
    set_up: &SetUp,
    file: &CompetitorFile,
) -> Result<ContendRun, Failure> {
    let competitor = if mechanism.contended {
        let child = compete(args, file)?;
        let number = child.id();
        let competitor = Competitor(Some(child));
        set_up.take(number)?;
        wait(AHEAD);
        Some(competitor)
    } else {
        None
    };
    let recorded = recorded(recorder(args, mechanism)?)?;
    let competed = competitor.map(Competitor::finished).transpose()?;
    let no_rate = match &competed {
        None => Some(NoRateReason::NoCompetitor),
        Some(competed) if competed.mb_s.is_none() => Some(NoRateReason::FiguresWithheld),
        Some(_) => None,
    };
    Ok(ContendRun {
        longest_write_ns: recorded.longest_write_ns,
        dropped: recorded.channels.iter().map(|channel| channel.dropped).sum(),
        mb_s: recorded.mb_s,
        competitor_mb_s: competed.and_then(|competed| competed.mb_s),
        competitor_mb_s_null_because: no_rate,
    })
}

/// What the recorder recorded.
fn recorded(mut recorder: Command) -> Result<RecordFindings, Failure> {
    let what = "the recorder cannot be run";
    let document: InspectionDocument<StreamFindings> = document(recorder.spawn(), what)?;
    match document.findings {
        StreamFindings::Record(recorded) => Ok(recorded),
        _ => Err(Failure::Environment(format!("{what}: it did not record"))),
    }
}

fn recorder(args: &StreamContendArgs, mechanism: &Mechanism) -> Result<Command, Failure> {
    let mut command = program()?;
    let frames = format!(
        "stream=synthetic,size=1MB,rate={}/s,ring={}B,on-full=drop",
        args.bytes_per_second() / 1e6,
        args.ring.get()
    );
    command.args(["stream", "record"]).arg(&args.target).args(["--channel", &frames]);
    // What the target held was given up before the first run; from then on it holds a recording of the last one.
    command.args(["--cyclic", "--json", "--destroy-data"]);
    command.args(["--duration", &format!("{}s", args.cell_duration.as_secs_f64())]);
    if mechanism.priority {
        command.arg("--priority");
    }
    if args.safety.temperature_limit != TemperatureLimit::Suggested {
        command.arg(format!("--temperature-limit={}", args.safety.temperature_limit));
    }
    for serial in &args.safety.serial {
        command.args(["--serial", serial]);
    }
    if let Some(size) = args.safety.file_size {
        command.args(["--file-size", &format!("{}B", size.get())]);
        // It was made by the first run, or looked at before that.
        command.arg("--assume-unused");
    } else if args.safety.assume_unused {
        command.arg("--assume-unused");
    }
    Ok(command)
}

fn compete(args: &StreamContendArgs, file: &CompetitorFile) -> Result<Child, Failure> {
    let mut command = program()?;
    let lasts = format!("{}s", args.cell_duration.as_secs_f64() + AHEAD.as_secs_f64());
    command.arg("load").arg(file.path()).args([
        "--rw",
        &args.competitor.name(),
        "--queue-depth",
        "32",
        "--duration",
        &lasts,
        "--json",
    ]);
    if !args.competitor.only_reads() {
        // The file is this program's own.
        command.args(["--destroy-data", "--assume-unused"]);
    }
    command.spawn().map_err(|error| Failure::io("the competitor cannot be run", &error))
}

/// The document that a program of ours printed at its end.
fn document<D: DeserializeOwned>(child: std::io::Result<Child>, what: &str) -> Result<D, Failure> {
    let printed = finished(child, what)?;
    serde_json::from_slice(&printed)
        .map_err(|error| Failure::Environment(format!("{what}: it printed no document ({error})")))
}

/// What a program of ours printed. The recorder ends with 1 where it dropped frames, which is what is measured.
fn finished(child: std::io::Result<Child>, what: &str) -> Result<Vec<u8>, Failure> {
    let ended = child.and_then(Child::wait_with_output).map_err(|error| Failure::io(what, &error))?;
    if matches!(ended.status.code(), Some(0 | 1)) {
        return Ok(ended.stdout);
    }
    let said = String::from_utf8_lossy(&ended.stderr);
    let last = said.lines().last().unwrap_or("it said nothing").trim_start_matches("drivelab: ").to_owned();
    Err(match ended.status.code() {
        Some(2) => Failure::Usage(last),
        Some(4) => Failure::Refused(last),
        _ => Failure::Environment(format!("{what}: {last}")),
    })
}

#[expect(clippy::disallowed_methods, reason = "the competitor has to be at work first")]
fn wait(time: Duration) {
    std::thread::sleep(time);
}
