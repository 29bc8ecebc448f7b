//! Runs a system program that answers on its standard output, and never waits for it without end: a drive that
//! is dying answers late, and one that is dead never does.

#![forbid(unsafe_code)]

mod owner;

pub use owner::Owner;

use std::env;
use std::io::{self, ErrorKind, Read};
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, ChildStdout, Command, ExitStatus, Stdio};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, Signal, kill_process_group};

/// The longest answer that is read, in bytes.
const LONGEST_ANSWER: usize = 4 << 20;
/// The longest complaint that is kept, in bytes.
const LONGEST_COMPLAINT: usize = 4 << 10;

/// How often it is looked whether a program has ended that has closed its standard output and complains of nothing.
const END_LOOKED_FOR_EVERY: Duration = Duration::from_millis(50);

/// What a program said until it ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// Its standard output.
    pub output: Vec<u8>,
    /// How it ended.
    pub status: ExitStatus,
    complaint: Vec<u8>,
}

impl Answer {
    /// The first line of its standard error; empty where it had no complaint.
    pub fn complaint(&self) -> String {
        let text = String::from_utf8_lossy(&self.complaint);
        text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default().to_owned()
    }

    /// Why it failed: its complaint, or how it ended where it had none.
    pub fn failure(&self) -> String {
        let why = self.complaint();
        if why.is_empty() { format!("it ended with {}", self.status) } else { why }
    }
}

/// Why a program gave no answer.
#[derive(Debug)]
pub enum NoAnswer {
    /// It could not be run.
    NotRun(io::Error),
    /// It was silent for too long.
    Silent,
    /// It answered without end.
    Endless,
}

/// A program by its name, in the search path or where administrators' programs lie.
pub fn find(name: &str) -> Option<PathBuf> {
    let listed = env::var_os("PATH").unwrap_or_default();
    let folders =
        env::split_paths(&listed).chain(["/usr/sbin", "/sbin", "/usr/local/sbin"].map(PathBuf::from));
    folders.map(|folder| folder.join(name)).find(|path| path.is_file())
}

/// Runs `program` with `arguments`, `input` as its standard input, and reads what it says. It may be silent for
/// as long as `patience`.
///
/// # Errors
/// Where it cannot be run, is silent for longer, or does not come to an end.
pub fn answer(
    program: &Path,
    arguments: &[&str],
    input: Option<OwnedFd>,
    patience: Duration,
) -> Result<Answer, NoAnswer> {
    let mut command = Command::new(program);
    command.args(arguments).stdin(input.map_or_else(Stdio::null, Stdio::from));
    heard(&mut command, patience, abandon)
}

/// The same of a program that starts others itself: where it is silent, these are ended with it, so that none of them keeps open
/// what it was to look at.
///
/// # Errors
/// As of [`answer`].
pub fn answer_of_group(program: &Path, arguments: &[&str], patience: Duration) -> Result<Answer, NoAnswer> {
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).process_group(0);
    heard(&mut command, patience, |child| {
        let _ = kill_process_group(Pid::from_child(child), Signal::KILL);
        abandon(child);
    })
}

fn heard(
    command: &mut Command,
    patience: Duration,
    give_up: impl FnOnce(&mut Child),
) -> Result<Answer, NoAnswer> {
    let command = command.env("LC_ALL", "C").stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(NoAnswer::NotRun)?;
    let said = match (child.stdout.take(), child.stderr.take()) {
        (Some(stdout), Some(mut stderr)) => {
            let said = read_all(stdout, &mut stderr, patience);
            said.and_then(|said| drain(&mut child, stderr, patience).map(|()| said))
        }
        _ => Ok((Vec::new(), Vec::new())),
    };
    let (output, complaint) = said.inspect_err(|_| give_up(&mut child))?;
    let status = child.wait().map_err(NoAnswer::NotRun)?;
    Ok(Answer { output, status, complaint })
}

/// Reads what it answers to its end, and what it complains of until then.
fn read_all(
    mut stdout: ChildStdout,
    stderr: &mut ChildStderr,
    patience: Duration,
) -> Result<(Vec<u8>, Vec<u8>), NoAnswer> {
    let patience = Timespec::try_from(patience).map_err(|_| NoAnswer::Silent)?;
    let (mut output, mut complaint, mut piece) = (Vec::new(), Vec::new(), vec![0; 64 << 10]);
    let (mut complains, mut complained) = (true, 0);
    loop {
        let [answers, errs] = ready(&stdout, complains.then_some(&*stderr), &patience)?;
        if errs {
            // It is read on beyond what is kept: a full pipe would hold the program up.
            let length = read(stderr, &mut piece)?;
            complains = length > 0;
            complained += length;
            let room = LONGEST_COMPLAINT.saturating_sub(complaint.len()).min(length);
            complaint.extend_from_slice(&piece[..room]);
        }
        if complained > LONGEST_ANSWER {
            return Err(NoAnswer::Endless);
        }
        // What it complained of before its answer ended is there by now: it is read first.
        if !answers || errs {
            continue;
        }
        match read(&mut stdout, &mut piece)? {
            0 => return Ok((output, complaint)),
            length => output.extend_from_slice(&piece[..length]),
        }
        if output.len() > LONGEST_ANSWER {
            return Err(NoAnswer::Endless);
        }
    }
}

