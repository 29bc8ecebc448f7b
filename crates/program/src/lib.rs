//! Runs a system program that answers on its standard output, and never waits for it without end: a drive that
//! is dying answers late, and one that is dead never does.

#![forbid(unsafe_code)]

mod owner;

pub use owner::Owner;

use std::env;
use std::io::{self, ErrorKind, Read};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};

/// The longest answer that is read, in bytes.
const LONGEST_ANSWER: usize = 4 << 20;

/// What a program said until it ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// Its standard output.
    pub output: Vec<u8>,
    /// How it ended.
    pub status: ExitStatus,
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
    let mut child = Command::new(program)
        .args(arguments)
        .env("LC_ALL", "C")
        .stdin(input.map_or_else(Stdio::null, Stdio::from))
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(NoAnswer::NotRun)?;
    let output = child.stdout.take().map_or_else(|| Ok(Vec::new()), |stdout| read_all(stdout, patience));
    let output = output.inspect_err(|_| abandon(&mut child))?;
    let status = child.wait().map_err(NoAnswer::NotRun)?;
    Ok(Answer { output, status })
}

fn read_all(mut stdout: ChildStdout, patience: Duration) -> Result<Vec<u8>, NoAnswer> {
    let patience = Timespec::try_from(patience).map_err(|_| NoAnswer::Silent)?;
    let mut output = Vec::new();
    let mut piece = vec![0; 64 << 10];
    loop {
        match poll(&mut [PollFd::new(&stdout, PollFlags::IN)], Some(&patience)) {
            Ok(0) => return Err(NoAnswer::Silent),
            Ok(_) => {}
            Err(rustix::io::Errno::INTR) => continue,
            Err(error) => return Err(NoAnswer::NotRun(error.into())),
        }
        match stdout.read(&mut piece) {
            Ok(0) => return Ok(output),
            Ok(length) => output.extend_from_slice(&piece[..length]),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(NoAnswer::NotRun(error)),
        }
        if output.len() > LONGEST_ANSWER {
            return Err(NoAnswer::Endless);
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
    fn a_program_that_answers_without_end_is_given_up() {
        let endless = shell("exec cat /dev/zero", Duration::from_secs(30));
        assert!(matches!(endless, Err(NoAnswer::Endless)), "{endless:?}");
    }

    #[test]
    fn what_a_program_says_comes_with_its_exit_status() {
        let said = shell("echo '{}'; exit 4", Duration::from_secs(30)).expect("a shell");
        assert_eq!((&said.output[..], said.status.code()), (&b"{}\n"[..], Some(4)));
    }

    #[test]
    fn a_program_that_is_not_there_is_an_answer() {
        let absent = answer(Path::new("/nowhere/smartctl"), &[], None, Duration::from_secs(1));
        assert!(matches!(absent, Err(NoAnswer::NotRun(_))), "{absent:?}");
        assert_eq!(find("no-such-program-anywhere"), None);
    }
}
