//! Runs a system program that answers on its standard output, and never waits for it without end.

use std::env;
use std::io::{ErrorKind, Read};
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::process::{Child, ChildStdout, Command, Stdio};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

/// How long a program may stay silent, in seconds. A drive that is dying answers late; one that is dead,
/// never.
const PATIENCE_SECS: i64 = 60;

/// The longest answer that is read, in bytes.
const LONGEST_ANSWER: usize = 1 << 20;

/// Why a program gave no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NoAnswer {
    /// It is not installed.
    Absent,
    /// It was started and did not answer.
    Failed(String),
}

/// Runs `program` with `arguments`, `input` as its standard input; its output, where it ended well.
pub(crate) fn answer(program: &str, arguments: &[&str], input: Option<OwnedFd>) -> Result<Vec<u8>, NoAnswer> {
    let path = find(program).ok_or(NoAnswer::Absent)?;
    let mut child = Command::new(path)
        .args(arguments)
        .env("LC_ALL", "C")
        .stdin(input.map_or_else(Stdio::null, Stdio::from))
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| NoAnswer::Failed(format!("{program} could not be started: {error}")))?;
    let output = child.stdout.take().map_or_else(|| Ok(Vec::new()), |stdout| read_all(program, stdout));
    let output = output.inspect_err(|_| abandon(&mut child))?;
    let status = child.wait().map_err(|error| NoAnswer::Failed(format!("{program}: {error}")))?;
    if status.success() {
        return Ok(output);
    }
    Err(NoAnswer::Failed(format!("{program} ended with {status}")))
}

/// The program, in the search path or where administrators' programs lie.
fn find(program: &str) -> Option<PathBuf> {
    let listed = env::var_os("PATH").unwrap_or_default();
    let folders =
        env::split_paths(&listed).chain(["/usr/sbin", "/sbin", "/usr/local/sbin"].map(PathBuf::from));
    folders.map(|folder| folder.join(program)).find(|path| path.is_file())
}

fn read_all(program: &str, mut stdout: ChildStdout) -> Result<Vec<u8>, NoAnswer> {
    let failed = |what: String| NoAnswer::Failed(format!("{program} {what}"));
    let mut output = Vec::new();
    let mut piece = vec![0; 64 << 10];
    loop {
        let patience = Timespec { tv_sec: PATIENCE_SECS, tv_nsec: 0 };
        match poll(&mut [PollFd::new(&stdout, PollFlags::IN)], Some(&patience)) {
            Ok(0) => return Err(failed(format!("did not answer within {PATIENCE_SECS} s"))),
            Ok(_) => {}
            Err(rustix::io::Errno::INTR) => continue,
            Err(error) => return Err(failed(format!("could not be waited for: {error}"))),
        }
        match stdout.read(&mut piece) {
            Ok(0) => return Ok(output),
            Ok(length) => output.extend_from_slice(&piece[..length]),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(failed(format!("could not be read: {error}"))),
        }
        if output.len() > LONGEST_ANSWER {
            return Err(failed("answered without end".to_owned()));
        }
    }
}

/// Ends a program that does not answer. One that waits for a dead drive inside the kernel cannot be ended,
/// so nothing waits for it here.
fn abandon(child: &mut Child) {
    let _ = child.kill();
    let _ = child.try_wait();
}
