//! Processes of their own: for a run on a real drive, a step of a review, and who takes part in a contention.
//!
//! A drive that hangs may keep the process that asked it inside the kernel, where no signal ends it: a request for a file waits
//! for the file system's journal, one of very many for room in the drive's queue, in a worker of the kernel that belongs to the
//! process. That process writes its results, says so in a typed message, one a line, and is then left to itself if it cannot end.
//! What it is to do it hears in a message, too; its command line is that of the process that has started it.

use std::fs::OpenOptions;
use std::io::{self, ErrorKind, PipeReader, Read as _, Write as _};
use std::os::fd::AsRawFd as _;
use std::os::unix::fs::MetadataExt as _;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::PathBuf;
use std::process::{Child, Command as Process, ExitCode, ExitStatus};
use std::thread;
use std::time::Duration;

use drivelab_method::Interrupt;
use drivelab_runner::signals::{self, HeldSignals};
use drivelab_runner::{Failure, ParentProgress, is_simulated};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::io::{Errno, FdFlags, fcntl_setfd};
use rustix::process::{
    Pid, PidfdFlags, Signal, getppid, kill_process, pidfd_open, set_parent_process_death_signal,
};
use serde::{Deserialize, Serialize};

use crate::args::Command;

/// What the process that does something is told.
const ATTENDED: &str = "DRIVELAB_ATTENDED";
/// How long a process that has said that it ends may take for that: as a rule a hundredth of it.
pub const ENDS_WITHIN: Duration = Duration::from_millis(300);
/// How often that is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(5);
/// How often it is looked whether the user ends what is waited for.
const GLANCE: Timespec = Timespec { tv_sec: 0, tv_nsec: 100_000_000 };

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AttendedTask {
    /// What its command line says.
    CommandLine,
    /// A step of the review of its command line.
    Step(StepTask),
    /// A part of the contention of its command line.
    Contend(ContendTask),
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub struct StepTask {
    /// Its place in the record of the review.
    pub place: usize,
    /// The name of its target, as that is connected now.
    pub target: String,
    /// Which part of the review it is.
    pub parent: ParentProgress,
}

/// Who takes part in a contention.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ContendTask {
    /// The recorder; the serial numbers confirm its drive.
    Record {
        priority: bool,
        serial: Vec<String>,
    },
    /// Who writes the competitor's file, before the first run.
    MakeFile {
        file: PathBuf,
    },
    Compete {
        file: PathBuf,
    },
}

/// How the process ends that does something: all is written and printed.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct EndedTask {
    pub code: u8,
    /// Why it failed; none where it did what it was told.
    pub failure: Option<Failure>,
    /// What it found, of what its attendant waits for.
    pub found: Option<FoundByTask>,
}

/// What is found in a contention.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FoundByTask {
    /// By the recorder: its longest write, frames that found no room in the ring, and what it kept in MB/s.
    Recorded { longest_write_ns: u64, dropped: u64, mb_s: f64 },
    /// By a load: its rate in MB/s; none where its figures are withheld.
    Loaded { mb_s: Option<f64> },
}

/// What [`ATTENDED`] says.
#[derive(Debug, Serialize, Deserialize)]
struct Told {
    /// The process that waits.
    parent: i32,
    /// The descriptor on which it listens.
    descriptor: i32,
    inode: u64,
    task: AttendedTask,
}

impl Told {
    /// The pipe, as this process has it.
    fn pipe(&self) -> String {
        format!("/proc/self/fd/{}", self.descriptor)
    }
}

/// Who is told of the end of this process.
pub struct Attendant(Option<Told>);

/// The process that should wait for this one is gone, before this one has begun.
pub struct Orphaned;

impl Attendant {
    /// The process that waits for this one; none if it was started by another program. From now on this process ends with the
    /// one that waits for it. An error where that process is gone by now, and nothing is left that a signal could be sent to.
    pub fn of_this_process() -> Result<Attendant, Orphaned> {
        let told = std::env::var(ATTENDED).ok().and_then(|told| serde_json::from_str(&told).ok());
        // Programs that a run starts have the variable, and not the pipe.
        let has_pipe =
            |told: &Told| std::fs::metadata(told.pipe()).is_ok_and(|found| found.ino() == told.inode);
        let Some(told) = told.filter(has_pipe) else { return Ok(Attendant(None)) };
        // First this, and then who the parent is: it may end in between.
        let _ = set_parent_process_death_signal(Some(Signal::KILL));
        if getppid().is_none_or(|own| own.as_raw_pid() != told.parent) {
            return Err(Orphaned);
        }
        // It was started by a path that says nothing.
        let _ = rustix::thread::set_name(c"drivelab");
        // What this process starts must not keep the pipe open once this one has ended.
        drivelab_uring::keep_from_programs(told.descriptor);
        Ok(Attendant(Some(told)))
    }

    /// What this process is to do; none where nobody waits for it.
    pub fn task(&self) -> Option<&AttendedTask> {
        self.0.as_ref().map(|told| &told.task)
    }

    /// Tells that this process ends, and has nothing more to do.
    pub fn tell(&self, ended: &EndedTask) {
        let Some(told) = &self.0 else { return };
        let _ = io::stdout().flush();
        drivelab_uring::leave_standard_streams();
        let line = serde_json::to_string(ended).unwrap_or_default();
        // Who waits sees the end itself where it does not hear of it.
        if let Ok(mut pipe) = OpenOptions::new().write(true).open(told.pipe()) {
            let _ = writeln!(pipe, "{line}");
        }
    }
}

