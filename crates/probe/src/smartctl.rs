//! Runs smartctl, and never waits for it without end.

use std::env;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::NotAvailable;

/// The longest answer that is read, in bytes.
const LONGEST_ANSWER: usize = 4 << 20;

/// smartctl, in the search path or where administrators' programs lie.
pub(crate) fn find() -> Option<PathBuf> {
    let listed = env::var_os("PATH").unwrap_or_default();
    let folders =
        env::split_paths(&listed).chain(["/usr/sbin", "/sbin", "/usr/local/sbin"].map(PathBuf::from));
    folders.map(|folder| folder.join("smartctl")).find(|path| path.is_file())
}

/// What `program` answers within `patience`. Its exit status tells of the drive as much as of the program,
/// and its answer tells the same in words, so the status is not looked at.
pub(crate) fn answer(
    program: &Path,
    arguments: &[&str],
    patience: Duration,
) -> Result<Vec<u8>, NotAvailable> {
    let not_run = |error: std::io::Error| NotAvailable::NotRun(format!("{}: {error}", program.display()));
    let mut child = Command::new(program)
        .args(arguments)
        .env("LC_ALL", "C")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(not_run)?;
    let output = match child.stdout.take() {
        Some(stdout) => read_until(stdout, deadline_after(patience)),
        None => Ok(Vec::new()),
    };
    match output {
        Ok(output) => child.wait().map(|_| output).map_err(not_run),
        Err(why) => {
            abandon(&mut child);
            Err(why)
        }
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "how long a program may take is measured on the machine's own clock"
)]
fn deadline_after(patience: Duration) -> Instant {
    Instant::now() + patience
}

#[expect(
    clippy::disallowed_methods,
    reason = "how long a program may take is measured on the machine's own clock"
)]
fn left_until(deadline: Instant) -> Duration {
    deadline.saturating_duration_since(Instant::now())
}

fn read_until(mut stdout: ChildStdout, deadline: Instant) -> Result<Vec<u8>, NotAvailable> {
    let failed = |error: std::io::Error| NotAvailable::NotRun(error.to_string());
    let mut output = Vec::new();
    let mut piece = vec![0; 64 << 10];
    loop {
        let left = Timespec::try_from(left_until(deadline)).map_err(|_| NotAvailable::NotAnswering)?;
        match poll(&mut [PollFd::new(&stdout, PollFlags::IN)], Some(&left)) {
            Ok(0) => return Err(NotAvailable::NotAnswering),
            Ok(_) => {}
            Err(rustix::io::Errno::INTR) => continue,
            Err(error) => return Err(failed(error.into())),
        }
        match stdout.read(&mut piece) {
            Ok(0) => return Ok(output),
            Ok(length) => output.extend_from_slice(&piece[..length]),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(failed(error)),
        }
        if output.len() > LONGEST_ANSWER {
            return Err(NotAvailable::NotUnderstood("it answered without end".to_owned()));
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

    #[test]
    fn a_program_that_hangs_is_given_up() {
        let hangs = answer(Path::new("/bin/sleep"), &["60"], Duration::from_millis(50));
        assert_eq!(hangs, Err(NotAvailable::NotAnswering));
    }

    #[test]
    fn what_a_program_says_is_taken_whatever_its_exit_status() {
        let said = answer(Path::new("/bin/sh"), &["-c", "echo '{}'; exit 4"], Duration::from_secs(30));
        assert_eq!(said.as_deref(), Ok(&b"{}\n"[..]));
    }

    #[test]
    fn a_program_that_is_not_there_is_an_answer() {
        let absent = answer(Path::new("/nowhere/smartctl"), &[], Duration::from_secs(1));
        assert!(matches!(absent, Err(NotAvailable::NotRun(_))));
    }
}