/// Reads what a program still complains of until it ends. `update-grub` closes its standard output long before, and would die
/// of its next complaint if nothing could read that. What it started may hold the pipe open for longer.
fn drain(child: &mut Child, mut stderr: ChildStderr, patience: Duration) -> Result<(), NoAnswer> {
    let slice = Timespec::try_from(END_LOOKED_FOR_EVERY).map_err(|_| NoAnswer::Silent)?;
    let (mut piece, mut silent) = (vec![0; 64 << 10], Duration::ZERO);
    loop {
        let mut pipe = [PollFd::new(&stderr, PollFlags::IN)];
        match poll(&mut pipe, Some(&slice)) {
            Ok(0) if !matches!(child.try_wait(), Ok(None)) => return Ok(()),
            Ok(0) if silent >= patience => return Err(NoAnswer::Silent),
            Ok(0) => silent += END_LOOKED_FOR_EVERY,
            Ok(_) if read(&mut stderr, &mut piece)? == 0 => return Ok(()),
            Ok(_) => silent = Duration::ZERO,
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(NoAnswer::NotRun(error.into())),
        }
    }
}

/// Waits until there is something to read, or an end: of the answer, and of the complaint.
fn ready(
    stdout: &ChildStdout,
    stderr: Option<&ChildStderr>,
    patience: &Timespec,
) -> Result<[bool; 2], NoAnswer> {
    let stdout = PollFd::new(stdout, PollFlags::IN);
    let mut both: Vec<PollFd<'_>> =
        [stdout].into_iter().chain(stderr.map(|stderr| PollFd::new(stderr, PollFlags::IN))).collect();
    match poll(&mut both, Some(patience)) {
        Ok(0) => Err(NoAnswer::Silent),
        Ok(_) | Err(rustix::io::Errno::INTR) => {
            let is_ready = |fd: &PollFd<'_>| !fd.revents().is_empty();
            Ok([is_ready(&both[0]), both.get(1).is_some_and(is_ready)])
        }
        Err(error) => Err(NoAnswer::NotRun(error.into())),
    }
}

fn read(stream: &mut impl Read, piece: &mut [u8]) -> Result<usize, NoAnswer> {
    loop {
        match stream.read(piece) {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            read => return read.map_err(NoAnswer::NotRun),
        }
    }
}

/// Ends a program that does not answer. One that waits for a dead drive inside the kernel cannot be ended,
/// so nothing waits for it here.
fn abandon(child: &mut Child) {
    let _ = child.kill();
    let _ = child.try_wait();
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str, patience: Duration) -> Result<Answer, NoAnswer> {
        answer(Path::new("/bin/sh"), &["-c", script], None, patience)
    }

    #[test]
    fn a_program_that_hangs_is_given_up() {
        let hangs = answer(Path::new("/bin/sleep"), &["60"], None, Duration::from_millis(50));
        assert!(matches!(hangs, Err(NoAnswer::Silent)), "{hangs:?}");
    }

    #[test]
    fn what_a_program_that_hangs_has_started_ends_with_it() {
        // The pipe closes once nothing has it any more: the shell and the program that it waits for.
        let (mut reads, writes) = io::pipe().expect("a pipe");
        let mut command = Command::new("/bin/sh");
        command.args(["-c", "sleep 600; true"]).stdin(writes).process_group(0);
        let hangs = heard(&mut command, Duration::from_millis(50), |child| {
            let _ = kill_process_group(Pid::from_child(child), Signal::KILL);
            abandon(child);
        });
        assert!(matches!(hangs, Err(NoAnswer::Silent)), "{hangs:?}");
        drop(command);
        assert_eq!(reads.read(&mut [0]).expect("its end"), 0);
        let given_up = answer_of_group(Path::new("/bin/sleep"), &["600"], Duration::from_millis(50));
        assert!(matches!(given_up, Err(NoAnswer::Silent)), "{given_up:?}");
    }

    #[test]
    fn a_program_that_answers_without_end_is_given_up() {
        let endless = shell("exec cat /dev/zero", Duration::from_secs(30));
        assert!(matches!(endless, Err(NoAnswer::Endless)), "{endless:?}");
        let endless = shell("cat /dev/zero >&2; true", Duration::from_secs(30));
        assert!(matches!(endless, Err(NoAnswer::Endless)), "{endless:?}");
    }

    #[test]
    fn what_a_program_says_comes_with_its_exit_status() {
        let said = shell("echo '{}'; exit 4", Duration::from_secs(30)).expect("a shell");
        assert_eq!((&said.output[..], said.status.code()), (&b"{}\n"[..], Some(4)));
    }

    #[test]
    fn what_a_program_complains_of_is_kept_and_never_holds_it_up() {
        let script = "echo first >&2; head -c 1000000 /dev/zero >&2; echo answer; exit 32";
        let said = shell(script, Duration::from_secs(30)).expect("a shell");
        assert_eq!((&said.output[..], said.status.code()), (&b"answer\n"[..], Some(32)));
        assert_eq!(said.complaint(), "first");
        let silent = shell("exit 1", Duration::from_secs(30)).expect("a shell");
        assert_eq!((silent.complaint().as_str(), silent.failure().contains('1')), ("", true));
    }

    #[test]
    fn a_program_may_complain_after_its_answer() {
        let script =
            "echo answer; exec >/dev/null; sleep 0.2; echo late >&2; sleep 0.1; echo later >&2; exit 3";
        let said = shell(script, Duration::from_secs(30)).expect("a shell");
        assert_eq!((&said.output[..], said.status.code()), (&b"answer\n"[..], Some(3)));
        // What it leaves running holds its standard error open.
        let said = shell("sleep 60 >/dev/null & exit 4", Duration::from_secs(30)).expect("a shell");
        assert_eq!(said.status.code(), Some(4));
    }

    #[test]
    fn a_program_that_is_not_there_is_an_answer() {
        let absent = answer(Path::new("/nowhere/smartctl"), &[], None, Duration::from_secs(1));
        assert!(matches!(absent, Err(NoAnswer::NotRun(_))), "{absent:?}");
        assert_eq!(find("no-such-program-anywhere"), None);
    }
}