/// Has a process of its own do this command, where it works on a real drive, and gives its exit code; none where this process
/// is to do it.
pub fn attend(command: Option<&mut Command>, attendant: &Attendant) -> Option<ExitCode> {
    if attendant.task().is_some() || command?.tested_targets().into_iter().all(is_simulated) {
        return None;
    }
    // What comes from now on is for the process that does the run: without that, this one would end and leave it behind.
    let held = HeldSignals::hold().ok()?;
    // Without room for another process this one does it.
    let mut process = TaskProcess::start(AttendedTask::CommandLine, |_| ()).ok()?;
    held.pass_on_to(Pid::from_child(&process.child));
    Some(match process.wait(None, ENDS_WITHIN) {
        Ok(TaskEnd::Told(ended)) => ExitCode::from(ended.code),
        Ok(TaskEnd::Silent(status)) => end_as(status),
        Err(_) => ExitCode::FAILURE,
    })
}

/// A process that does something for this one.
pub struct TaskProcess {
    child: Child,
    pipe: PipeReader,
}

pub enum TaskEnd {
    /// It has said how.
    Told(EndedTask),
    /// Without a word.
    Silent(ExitStatus),
}

impl TaskProcess {
    /// Starts this very program, also where another version was installed in its place meanwhile. Its standard streams are those
    /// of this process, where `set_up` does not give it others.
    pub fn start(task: AttendedTask, set_up: impl FnOnce(&mut Process)) -> io::Result<TaskProcess> {
        let (listens, tells) = io::pipe()?;
        // The other process has it under the same number.
        fcntl_setfd(&tells, FdFlags::empty())?;
        let inode = rustix::fs::fstat(&tells)?.st_ino;
        let parent = rustix::process::getpid().as_raw_pid();
        let told = serde_json::to_string(&Told { parent, descriptor: tells.as_raw_fd(), inode, task })?;
        let mut process = Process::new("/proc/self/exe");
        process.arg0("drivelab").args(std::env::args_os().skip(1)).env(ATTENDED, told);
        set_up(&mut process);
        Ok(TaskProcess { child: process.spawn()?, pipe: listens })
    }

    pub fn number(&self) -> u32 {
        self.child.id()
    }

    /// Ends it at once, in whatever it is.
    pub fn kill(&mut self) -> io::Result<()> {
        self.child.kill().and_then(|()| self.child.wait()).map(drop)
    }

    /// Waits for its end, and for `ends_within` at most once it has said how it ends. The user's wish to stop is passed on: a
    /// terminal sends it to both, other programs to this one alone.
    pub fn wait(&mut self, interrupt: Option<&Interrupt>, ends_within: Duration) -> io::Result<TaskEnd> {
        let Some(ended) = self.heard(interrupt) else { return self.child.wait().map(TaskEnd::Silent) };
        let mut waited = Duration::ZERO;
        while waited < ends_within && matches!(self.child.try_wait(), Ok(None)) {
            #[expect(
                clippy::disallowed_methods,
                reason = "the kernel tells nobody that a process ends within some time"
            )]
            thread::sleep(LOOK_EVERY);
            waited += LOOK_EVERY;
        }
        Ok(TaskEnd::Told(ended))
    }

    /// Waits until the process says that it ends, and returns that; none if it ends without a word, also where what it started
    /// still has the pipe.
    fn heard(&mut self, interrupt: Option<&Interrupt>) -> Option<EndedTask> {
        let process = Pid::from_child(&self.child);
        // Where the kernel has no such descriptor, the end of the pipe alone tells.
        let end = pidfd_open(process, PidfdFlags::empty()).ok();
        let _ = fcntl_getfl(&self.pipe).and_then(|flags| fcntl_setfl(&self.pipe, flags | OFlags::NONBLOCK));
        let (mut said, mut piece, mut is_told) = (Vec::new(), [0; 4096], false);
        loop {
            if interrupt.is_some_and(Interrupt::is_raised) && !is_told {
                is_told = true;
                // The signal that this process itself got, so that the result of the other one names it. That may have ended just
                // now, and is found so by the next look.
                let _ = kill_process(process, signals::caught().unwrap_or(Signal::INT));
            }
            let ended = {
                let mut both = vec![PollFd::new(&self.pipe, PollFlags::IN)];
                both.extend(end.iter().map(|end| PollFd::new(end, PollFlags::IN)));
                match poll(&mut both, interrupt.map(|_| &GLANCE)) {
                    Ok(_) => both.get(1).is_some_and(|end| !end.revents().is_empty()),
                    Err(Errno::INTR) => false,
                    Err(_) => return None,
                }
            };
            // What it said before its end is there by now.
            loop {
                match self.pipe.read(&mut piece) {
                    Ok(0) => return serde_json::from_slice(&said).ok(),
                    Ok(length) => said.extend_from_slice(&piece[..length]),
                    Err(error) if error.kind() == ErrorKind::Interrupted => {}
                    Err(_) => break,
                }
            }
            if ended || said.contains(&b'\n') {
                return serde_json::from_slice(&said).ok();
            }
        }
    }
}

/// Ends as the other process has ended: by the same signal, where it was one.
fn end_as(status: ExitStatus) -> ExitCode {
    if let Some(signal) = status.signal().and_then(Signal::from_named_raw) {
        signals::end_by(signal);
    }
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    code.map_or(ExitCode::FAILURE, ExitCode::from)
}
