//! A run on a real drive is done by a process of its own, and this one waits for it.
//!
//! A drive that hangs may keep the process that asked it inside the kernel, where no signal ends it: a request for a file waits
//! for the file system's journal, one of very many for room in the drive's queue, in a worker of the kernel that belongs to the
//! process. That process writes its results, says so in a typed message, one a line, and is then left to itself if it cannot end.

use std::fs::OpenOptions;
use std::io::{BufRead as _, BufReader, PipeReader, Write as _};
use std::os::fd::AsRawFd as _;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::process::{Child, Command as Process, ExitCode, ExitStatus};
use std::thread;
use std::time::Duration;

use drivelab_runner::{is_simulated, signals};
use rustix::io::{FdFlags, fcntl_setfd};
use rustix::process::{Pid, Signal, kill_process};
use serde::{Deserialize, Serialize};

use crate::args::Command;

/// The process that waits, and the descriptor on which it listens, for the process that does the run.
const ATTENDED: &str = "DRIVELAB_ATTENDED";
/// How long a process that has said that it ends may take for that: as a rule a hundredth of it.
const ENDS_WITHIN: Duration = Duration::from_millis(300);
/// How often that is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(5);

/// What the process says that does the run.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum RunMessage {
    /// All is written and printed, and this is its exit code.
    Ended { code: u8 },
}

/// Who is told of the end of this process.
pub struct Attendant(Option<String>);

impl Attendant {
    /// The process that waits for this one; none where it was started by somebody else.
    pub fn of_this_process() -> Attendant {
        let told = std::env::var(ATTENDED).ok();
        let own = told.as_deref().and_then(|told| told.split_once(':')).filter(|(parent, _)| {
            // Programs that a run starts have the variable, too.
            rustix::process::getppid().is_some_and(|own| own.as_raw_pid().to_string() == *parent)
        });
        Attendant(own.map(|(_, descriptor)| format!("/proc/self/fd/{descriptor}")))
    }

    /// Whether there is one.
    pub fn is_there(&self) -> bool {
        self.0.is_some()
    }

    /// Tells that this process ends with this code, and has nothing more to do.
    pub fn tell(&self, code: u8) {
        let Some(pipe) = &self.0 else { return };
        let _ = std::io::stdout().flush();
        drivelab_uring::leave_standard_streams();
        let line = serde_json::to_string(&RunMessage::Ended { code }).unwrap_or_default();
        // Who waits sees the end itself where it does not hear of it.
        if let Ok(mut pipe) = OpenOptions::new().write(true).open(pipe) {
            let _ = writeln!(pipe, "{line}");
        }
    }
}

/// Has a process of its own do this command, where it works on a real drive, and gives its exit code; none where this process
/// is to do it.
pub fn attend(command: Option<&Command>, attendant: &Attendant) -> Option<ExitCode> {
    if attendant.is_there() {
        // Whoever waits is gone: then so is this.
        let _ = rustix::process::set_parent_process_death_signal(Some(Signal::KILL));
        let _ = rustix::thread::set_name(c"drivelab");
        return None;
    }
    if command?.tested_targets().into_iter().all(is_simulated) {
        return None;
    }
    // Without room for another process this one does it.
    let (child, pipe) = start().ok()?;
    Some(wait_for(child, pipe))
}

fn start() -> std::io::Result<(Child, PipeReader)> {
    let (listens, tells) = std::io::pipe()?;
    // The other process has it under the same number.
    fcntl_setfd(&tells, FdFlags::empty())?;
    let told = format!("{}:{}", std::process::id(), tells.as_raw_fd());
    let mut process = Process::new("/proc/self/exe");
    process.arg0("drivelab").args(std::env::args_os().skip(1)).env(ATTENDED, told);
    Ok((process.spawn()?, listens))
}

fn wait_for(mut child: Child, pipe: PipeReader) -> ExitCode {
    signals::pass_on_to(Pid::from_child(&child));
    let mut line = String::new();
    // Either it says that it ends, or the pipe closes with it.
    let _ = BufReader::new(pipe).read_line(&mut line);
    let Ok(RunMessage::Ended { code }) = serde_json::from_str(&line) else {
        return child.wait().map_or(ExitCode::FAILURE, end_as);
    };
    let mut waited = Duration::ZERO;
    while waited < ENDS_WITHIN && matches!(child.try_wait(), Ok(None)) {
        #[expect(
            clippy::disallowed_methods,
            reason = "the kernel tells nobody that a process ends within some time"
        )]
        thread::sleep(LOOK_EVERY);
        waited += LOOK_EVERY;
    }
    ExitCode::from(code)
}

/// Ends as the other process has ended: by the same signal, where it was one.
fn end_as(status: ExitStatus) -> ExitCode {
    if let Some(signal) = status.signal().and_then(Signal::from_named_raw) {
        let _ = kill_process(rustix::process::getpid(), signal);
    }
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    code.map_or(ExitCode::FAILURE, ExitCode::from)
}
