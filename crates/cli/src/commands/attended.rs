//! A run on a real drive is done by a process of its own, and this one waits for it.
//!
//! A drive that hangs may keep the process that asked it inside the kernel, where no signal ends it: a request for a file waits
//! for the file system's journal, one of very many for room in the drive's queue, in a worker of the kernel that belongs to the
//! process. That process writes its results, says so in a typed message, one a line, and is then left to itself if it cannot end.

use std::fs::OpenOptions;
use std::io::{ErrorKind, PipeReader, Read as _, Write as _};
use std::os::fd::AsRawFd as _;
use std::os::unix::fs::MetadataExt as _;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::process::{Child, Command as Process, ExitCode, ExitStatus};
use std::thread;
use std::time::Duration;

use drivelab_runner::is_simulated;
use drivelab_runner::signals::{self, HeldSignals};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::io::{Errno, FdFlags, fcntl_setfd};
use rustix::process::{Pid, PidfdFlags, Signal, getppid, pidfd_open, set_parent_process_death_signal};
use serde::{Deserialize, Serialize};

use crate::args::Command;

/// The process that waits, the descriptor on which it listens, and the inode of that pipe, for the process that does the run.
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

/// What [`ATTENDED`] says.
struct Told {
    parent: i32,
    descriptor: i32,
    inode: u64,
}

impl Told {
    fn parse(text: &str) -> Option<Told> {
        let mut parts = text.splitn(3, ':');
        let parent = parts.next()?.parse().ok()?;
        let descriptor = parts.next()?.parse().ok()?;
        Some(Told { parent, descriptor, inode: parts.next()?.parse().ok()? })
    }

    /// The pipe, as this process has it.
    fn pipe(&self) -> String {
        format!("/proc/self/fd/{}", self.descriptor)
    }

    /// Whether this process has the pipe. Programs that a run starts have the variable, and not the pipe.
    fn has_pipe(&self) -> bool {
        std::fs::metadata(self.pipe()).is_ok_and(|found| found.ino() == self.inode)
    }
}

/// Who is told of the end of this process.
pub struct Attendant(Option<String>);

/// The process that should wait for this one is gone, before this one has begun.
pub struct Orphaned;

impl Attendant {
    /// The process that waits for this one; none if it was started by another program. From now on this process ends with the
    /// one that waits for it.
    ///
    /// # Errors
    /// That process is gone by now, and nothing is left that a signal could be sent to.
    pub fn of_this_process() -> Result<Attendant, Orphaned> {
        let told = std::env::var(ATTENDED).ok().and_then(|told| Told::parse(&told));
        let Some(told) = told.filter(Told::has_pipe) else { return Ok(Attendant(None)) };
        // First this, and then who the parent is: it may end in between.
        let _ = set_parent_process_death_signal(Some(Signal::KILL));
        if getppid().is_none_or(|own| own.as_raw_pid() != told.parent) {
            return Err(Orphaned);
        }
        // What this process starts must not keep the pipe open once this one has ended.
        drivelab_uring::keep_from_programs(told.descriptor);
        Ok(Attendant(Some(told.pipe())))
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
        let _ = rustix::thread::set_name(c"drivelab");
        return None;
    }
    if command?.tested_targets().into_iter().all(is_simulated) {
        return None;
    }
    // What comes from now on is for the process that does the run: without that, this one would end and leave it behind.
    let held = HeldSignals::hold().ok()?;
    // Without room for another process this one does it.
    let (child, pipe) = start().ok()?;
    held.pass_on_to(Pid::from_child(&child));
    Some(wait_for(child, pipe))
}

fn start() -> std::io::Result<(Child, PipeReader)> {
    let (listens, tells) = std::io::pipe()?;
    // The other process has it under the same number.
    fcntl_setfd(&tells, FdFlags::empty())?;
    let inode = rustix::fs::fstat(&tells)?.st_ino;
    let told = format!("{}:{}:{inode}", std::process::id(), tells.as_raw_fd());
    let mut process = Process::new("/proc/self/exe");
    process.arg0("drivelab").args(std::env::args_os().skip(1)).env(ATTENDED, told);
    Ok((process.spawn()?, listens))
}

fn wait_for(mut child: Child, pipe: PipeReader) -> ExitCode {
    let Some(RunMessage::Ended { code }) = message_of(&child, pipe) else {
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

/// Waits until the process says that it ends, and returns that; none if it ends without a word, also where what it started still
/// has the pipe.
fn message_of(child: &Child, mut pipe: PipeReader) -> Option<RunMessage> {
    // Where the kernel has no such descriptor, the end of the pipe alone tells.
    let end = pidfd_open(Pid::from_child(child), PidfdFlags::empty()).ok();
    let _ = fcntl_getfl(&pipe).and_then(|flags| fcntl_setfl(&pipe, flags | OFlags::NONBLOCK));
    let (mut said, mut piece) = (Vec::new(), [0; 256]);
    loop {
        let ended = {
            let mut both = vec![PollFd::new(&pipe, PollFlags::IN)];
            both.extend(end.iter().map(|end| PollFd::new(end, PollFlags::IN)));
            match poll(&mut both, None) {
                Ok(_) => both.get(1).is_some_and(|end| !end.revents().is_empty()),
                Err(Errno::INTR) => false,
                Err(_) => return None,
            }
        };
        // What it said before its end is there by now.
        loop {
            match pipe.read(&mut piece) {
                Ok(0) => return parse(&said),
                Ok(length) => said.extend_from_slice(&piece[..length]),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(_) => break,
            }
        }
        if ended || said.contains(&b'\n') {
            return parse(&said);
        }
    }
}

fn parse(said: &[u8]) -> Option<RunMessage> {
    serde_json::from_slice(said).ok()
}

/// Ends as the other process has ended: by the same signal, where it was one.
fn end_as(status: ExitStatus) -> ExitCode {
    if let Some(signal) = status.signal().and_then(Signal::from_named_raw) {
        signals::end_by(signal);
    }
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    code.map_or(ExitCode::FAILURE, ExitCode::from)
}
